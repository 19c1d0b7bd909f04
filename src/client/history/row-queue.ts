import type { SnapshotRow } from './row.js';
import type { SequencedRow } from './store.js';

/**
 * Rows on their way into the store: those of the batch that is tried, and behind them those that wait. Which of the first
 * are in the store is not known until it has answered, so none of them is ever dropped for want of room.
 */
export class RowQueue {
  readonly #most: number;
  readonly #overflow: 'oldest' | 'newest';
  #sequence = 0;
  #batch: SequencedRow[] = [];
  /** From `#head` on; what lies before it has left. */
  #waiting: SequencedRow[] = [];
  #head = 0;

  constructor(most: number, overflow: 'oldest' | 'newest') {
    this.#most = most;
    this.#overflow = overflow;
  }

  /** All rows that are held. */
  get size(): number {
    return this.#batch.length + this.#waiting.length - this.#head;
  }

  /** Of the row that came last; 0 before the first. */
  get newest(): number {
    return this.#sequence;
  }

  /** Of the row that comes first; infinite where there is none. */
  get oldest(): number {
    return this.#batch[0]?.sequence ?? this.#waiting[this.#head]?.sequence ?? Number.POSITIVE_INFINITY;
  }

  /** How many rows are in a batch that was tried. */
  get tried(): number {
    return this.#batch.length;
  }

  /** Takes a row, and says how many had to go: 0 or 1. */
  push(row: SnapshotRow): number {
    const full = this.size >= this.#most;
    const sequence = ++this.#sequence;
    if (full) {
      if (this.#overflow === 'newest' || this.#head === this.#waiting.length) return 1;
      this.#takeFirst();
    }
    this.#waiting.push({ ...row, sequence });
    return full ? 1 : 0;
  }

  /** The first rows, which count as tried from now on. They stay until they are {@link RowQueue.remove | removed}. */
  head(size: number): readonly SequencedRow[] {
    while (this.#batch.length < size && this.#head < this.#waiting.length) {
      const row = this.#takeFirst();
      if (row !== undefined) this.#batch.push(row);
    }
    return this.#batch.slice(0, size);
  }

  /** The first rows are in the store, or are given up. */
  remove(count: number): void {
    this.#batch.splice(0, count);
  }

  /** Gives up all, and says how many there were. */
  clear(): number {
    const { size } = this;
    this.#batch = [];
    this.#waiting = [];
    this.#head = 0;
    return size;
  }

  #takeFirst(): SequencedRow | undefined {
    const row = this.#waiting[this.#head++];
    // Moved together when half of it has left, so that a row is moved about once.
    if (this.#head > 1024 && this.#head * 2 > this.#waiting.length) {
      this.#waiting = this.#waiting.slice(this.#head);
      this.#head = 0;
    }
    return row;
  }
}
