import type { RunEnd } from '../core/run-outcome.js';
import type { StartContext, StartFunction } from '../core/settings.js';
import { RunContext } from './run-context.js';
import { isThenable, onSettled } from './thenable.js';

class RunStartContext implements StartContext {
  readonly #context: RunContext;
  readonly ready: () => void;

  constructor(context: RunContext, ready: () => void) {
    this.#context = context;
    this.ready = ready;
  }

  get signal(): AbortSignal {
    return this.#context.signal;
  }
}

/** One run of a service: from the call of `start` until it settles. */
export class ServiceRun {
  readonly #context = new RunContext();
  /** By the monotonic clock. */
  readonly startedAt: number;
  /** Whether it says no more to its service: it was left behind. */
  abandoned = false;
  /** Whether it was left behind because it did not come up in time: no stop was called for it. */
  startTimedOut = false;
  #settled = false;

  constructor(startedAt: number) {
    this.startedAt = startedAt;
  }

  get settled(): boolean {
    return this.#settled;
  }

  /** Whether the controller aborted it. */
  get aborted(): boolean {
    return RunContext.isAborted(this.#context);
  }

  /** Calls `start`; `ended` is called once, perhaps within, `ready` as often as the service says so. */
  begin(start: StartFunction, ready: () => void, ended: (end: RunEnd) => void): void {
    const end = (how: RunEnd): void => {
      this.#settled = true;
      ended(how);
    };
    let returned: unknown;
    try {
      returned = start(new RunStartContext(this.#context, ready));
      if (isThenable(returned)) {
        onSettled(
          returned,
          () => end({ how: 'resolved' }),
          (error: unknown) => end({ how: 'rejected', error }),
        );
        return;
      }
    } catch (error) {
      end({ how: 'rejected', error });
      return;
    }
    end({ how: 'resolved' });
  }

  abort(reason: () => unknown): void {
    RunContext.abort(this.#context, reason);
  }
}
