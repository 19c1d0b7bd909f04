import type { TimerHandle } from '../../index.js';
import { clip, errorText, isErrorLike, printable } from '../../kit.js';
import { BoundedCall, type Settled } from './bounded-call.js';
import type { InstanceSettings } from './options.js';
import type { ReadinessFinding } from './readiness-probe.js';
import { Repeater } from './repeater.js';
import type { Gate } from './status-model.js';

export interface GateEvents {
  /** No other probe is begun before it resolves; it must not reject. */
  found(gateNumber: number, finding: ReadinessFinding): Promise<void>;
  overdue(): void;
}

/** Runs the readiness probe and the gate's deadline for as long as there is a gate. */
export class Gatekeeper {
  readonly #settings: InstanceSettings;
  readonly #events: GateEvents;
  readonly #probe: BoundedCall<ReadinessFinding> | undefined;
  readonly #probing: Repeater;
  #gateNumber: number | undefined;
  #deadline: TimerHandle | undefined;

  constructor(settings: InstanceSettings, events: GateEvents) {
    const { readinessProbe, container, clock, probeTimeoutMs: timeoutMs, probeIntervalMs } = settings;
    this.#settings = settings;
    this.#events = events;
    if (readinessProbe !== undefined) {
      this.#probe = new BoundedCall(clock, timeoutMs, async (signal) =>
        readFinding(await readinessProbe.run({ signal, timeoutMs, container, clock })),
      );
    }
    this.#probing = new Repeater(clock, probeIntervalMs, () => this.#ask());
  }

  /** The gate as it is now; undefined: none. */
  follow(gate: Gate | undefined): void {
    if (gate?.number !== this.#gateNumber) {
      this.#leave();
      if (gate !== undefined) this.#enter(gate);
    }
    const wanted = this.#probe !== undefined && gate?.runningSince !== undefined;
    if (wanted && !this.#probing.started) this.#probing.start();
    if (!wanted) this.#rest();
  }

  keepAlive(keepAlive: boolean): void {
    this.#probing.keepAlive(keepAlive);
  }

  #enter({ number, deadlineAt }: Gate): void {
    this.#gateNumber = number;
    this.#arm(deadlineAt);
  }

  #leave(): void {
    this.#gateNumber = undefined;
    this.#rest();
    if (this.#deadline !== undefined) this.#settings.clock.clearTimeout(this.#deadline);
    this.#deadline = undefined;
  }

  #rest(): void {
    this.#probing.stop();
    this.#probe?.cancel();
  }

  // The timer keeps nothing alive: the polls of whoever waits do.
  #arm(deadlineAt: number): void {
    const { clock } = this.#settings;
    const due = () => {
      // Timers may fire a little early.
      if (clock.now() < deadlineAt) this.#arm(deadlineAt);
      else this.#events.overdue();
    };
    this.#deadline = clock.setTimeout(due, Math.max(0, deadlineAt - clock.now()), { keepAlive: false });
  }

  async #ask(): Promise<void> {
    const gateNumber = this.#gateNumber;
    const settled = await this.#probe?.call();
    if (settled === undefined || settled.kind === 'cancelled' || gateNumber === undefined) return;
    await this.#events.found(gateNumber, this.#read(settled));
  }

  #read(settled: Exclude<Settled<ReadinessFinding>, { kind: 'cancelled' }>): ReadinessFinding {
    switch (settled.kind) {
      case 'value':
        return settled.value;
      case 'error':
        return failed(isErrorLike(settled.error) ? errorText(settled.error) : printable(settled.error));
      case 'timeout':
        return failed(`no result within ${this.#settings.probeTimeoutMs} ms`);
    }
  }
}

/** A copy: what a probe of somebody else's making returns is read once, where it may throw. */
function readFinding(value: unknown): ReadinessFinding {
  const { outcome, message } = (value ?? {}) as { outcome?: unknown; message?: unknown };
  if (outcome === 'passed') return { outcome };
  const known = (outcome === 'failed' || outcome === 'unvalidated') && typeof message === 'string';
  return known ? { outcome, message: clip(message) } : failed('the probe returned nothing that has a meaning here');
}

function failed(message: string): ReadinessFinding {
  return { outcome: 'failed', message };
}
