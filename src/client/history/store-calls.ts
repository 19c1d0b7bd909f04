import { type Clock, HealthControllerError } from '../../index.js';
import { withDeadline } from '../../kit.js';

/** After so many calls that were not made, one is made nonetheless: what never settles may have been forgotten. */
const PASSED_OVER = 10;

/** Calls of a store, each under a deadline, of which only so many may be unsettled at a time. */
export class StoreCalls {
  readonly #most: number;
  readonly #timeoutMs: number;
  readonly #clock: Clock;
  #unsettled = 0;
  #passedOver = 0;

  constructor(most: number, timeoutMs: number, clock: Clock) {
    this.#most = most;
    this.#timeoutMs = timeoutMs;
    this.#clock = clock;
  }

  /** Rejects as the call does, and with `timeout` where it is late or too many others are. */
  async make<Value>(what: string, call: () => Value | PromiseLike<Value>): Promise<Value> {
    if (this.#unsettled >= this.#most && ++this.#passedOver < PASSED_OVER) {
      throw new HealthControllerError('timeout', `${what}(): ${this.#unsettled} earlier calls have not settled yet`);
    }
    this.#passedOver = 0;
    this.#unsettled++;
    const made = new Promise<Value>((resolve) => resolve(call()));
    const settled = (): void => {
      this.#unsettled--;
    };
    made.then(settled, settled);
    const bounded = await withDeadline(made, this.#timeoutMs, this.#clock);
    if (bounded.settled) return bounded.value;
    throw new HealthControllerError('timeout', `${what}(): the store has not answered within ${this.#timeoutMs} ms`);
  }
}
