import type { TimerHandle } from '../ports/clock.js';
import type { EngineScope } from './scope.js';

interface Hold {
  readonly name: string;
}

/** What the drain waits for: its delay, and what was held, each hold for a bounded time. */
export class Holds {
  readonly #scope: EngineScope;
  readonly #held = new Set<Hold>();
  #released: (() => void) | undefined;

  constructor(scope: EngineScope) {
    this.#scope = scope;
  }

  /** Holds the drain up until the function returned is called. */
  hold(name: string): () => void {
    const hold: Hold = { name };
    this.#held.add(hold);
    return () => {
      if (this.#held.delete(hold) && this.#held.size === 0) this.#released?.();
    };
  }

  /**
   * Calls back once, when `delayMs` is over and everything held is released or `holdTimeoutMs` is over, with the names
   * of what is still held. Never within the call.
   */
  drain(delayMs: number, holdTimeoutMs: number, drained: (unreleased: readonly string[]) => void): void {
    const { clock } = this.#scope;
    const timers: TimerHandle[] = [];
    let delaying = delayMs > 0;
    let patient = true;
    let over = false;
    const step = (): void => {
      if (over || delaying || (patient && this.#held.size > 0)) return;
      over = true;
      this.#released = undefined;
      for (const timer of timers) clock.clearTimeout(timer);
      drained([...this.#held].map((hold) => hold.name));
    };
    const after = (delay: number, then: () => void): void => {
      timers.push(clock.setTimeout(then, delay, { keepAlive: true }));
    };
    this.#released = step;
    if (delaying) {
      after(delayMs, () => {
        delaying = false;
        step();
      });
    }
    // Armed also with nothing held: what is held during the delay has the same end.
    if (delaying || this.#held.size > 0) {
      after(holdTimeoutMs, () => {
        patient = false;
        step();
      });
    }
    clock.nextTurn(step);
  }
}
