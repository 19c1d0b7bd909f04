/** One stretch of a section's life: the word for its state, and when it began, by the monotonic clock. */
export interface Stretch {
  readonly label: string;
  readonly beganAt: number;
}

/** So many are remembered. */
const LENGTH = 8;

/** The words that a source had for its state, one after the other: a ring that never grows. */
export class Timeline {
  #stretches: readonly Stretch[] = [];

  note(now: number, label: string): void {
    if (this.#stretches.at(-1)?.label === label) return;
    this.#stretches = [...this.#stretches, { label, beganAt: now }].slice(-LENGTH);
  }

  /** The oldest first; the last one lasts. */
  get stretches(): readonly Stretch[] {
    return this.#stretches;
  }
}
