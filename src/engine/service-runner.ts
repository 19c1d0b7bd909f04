import { HealthControllerError } from '../core/errors.js';
import type { ServiceEventKind } from '../core/events.js';
import { isErrorLike } from '../core/printable.js';
import { classifyRun, type RunEnd, type RunOutcome } from '../core/run-outcome.js';
import type { ServiceInfo } from '../core/service-info.js';
import type { ServiceSettings, ValidErrorFunction } from '../core/settings.js';
import type { TimerHandle } from '../ports/clock.js';
import type { EngineScope } from './scope.js';
import type { ServiceEntry } from './service-entry.js';
import { ServiceRun } from './service-run.js';
import type { Stoppable } from './shutdown.js';
import { StopCall } from './stop-call.js';

/** Where a service is. `starting` has a run that is not up yet; `up` may have one in the foreground. */
type Phase = 'idle' | 'starting' | 'up' | 'completed' | 'ended' | 'gave_up' | 'unmanaged';

/** What a service tells the engine. */
export interface ServiceWatcher {
  /** It never came up and will not be tried again. */
  unableToStart(service: ServiceRunner): void;
}

/** Runs one service: starts it, follows its run, and stops it. */
export class ServiceRunner implements Stoppable {
  readonly name: string;
  readonly entry: ServiceEntry;
  readonly #scope: EngineScope;
  readonly #settings: ServiceSettings;
  readonly #validError: ValidErrorFunction | undefined;
  readonly #watcher: ServiceWatcher;
  #phase: Phase = 'idle';
  #everUp = false;
  #run: ServiceRun | undefined;
  #timers: TimerHandle[] = [];
  #stopping = false;
  #stop: StopCall | undefined;
  #whenFinished: (() => void) | undefined;
  #abandonedRuns = 0;
  #lastStartedAt: string | undefined;
  #lastStoppedAt: string | undefined;
  #error: { readonly value: unknown } | undefined;

  constructor(
    scope: EngineScope,
    settings: ServiceSettings,
    entry: ServiceEntry,
    validError: ValidErrorFunction | undefined,
    watcher: ServiceWatcher,
  ) {
    this.#scope = scope;
    this.#settings = settings;
    this.#validError = validError;
    this.#watcher = watcher;
    this.name = settings.name;
    this.entry = entry;
    this.#show();
  }

  get stopTimeoutMs(): number {
    return this.#settings.stopTimeoutMs;
  }

  /** What its `stop` threw. */
  get stopError(): { readonly thrown: unknown } | undefined {
    return this.#stop?.error;
  }

