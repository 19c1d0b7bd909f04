import type { Clock, TimerHandle } from '../../index.js';

/** What a bounded call came to. */
export type Settled<Value> =
  | { readonly kind: 'value'; readonly value: Value }
  | { readonly kind: 'error'; readonly error: unknown }
  | { readonly kind: 'timeout' }
  | { readonly kind: 'cancelled' };

/** How many calls that ignore their signal may be left behind before no new one is begun. */
const MOST_LEFT = 2;
/** After how many timeouts such a call is written off, so that what it asks is asked again. */
const WRITE_OFF_TIMEOUTS = 10;

interface Run<Value> {
  readonly settled: Promise<Settled<Value>>;
  readonly end: (settled: Settled<Value>) => void;
  readonly abort: AbortController;
  timer: TimerHandle | undefined;
}

/**
 * Calls something that may hang, one call at a time: who calls while one is under way shares it. Each is bounded, even if
 * the callee ignores its signal; what a call that was left behind does later changes nothing.
 */
export class BoundedCall<Value> {
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  readonly #callee: (signal: AbortSignal) => Value | PromiseLike<Value>;
  /** When the calls began that were left behind and have not settled. */
  readonly #left = new Set<{ readonly since: number }>();
  #run: Run<Value> | undefined;

  constructor(clock: Clock, timeoutMs: number, callee: (signal: AbortSignal) => Value | PromiseLike<Value>) {
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
    this.#callee = callee;
  }

  /** Never rejects. */
  call(): Promise<Settled<Value>> {
    return this.#run?.settled ?? this.#begin();
  }

  /** Ends the call under way: its signal aborts, and it comes to `cancelled`. */
  cancel(): void {
    this.#leave({ kind: 'cancelled' });
  }

  #begin(): Promise<Settled<Value>> {
    if (this.#isAtBound()) return Promise.resolve({ kind: 'timeout' });
    const since = this.#clock.now();
    let end: Run<Value>['end'] = () => {};
    const settled = new Promise<Settled<Value>>((resolve) => {
      end = resolve;
    });
    const abort = new AbortController();
    const run: Run<Value> = { settled, end, abort, timer: undefined };
    this.#run = run;
    const expire = () => {
      if (this.#run === run) this.#leave({ kind: 'timeout' });
    };
    // An answer that came while the loop was blocked must win: sockets are read only after the timers.
    run.timer = this.#clock.setTimeout(() => this.#clock.nextTurn(expire), this.#timeoutMs, { keepAlive: true });
    const left = { since };
    this.#left.add(left);
    new Promise<Value>((resolve) => resolve(this.#callee(abort.signal))).then(
      (value) => {
        this.#left.delete(left);
        this.#end(run, { kind: 'value', value });
      },
      (error: unknown) => {
        this.#left.delete(left);
        this.#end(run, { kind: 'error', error });
      },
    );
    return settled;
  }

  #leave(settled: Settled<Value>): void {
    const run = this.#run;
    if (run === undefined) return;
    this.#end(run, settled);
    run.abort.abort();
  }

  #end(run: Run<Value>, settled: Settled<Value>): void {
    if (this.#run !== run) return;
    this.#run = undefined;
    if (run.timer !== undefined) this.#clock.clearTimeout(run.timer);
    run.end(settled);
  }

  #isAtBound(): boolean {
    const [oldest] = this.#left;
    if (oldest === undefined || this.#left.size < MOST_LEFT) return false;
    if (this.#clock.now() - oldest.since < WRITE_OFF_TIMEOUTS * this.#timeoutMs) return true;
    this.#left.delete(oldest);
    return false;
  }
}
