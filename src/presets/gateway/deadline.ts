import { type Clock, HealthControllerError, type TimerHandle } from '../../index.js';

/** How one part of an observation ended, and how long it took. */
export type Measured<Value> =
  | { readonly kind: 'value'; readonly value: Value; readonly latencyMs: number }
  | { readonly kind: 'thrown'; readonly error: unknown; readonly latencyMs: number }
  | { readonly kind: 'timeout'; readonly latencyMs: number };

/** One deadline over all parts of one observation, which run at the same time. */
export class Deadline {
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly beganAt: number;
  readonly #abort = new AbortController();
  readonly #expired: Promise<undefined>;
  #timer: TimerHandle;

  constructor(clock: Clock, timeoutMs: number) {
    this.clock = clock;
    this.timeoutMs = timeoutMs;
    this.beganAt = clock.now();
    this.#expired = new Promise((resolve) => {
      const expire = (): void => {
        this.#abort.abort(
          new HealthControllerError('timeout', `the gateway's probes did not settle within ${timeoutMs} ms`),
        );
        resolve(undefined);
      };
      // An answer that is already there wins over a timer that fires first because the loop was blocked.
      this.#timer = clock.setTimeout(() => clock.nextTurn(expire), timeoutMs, { keepAlive: true });
    });
  }

  /** Aborted at the deadline. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Since it began. */
  elapsedMs(): number {
    return rounded(this.clock.now() - this.beganAt);
  }

  /** Calls it and waits for it, until the deadline at most. What comes later, also a rejection, changes nothing. */
  async measure<Value>(call: (signal: AbortSignal) => Value | PromiseLike<Value>): Promise<Measured<Value>> {
    const startedAt = this.clock.now();
    const latencyMs = (): number => rounded(this.clock.now() - startedAt);
    // In a promise of its own: what throws at once is treated as what rejects, and thenables are called once.
    const settled = new Promise<Value>((resolve) => resolve(call(this.signal))).then(
      (value): Measured<Value> => ({ kind: 'value', value, latencyMs: latencyMs() }),
      (error: unknown): Measured<Value> =>
        this.signal.aborted
          ? { kind: 'timeout', latencyMs: latencyMs() }
          : { kind: 'thrown', error, latencyMs: latencyMs() },
    );
    return (await Promise.race([settled, this.#expired])) ?? { kind: 'timeout', latencyMs: latencyMs() };
  }

  /** All parts have ended. */
  end(): void {
    this.clock.clearTimeout(this.#timer);
  }
}

/** To the hundredth: more digits of a millisecond say nothing. */
function rounded(ms: number): number {
  return Math.max(0, Math.round(ms * 100) / 100);
}
