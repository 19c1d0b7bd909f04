/** Something that waits for a place. */
export interface Waiting {
  /** Its place is free: it begins, and gives the place back later, never within this call. */
  admitted(): void;
}

/** So many at one time; the others wait in order. */
export class Slots {
  #limit: number;
  readonly #waiting = new Set<Waiting>();
  #taken = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  take(item: Waiting): void {
    if (this.#taken >= this.#limit) {
      this.#waiting.add(item);
      return;
    }
    this.#taken++;
    item.admitted();
  }

  /** Whoever has waited longest takes the place over. */
  giveBack(): void {
    this.#taken--;
    for (const next of this.#waiting) {
      this.#waiting.delete(next);
      this.take(next);
      break;
    }
  }

  /** Nobody begins any more. */
  close(): void {
    this.#limit = 0;
    this.#waiting.clear();
  }

  /** It waits no more. */
  forget(item: Waiting): void {
    this.#waiting.delete(item);
  }
}
