import type { TimerHandle, TimerOptions } from '../../../src/index.js';
import { FakeClock } from '../../../src/testing/index.js';

/** A fake clock that remembers what was asked of it. */
export class TracedClock extends FakeClock {
  readonly asked: { readonly at: number; readonly delayMs: number; readonly keepAlive: boolean }[] = [];
  turnsAsked = 0;

  override setTimeout(callback: () => void, delayMs: number, options: TimerOptions): TimerHandle {
    this.asked.push({ at: this.now(), delayMs, keepAlive: options.keepAlive });
    return super.setTimeout(callback, delayMs, options);
  }

  override nextTurn(callback: () => void): void {
    this.turnsAsked += 1;
    super.nextTurn(callback);
  }

  /** The delays asked for since the last call, in order. */
  delays(): number[] {
    return this.asked.splice(0).map(({ delayMs }) => delayMs);
  }
}
