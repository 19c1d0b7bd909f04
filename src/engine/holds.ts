import type { TimerHandle } from '../ports/clock.js';
import type { EngineScope } from './scope.js';

interface Hold {
  readonly name: string;
  /** By the monotonic clock. */
  readonly takenAt: number;
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
    const hold: Hold = { name, takenAt: this.#scope.clock.now() };
    this.#held.add(hold);
    return () => {
      if (this.#held.delete(hold)) this.#released?.();
    };
  }

  /**
   * Calls back once, never within the call, with the names of what was waited for in vain: when `delayMs` is over, and
   * what was held until then is released or was waited for `holdTimeoutMs`, each from the beginning of the drain or from
   * when it was taken. What is taken later holds up nothing, so that the drain has an end.
   */
  drain(delayMs: number, holdTimeoutMs: number, drained: (unreleased: readonly string[]) => void): void {
    const { clock } = this.#scope;
    const begunAt = clock.now();
    let awaited: readonly Hold[] | undefined;
    let timer: TimerHandle | undefined;
    let over = false;
    const endOf = (hold: Hold): number => Math.max(begunAt, hold.takenAt) + holdTimeoutMs;
    const step = (): void => {
      if (over || awaited === undefined) return;
      if (timer !== undefined) clock.clearTimeout(timer);
      timer = undefined;
      const now = clock.now();
      const held = awaited.filter((hold) => this.#held.has(hold));
      const patient = held.filter((hold) => endOf(hold) > now);
      if (patient.length > 0) {
        const next = Math.min(...patient.map(endOf));
        timer = clock.setTimeout(step, next - now, { keepAlive: true });
        return;
      }
      over = true;
      this.#released = undefined;
      drained(held.map((hold) => hold.name));
    };
    const served = (): void => {
      awaited = [...this.#held];
      step();
    };
    this.#released = step;
    if (delayMs > 0) clock.setTimeout(served, delayMs, { keepAlive: true });
    else clock.nextTurn(served);
  }
}