  get finished(): boolean {
    return (this.#run?.settled ?? true) && (this.#stop?.settled ?? true);
  }

  /** It was registered after `start()`: it stands in reports, and is neither started nor stopped. */
  leaveAlone(): void {
    this.#phase = 'unmanaged';
    this.#show();
    this.#tell('late_registration');
  }

  start(): void {
    if (this.#phase !== 'idle') return;
    const { start, startTimeoutMs, restartResetIntervalMs, runToCompletion } = this.#settings;
    const run = new ServiceRun(this.#scope.clock.now());
    this.#run = run;
    this.#phase = 'starting';
    this.#lastStartedAt = this.#scope.stamp();
    this.#show();
    if (start === undefined) {
      this.#up();
      return;
    }
    run.begin(
      start,
      () => this.#ready(run),
      (end) => this.#ended(run, end),
    );
    if (run.settled || this.#run !== run) return;
    if (startTimeoutMs > 0 && this.#phase === 'starting') {
      this.#after(startTimeoutMs, true, () => this.#startTimedOut(run));
    } else if (!runToCompletion && this.#phase === 'starting') {
      // A start that stays pending is a service in the foreground.
      this.#after(restartResetIntervalMs, false, () => this.#ready(run));
    }
  }

  beginStop(budgetMs: number, whenFinished: () => void): void {
    if (this.#stopping) return;
    this.#stopping = true;
    this.#clearTimers();
    this.entry.silence();
    const stoppable = this.#phase === 'up' || this.#phase === 'starting' || this.#phase === 'completed';
    this.#whenFinished = whenFinished;
    this.#run?.abort(new HealthControllerError('shutdown', 'the controller is shutting down'));
    const { stop } = this.#settings;
    if (stoppable && stop !== undefined) {
      this.#stop = new StopCall();
      this.#stop.begin(stop, budgetMs, () => this.#finishing());
    }
    this.#finishing();
  }

  expireStop(): void {
    this.#stop?.expire();
    if (this.#run !== undefined && !this.#run.settled) {
      this.#run.abandoned = true;
      this.#abandonedRuns++;
    }
  }

  info(): ServiceInfo {
    const stopError = this.#stop?.error;
    return Object.freeze({
      name: this.name,
      supervised: this.#phase !== 'unmanaged',
      up: this.#phase === 'up',
      restartCount: 0,
      ...(this.#lastStartedAt === undefined ? undefined : { lastStartedAt: this.#lastStartedAt }),
      ...(this.#lastStoppedAt === undefined ? undefined : { lastStoppedAt: this.#lastStoppedAt }),
      ...(this.#error === undefined ? undefined : { error: this.#error.value }),
      ...(stopError === undefined ? undefined : { stopError: stopError.thrown }),
      abandonedRuns: this.#abandonedRuns,
    });
  }

  #ready(run: ServiceRun): void {
    if (run !== this.#run || run.settled || run.abandoned || this.#stopping) return;
    this.#up();
  }

  #up(): void {
    if (this.#phase !== 'starting') return;
    this.#clearTimers();
    this.#phase = 'up';
    this.#everUp = true;
    this.#show();
    this.#scope.log.info(`service ${this.#quoted} is up`);
    this.#tell('started');
  }

  #startTimedOut(run: ServiceRun): void {
    if (run !== this.#run || run.settled) return;
    const { startTimeoutMs } = this.#settings;
    run.abandoned = true;
    this.#abandonedRuns++;
    run.abort(new HealthControllerError('start_timeout', `start did not settle within ${startTimeoutMs} ms`));
    this.#conclude({ how: 'start_timeout', timeoutMs: startTimeoutMs });
  }

  #ended(run: ServiceRun, end: RunEnd): void {
    if (run.abandoned) {
      this.#abandonedRuns--;
      return;
    }
    this.#conclude(end);
    this.#finishing();
  }

  #conclude(end: RunEnd): void {
    this.#clearTimers();
    const { runToCompletion } = this.#settings;
    const facts = { runToCompletion, aborted: this.#run?.aborted ?? false, valid: this.#isValid(end) };
    const outcome = classifyRun(end, facts);
    switch (outcome.kind) {
      case 'clean_start':
        this.#up();
        return;
      case 'completed':
      case 'ended':
        this.#over(outcome.kind);
        this.#scope.log.info(`service ${this.#quoted} has ${outcome.kind}`);
        this.#tell(outcome.kind, outcome.kind === 'ended' ? outcome.error : undefined);
        return;
      case 'error':
        this.#failed(outcome);
    }
  }

  #failed(outcome: Extract<RunOutcome, { kind: 'error' }>): void {
    const error = errorOf(outcome);
    this.#error = { value: error };
    this.#over('gave_up');
    this.#scope.log.error(`service ${this.#quoted} failed: ${outcome.message}`, { error, reason: outcome.reason });
    this.#tell(this.#everUp ? 'failed' : 'unable_to_start', error);
    if (!this.#everUp) this.#watcher.unableToStart(this);
  }

  #over(phase: Phase): void {
    this.#phase = phase;
    this.#lastStoppedAt = this.#scope.stamp();
    this.#show();
  }

  #isValid(end: RunEnd): boolean {
    if (end.how !== 'rejected' || this.#validError === undefined) return false;
    try {
      return this.#validError(end.error, this.name);
    } catch (error) {
      this.#scope.log.error(`validError threw for service ${this.#quoted}: the error counts as one`, { error });
      return false;
    }
  }

  #finishing(): void {
    if (!this.#stopping || !this.finished) return;
    const whenFinished = this.#whenFinished;
    this.#whenFinished = undefined;
    if (this.#phase === 'up' || this.#phase === 'starting') this.#over('ended');
    whenFinished?.();
  }

  #show(): void {
    const { runState } = SHOWN[this.#phase];
    this.entry.setRunState(runState);
  }

  #tell(kind: ServiceEventKind, error?: unknown): void {
    const event = { service: this.name, kind, restarts: 0, ...(error === undefined ? undefined : { error }) };
    this.#scope.events.emit('service', Object.freeze(event));
  }

  #after(delayMs: number, keepAlive: boolean, then: () => void): void {
    this.#timers.push(this.#scope.clock.setTimeout(then, delayMs, { keepAlive }));
  }

  #clearTimers(): void {
    for (const timer of this.#timers) this.#scope.clock.clearTimeout(timer);
    this.#timers = [];
  }

  get #quoted(): string {
    return JSON.stringify(this.name);
  }
}

const NOT_UP = { reason: 'starting', error: 'service is not up yet', outranksProbe: false };
const GAVE_UP = { reason: 'gave_up', error: 'service has failed and is not restarted', outranksProbe: true };

const SHOWN: Readonly<Record<Phase, { readonly runState: typeof NOT_UP | undefined }>> = {
  idle: { runState: NOT_UP },
  starting: { runState: NOT_UP },
  up: { runState: undefined },
  completed: { runState: undefined },
  ended: { runState: undefined },
  gave_up: { runState: GAVE_UP },
  unmanaged: { runState: undefined },
};

function errorOf(outcome: Extract<RunOutcome, { kind: 'error' }>): unknown {
  if (isErrorLike(outcome.error)) return outcome.error;
  if (outcome.reason === 'start_timeout') return new HealthControllerError('start_timeout', outcome.message);
  return new Error(outcome.message, { cause: outcome.error });
}
