import type { Logger } from '../index.js';
import { printable } from '../kit.js';

/** Tells of a fault when it begins and when it is over, and not once per request. */
export class Spell {
  readonly #logger: Logger;
  readonly #what: string;
  #failing = false;

  constructor(logger: Logger, what: string) {
    this.#logger = logger;
    this.#what = what;
  }

  failed(error: unknown): void {
    if (this.#failing) return;
    this.#failing = true;
    this.#logger.error(`${this.#what} failed: ${printable(error)}`, { error });
  }

  fine(): void {
    if (!this.#failing) return;
    this.#failing = false;
    this.#logger.info(`${this.#what} works again`);
  }
}
