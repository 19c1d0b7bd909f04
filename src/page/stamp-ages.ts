import type { Clock } from '../index.js';

interface Seen {
  readonly stamp: string;
  /** When what is stamped was made, by the monotonic clock, as well as it can be told. */
  readonly at: number;
}

/**
 * Ages of results that carry a stamp of the wall clock. That clock may be set, so it is believed only once for each
 * result: a new one cannot be older than the reading before it.
 */
export class StampAges {
  #seen = new Map<string, Seen>();
  #readAt = Number.NEGATIVE_INFINITY;

  /** The ages in milliseconds of what a reading shows, by name. `all`: whatever is not among them is forgotten. */
  read(
    stamps: Iterable<readonly [name: string, stamp: string]>,
    clock: Clock,
    all: boolean,
  ): ReadonlyMap<string, number> {
    const now = clock.now();
    const seen = all ? new Map<string, Seen>() : this.#seen;
    const ages = new Map<string, number>();
    for (const [name, stamp] of stamps) {
      const before = this.#seen.get(name);
      const known = before?.stamp === stamp ? before : { stamp, at: this.#madeAt(stamp, before !== undefined, clock) };
      seen.set(name, known);
      ages.set(name, now - known.at);
    }
    this.#seen = seen;
    if (all) this.#readAt = now;
    return ages;
  }

  #madeAt(stamp: string, isNext: boolean, clock: Clock): number {
    const now = clock.now();
    const at = Math.min(now, now - (clock.wall() - Date.parse(stamp)));
    return isNext ? Math.max(at, this.#readAt) : at;
  }
}
