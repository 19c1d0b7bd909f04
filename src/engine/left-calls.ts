/** So many calls that ignore their signal may hang before no further one is made: memory is bounded. */
const MAX_LEFT = 2;
/** After so many timeouts one is written off, so that what comes back is seen again. */
export const WRITE_OFF_TIMEOUTS = 10;

/** Calls to one thing of the user's that outlived their timeout and have not settled: when each began. */
export class LeftCalls {
  readonly #left: { readonly beganAt: number }[] = [];

  /** Whether a further call may be made now. */
  allow(now: number, timeoutMs: number): boolean {
    const oldest = this.#left[0];
    if (this.#left.length < MAX_LEFT || oldest === undefined) return true;
    if (now - oldest.beganAt < WRITE_OFF_TIMEOUTS * timeoutMs) return false;
    this.#left.shift();
    return true;
  }

  /** A call is left behind; the function returned says that it has settled after all. */
  leave(beganAt: number): () => void {
    const call = { beganAt };
    this.#left.push(call);
    return () => {
      const index = this.#left.indexOf(call);
      if (index >= 0) this.#left.splice(index, 1);
    };
  }
}
