import type { PageEntry, PageState } from './source.js';
import { Strip, type StripRun } from './strip.js';

/** For how long an entry has been in its state. */
export interface Since {
  readonly ageMs: number;
  /** Whether it began then; otherwise it has been so for that long at least. */
  readonly exact: boolean;
}

/** What the page remembers of one entry: when it changed, and a strip of what it was. */
export class EntryMemory {
  readonly #strip: Strip;
  #state: PageState | undefined;
  #changedAt = 0;
  #seenChange = false;
  #followed = false;

  readonly #watchedAt: number;

  /** `watchedAt` is when its source began to be watched. */
  constructor(slotMs: number, watchedAt: number) {
    this.#strip = new Strip(slotMs);
    this.#watchedAt = watchedAt;
  }

  /** A reading showed it. */
  read(now: number, { state, followed }: PageEntry): void {
    this.#note(now, state);
    this.#followed = followed === true;
  }

  /** It was told of, between readings: who tells of one change tells of all, unless a reading says otherwise. */
  told(now: number, state: PageState, from: PageState | undefined): void {
    if (this.#state === undefined && from !== undefined) {
      this.#note(this.#watchedAt, from);
      this.#followed = true;
    }
    this.#note(now, state);
    this.#followed = true;
  }

  since(now: number, given: number | undefined): Since {
    if (given !== undefined) return { ageMs: given, exact: true };
    return { ageMs: now - this.#changedAt, exact: this.#seenChange };
  }

  strip(now: number): readonly StripRun[] {
    return this.#strip.runs(now, this.#followed);
  }

  #note(now: number, state: PageState): void {
    // What was followed until now is known to have held.
    this.#strip.note(now, state, this.#followed);
    if (state === this.#state) return;
    this.#seenChange = this.#state !== undefined;
    this.#state = state;
    this.#changedAt = now;
  }
}
