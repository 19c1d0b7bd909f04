import type { Deadline, Measured } from './deadline.js';

/** So many calls may be left unsettled before no new one is made. */
const MAX_LEFT = 2;
/** After so many timeouts a call that never settled is written off, so that what comes back is seen again. */
const WRITE_OFF_TIMEOUTS = 10;

/**
 * A function that may hang and ignore its signal. Each call is bounded by the deadline it is made under, and so is the
 * number of calls that are left behind: the endpoint is public, and anybody could make them pile up.
 */
export class PatientCall<Value> {
  readonly #call: (signal: AbortSignal) => Value | PromiseLike<Value>;
  /** When each call began that was left behind. */
  readonly #left: { readonly since: number }[] = [];

  constructor(call: (signal: AbortSignal) => Value | PromiseLike<Value>) {
    this.#call = call;
  }

  async ask(deadline: Deadline): Promise<Measured<Value>> {
    if (this.#atBound(deadline)) return { kind: 'timeout', latencyMs: 0 };
    const entry = { since: deadline.beganAt };
    let settled = false;
    const forget = (): void => {
      settled = true;
      const at = this.#left.indexOf(entry);
      if (at >= 0) this.#left.splice(at, 1);
    };
    const measured = await deadline.measure((signal) => {
      const work = new Promise<Value>((resolve) => resolve(this.#call(signal)));
      work.then(forget, forget);
      return work;
    });
    if (measured.kind === 'timeout' && !settled) this.#left.push(entry);
    return measured;
  }

  #atBound({ beganAt, timeoutMs }: Deadline): boolean {
    const oldest = this.#left[0];
    if (oldest === undefined || this.#left.length < MAX_LEFT) return false;
    if (beganAt - oldest.since < WRITE_OFF_TIMEOUTS * timeoutMs) return true;
    this.#left.shift();
    return false;
  }
}
