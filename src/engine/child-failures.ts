import type { ChildFailure } from '../core/child.js';

/** So many failures wait for a reader that does not read; older ones are dropped. */
const MOST_WAITING = 1000;

/** Failures for those who read them one after the other. Each reader has a bounded queue of its own. */
export class ChildFailures {
  readonly #readers = new Set<Reader>();
  #over = false;

  push(failure: ChildFailure): void {
    for (const reader of this.#readers) reader.push(failure);
  }

  /** No more will come: readers end once they have read what waits. */
  end(): void {
    this.#over = true;
    for (const reader of this.#readers) reader.end();
  }

  read(): AsyncIterableIterator<ChildFailure> {
    const reader = new Reader(() => this.#readers.delete(reader));
    if (this.#over) reader.end();
    else this.#readers.add(reader);
    return reader;
  }
}

class Reader implements AsyncIterableIterator<ChildFailure> {
  readonly #left: () => void;
  readonly #waiting: ChildFailure[] = [];
  #wanted: ((result: IteratorResult<ChildFailure>) => void)[] = [];
  #over = false;

  constructor(left: () => void) {
    this.#left = left;
  }

  push(failure: ChildFailure): void {
    const wanted = this.#wanted.shift();
    if (wanted !== undefined) {
      wanted({ done: false, value: failure });
      return;
    }
    if (this.#waiting.push(failure) > MOST_WAITING) this.#waiting.shift();
  }

  end(): void {
    this.#over = true;
    this.#left();
    for (const wanted of this.#wanted.splice(0)) wanted({ done: true, value: undefined });
  }

  next(): Promise<IteratorResult<ChildFailure>> {
    const value = this.#waiting.shift();
    if (value !== undefined) return Promise.resolve({ done: false, value });
    if (this.#over) return Promise.resolve({ done: true, value: undefined });
    return new Promise((resolve) => this.#wanted.push(resolve));
  }

  return(): Promise<IteratorResult<ChildFailure>> {
    this.#waiting.length = 0;
    this.end();
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
