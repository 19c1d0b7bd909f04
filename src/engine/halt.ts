import type { StopFunction } from '../core/settings.js';
import type { TimerHandle } from '../ports/clock.js';
import type { EngineScope } from './scope.js';
import type { ServiceRun } from './service-run.js';
import { StopCall } from './stop-call.js';

/**
 * Bringing one run of a service down: its signal aborts, `stop` is called, and both are waited for. Used by the
 * shutdown, which bounds it itself, and by restarts, which give it a bound of its own.
 */
export class Halt {
  readonly #scope: EngineScope;
  readonly #run: ServiceRun | undefined;
  #stop: StopCall | undefined;
  #then: (() => void) | undefined;
  #timer: TimerHandle | undefined;
  #timedOut = false;

  constructor(scope: EngineScope, run: ServiceRun | undefined) {
    this.#scope = scope;
    this.#run = run;
  }

  get finished(): boolean {
    return (this.#run?.settled ?? true) && (this.#stop?.settled ?? true);
  }

  /** Whether `stop` was called and has not settled. */
  get stopPending(): boolean {
    return this.#stop !== undefined && !this.#stop.settled;
  }

  /** Whether its bound has passed: nobody waits for it any more. */
  get timedOut(): boolean {
    return this.#timedOut;
  }

  /** What `stop` threw. */
  get error(): { readonly thrown: unknown } | undefined {
    return this.#stop?.error;
  }

  /** Aborts the run and calls `stop`, if there is one to call. `then` comes once, perhaps within. */
  begin(reason: () => unknown, stop: StopFunction | undefined, budgetMs: number, then: () => void): void {
    this.#then = then;
    this.#run?.abort(reason);
    if (stop !== undefined) {
      this.#stop = new StopCall();
      this.#stop.begin(stop, budgetMs, () => this.settled());
    }
    this.settled();
  }

  /** Bounds the wait: at the end `timedOut` is called instead. */
  bound(budgetMs: number, timedOut: () => void): void {
    if (this.finished) return;
    const { clock } = this.#scope;
    const due = (): void => {
      if (this.#then === undefined) return;
      this.#then = undefined;
      this.#timer = undefined;
      this.#timedOut = true;
      timedOut();
    };
    if (budgetMs > 0) this.#timer = clock.setTimeout(due, budgetMs, { keepAlive: true });
    else clock.nextTurn(due);
  }

  /** Somebody else waits from now on, and bounds it. */
  handOver(then: () => void): void {
    this.#clear();
    this.#then = then;
    this.settled();
  }

  /** The time of `stop` is over: its signal aborts. */
  expire(): void {
    this.#stop?.expire();
  }

  /** The run or `stop` has settled. */
  settled(): void {
    const then = this.#then;
    if (then === undefined || !this.finished) return;
    this.#then = undefined;
    this.#clear();
    then();
  }

  #clear(): void {
    if (this.#timer !== undefined) this.#scope.clock.clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
