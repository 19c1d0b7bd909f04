import type { Clock } from '../../index.js';

/** A clock that went back by more than this is followed: whatever it said before was wrong for long. */
const FOLLOWED_STEP_MS = 3_600_000;
/** So many instances are remembered; of the one not heard of for the longest time the last stamp is forgotten. */
const REMEMBERED = 100_000;

/**
 * Gives the rows of each instance their time: the wall clock's, but always later than the row before. While the clock
 * stands behind that row by up to an hour, rows follow each other by a millisecond.
 */
export class Stamps {
  readonly #clock: Clock;
  readonly #remembered: number;
  /** In the order in which they were last heard of. */
  readonly #last = new Map<string, number>();

  constructor(clock: Clock, remembered: number = REMEMBERED) {
    this.#clock = clock;
    this.#remembered = remembered;
  }

  next(instanceId: string): number {
    const wall = Math.floor(this.#clock.wall());
    const last = this.#last.get(instanceId);
    const follows = last === undefined || wall > last || last - wall > FOLLOWED_STEP_MS;
    const stamp = follows ? wall : last + 1;
    this.#last.delete(instanceId);
    this.#last.set(instanceId, stamp);
    if (this.#last.size > this.#remembered) this.#forgetOldest();
    return stamp;
  }

  #forgetOldest(): void {
    for (const instanceId of this.#last.keys()) {
      this.#last.delete(instanceId);
      return;
    }
  }
}
