import { HealthControllerError } from '../../index.js';
import { type BackoffRule, backoffDelay, type Emitter } from '../../kit.js';
import type { GatewayEvents } from './events.js';
import { type Fault, faultText, thrownText } from './fault.js';
import type { GatewaySettings } from './options.js';

/** Why a start may not be tried. */
interface Closed {
  /** `waiting`: after a failure. `refused`: the configuration was, and would be again. */
  readonly kind: 'waiting' | 'refused';
  /** When it may be tried again, by the monotonic clock. */
  readonly until: number;
  readonly failures: number;
  readonly fault: Fault;
}

const BACKOFF: BackoffRule = { initialBackoffMs: 1000, maxBackoffMs: 60_000, multiplier: 2, jitter: 'none' };
/** By sysexits.h: a configuration error. */
const REFUSED_EXIT_CODE = 78;
const REFUSED = [
  'config_refused',
  'its configuration was refused, so it is not started again before a restart',
] as const;
const FAILED = {
  restore: ['restore_failed', 'the last restore failed'],
  ensure: ['start_failed', 'the last start failed'],
} as const;

/** Starts and restarts the gateway: one thing at a time, whoever asks. */
export class Activation {
  readonly #settings: GatewaySettings;
  readonly #events: Emitter<GatewayEvents>;
  /** Undefined: a start may be tried. */
  #closed: Closed | undefined;
  #starting: { readonly done: Promise<void>; readonly abort: AbortController } | undefined;
  #restarting: Promise<void> | undefined;
  #epoch = 0;

  constructor(settings: GatewaySettings, events: Emitter<GatewayEvents>) {
    this.#settings = settings;
    this.#events = events;
  }

  /** Changes whenever something is begun or has ended: what was seen before that says nothing about now. */
  get epoch(): number {
    return this.#epoch;
  }

  /** How the last start failed; undefined after one that did not, and after a restart. */
  get lastFault(): Fault | undefined {
    return this.#closed?.fault;
  }

  /** The gateway was seen absent: starts it in the background, unless something is under way, in backoff, or refused. */
  start(): void {
    const { ensureGateway, restoreIfNeeded, clock } = this.#settings;
    if (ensureGateway === undefined && restoreIfNeeded === undefined) return;
    if (this.#starting !== undefined || this.#restarting !== undefined) return;
    if (this.#closed !== undefined && clock.now() < this.#closed.until) return;
    this.#epoch++;
    const abort = new AbortController();
    let ended = (): void => {};
    const done = new Promise<void>((resolve) => {
      ended = resolve;
    });
    // Before the first step is called, which may call back.
    this.#starting = { done, abort };
    void this.#start(abort.signal).finally(() => {
      this.#starting = undefined;
      this.#epoch++;
      ended();
    });
  }

  /** The controller shuts down: a start that is under way is told to end, and begins no further step. */
  cancel(): void {
    this.#starting?.abort.abort(new HealthControllerError('shutdown', 'the controller is shutting down'));
  }

  /** The gateway was seen ready: what failed before is over. */
  recovered(): void {
    if (this.#closed?.kind === 'waiting') this.#closed = undefined;
  }

  /** Stops and starts it. Who asks while a restart is under way gets that one. Rejects as its step rejects. */
  restart(): Promise<void> {
    if (this.#restarting !== undefined) return this.#restarting;
    this.#epoch++;
    // In a microtask, so that a step which calls restart() again finds this one.
    this.#restarting = Promise.resolve()
      .then(() => this.#restart())
      .finally(() => {
        this.#restarting = undefined;
        this.#epoch++;
      });
    return this.#restarting;
  }

  async #start(signal: AbortSignal): Promise<void> {
    const { ensureGateway, restoreIfNeeded } = this.#settings;
    this.#events.emit('activation', { kind: 'begun', failures: this.#failures });
    let step: 'restore' | 'ensure' = 'restore';
    try {
      if (restoreIfNeeded !== undefined) await restoreIfNeeded({ signal });
      // A restart has come meanwhile, which starts the gateway itself, or the shutdown.
      signal.throwIfAborted();
      step = 'ensure';
      await ensureGateway?.({ signal });
      signal.throwIfAborted();
      this.#closed = undefined;
      this.#events.emit('activation', { kind: 'done', failures: 0 });
    } catch (error) {
      if (signal.aborted) this.#events.emit('activation', { kind: 'cancelled', failures: this.#failures });
      else this.#startFailed(step, error);
    }
  }

  get #failures(): number {
    return this.#closed?.failures ?? 0;
  }

  #startFailed(step: 'restore' | 'ensure', error: unknown): void {
    const { kind, failures, until } = this.#close(step, error);
    const told = { step, error, failures };
    if (kind === 'refused') this.#events.emit('activation', { kind, ...told });
    else this.#events.emit('activation', { kind: 'failed', ...told, retryAfterMs: until - this.#settings.clock.now() });
  }

  #close(step: 'restore' | 'ensure', error: unknown): Closed {
    const { clock, logger } = this.#settings;
    const failures = this.#failures + 1;
    const refused = step === 'ensure' && exitCodeOf(error) === REFUSED_EXIT_CODE;
    const [reason, summary] = refused ? REFUSED : FAILED[step];
    const fault: Fault = { status: 'failure', reason, summary, detail: thrownText(error) };
    const until = refused ? Number.POSITIVE_INFINITY : clock.now() + backoffDelay(BACKOFF, failures, 0, () => 0);
    logger.error(`gateway: ${faultText(fault)}`, { error, failures });
    this.#closed = { kind: refused ? 'refused' : 'waiting', until, failures, fault };
    return this.#closed;
  }

  async #restart(): Promise<void> {
    const { stopGateway, ensureGateway } = this.#settings;
    const context = { signal: new AbortController().signal };
    let step: 'stop' | 'ensure' = 'stop';
    this.#events.emit('restart', { kind: 'begun' });
    if (this.#starting !== undefined) {
      this.#starting.abort.abort(new HealthControllerError('restart', 'the gateway is being restarted'));
      await this.#starting.done;
    }
    this.#closed = undefined;
    try {
      if (stopGateway !== undefined) await stopGateway(context);
      step = 'ensure';
      await ensureGateway?.(context);
    } catch (error) {
      if (step === 'ensure') this.#close(step, error);
      this.#events.emit('restart', { kind: 'failed', step, error });
      throw error;
    }
    this.#events.emit('restart', { kind: 'done' });
  }
}

function exitCodeOf(error: unknown): unknown {
  try {
    return (error as { exitCode?: unknown } | null | undefined)?.exitCode;
  } catch {
    return undefined;
  }
}
