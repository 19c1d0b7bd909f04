import type { PageState } from './source.js';

/** So many slots make a strip. */
export const SLOTS = 30;

/** One run of slots that show the same. Undefined: nothing was seen in them. */
export interface StripRun {
  readonly state: PageState | undefined;
  readonly slots: number;
}

const RANK: readonly (PageState | undefined)[] = [undefined, 'ok', 'unknown', 'degraded', 'error'];

/** The worst state that was seen in each of the last slots of time: a ring that never grows. */
export class Strip {
  readonly #slotMs: number;
  /** By the number of the slot modulo their count: the rank of the worst state. */
  readonly #ring = new Uint8Array(SLOTS);
  #newest = Number.NEGATIVE_INFINITY;
  #last: PageState | undefined;

  constructor(slotMs: number) {
    this.#slotMs = slotMs;
  }

  /** A state was seen. `held`: it was known since the last time that what was seen then held until now. */
  note(now: number, state: PageState, held: boolean): void {
    this.#advance(now, held);
    this.#mark(this.#newest, state);
    this.#last = state;
  }

  /** The slots until now, the oldest first. */
  runs(now: number, held: boolean): readonly StripRun[] {
    this.#advance(now, held);
    const runs: { state: PageState | undefined; slots: number }[] = [];
    for (let slot = this.#newest - SLOTS + 1; slot <= this.#newest; slot++) {
      const state = RANK[this.#ring[place(slot)] ?? 0];
      const last = runs.at(-1);
      if (last !== undefined && last.state === state) last.slots++;
      else runs.push({ state, slots: 1 });
    }
    return runs;
  }

  #advance(now: number, held: boolean): void {
    const slot = Math.floor(now / this.#slotMs);
    const from = Math.max(this.#newest + 1, slot - SLOTS + 1);
    for (let next = from; next <= slot; next++) {
      this.#ring[place(next)] = 0;
      if (held && this.#last !== undefined) this.#mark(next, this.#last);
    }
    if (slot > this.#newest) this.#newest = slot;
  }

  #mark(slot: number, state: PageState): void {
    const at = place(slot);
    this.#ring[at] = Math.max(this.#ring[at] ?? 0, RANK.indexOf(state));
  }
}

const place = (slot: number): number => ((slot % SLOTS) + SLOTS) % SLOTS;
