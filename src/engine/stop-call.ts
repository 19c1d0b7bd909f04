import { HealthControllerError } from '../core/errors.js';
import type { StopContext, StopFunction } from '../core/settings.js';
import { RunContext } from './run-context.js';
import { isThenable, onSettled } from './thenable.js';

class BoundStopContext implements StopContext {
  readonly #context: RunContext;
  readonly deadlineMs: number;

  constructor(context: RunContext, deadlineMs: number) {
    this.#context = context;
    this.deadlineMs = deadlineMs;
  }

  get signal(): AbortSignal {
    return this.#context.signal;
  }
}

const stopTimeout = () => new HealthControllerError('stop_timeout', 'the time of this stop is over');

/** One call of a service's `stop`: it settles once, with or without an error, and can be told that its time is over. */
export class StopCall {
  readonly #context = new RunContext();
  #settled = false;
  #error: { readonly thrown: unknown } | undefined;

  get settled(): boolean {
    return this.#settled;
  }

  /** What it threw, if it did. */
  get error(): { readonly thrown: unknown } | undefined {
    return this.#error;
  }

  /** Calls `stop`; `whenSettled` may be called within. `budgetMs` 0: its signal is aborted from the beginning. */
  begin(stop: StopFunction, budgetMs: number, whenSettled: () => void): void {
    if (budgetMs <= 0) this.expire();
    const settle = (error?: { readonly thrown: unknown }): void => {
      this.#settled = true;
      this.#error = error;
      whenSettled();
    };
    let returned: unknown;
    try {
      returned = stop(new BoundStopContext(this.#context, Math.max(0, budgetMs)));
      if (isThenable(returned)) {
        onSettled(
          returned,
          () => settle(),
          (thrown: unknown) => settle({ thrown }),
        );
        return;
      }
    } catch (thrown) {
      settle({ thrown });
      return;
    }
    settle();
  }

  /** Its time is over: its signal aborts. */
  expire(): void {
    if (this.#settled || RunContext.isAborted(this.#context)) return;
    RunContext.abort(this.#context, stopTimeout);
  }
}
