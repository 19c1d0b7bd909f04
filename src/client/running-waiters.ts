import type { Clock } from '../index.js';
import type { WhenRunningOptions } from './options.js';

/** Those who wait for an instance to run. Each keeps the process alive: it waits for timers that do not. */
export class RunningWaiters {
  readonly #clock: Clock;
  readonly #waiting = new Set<(running: boolean) => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  wait({ signal, timeoutMs = Number.POSITIVE_INFINITY }: WhenRunningOptions): Promise<boolean> {
    if (signal?.aborted === true) return Promise.resolve(false);
    return new Promise((resolve) => {
      const settle = (running: boolean): void => {
        this.#waiting.delete(settle);
        this.#clock.clearTimeout(timer);
        signal?.removeEventListener('abort', expire);
        resolve(running);
      };
      const expire = (): void => settle(false);
      const timer = this.#clock.setTimeout(expire, timeoutMs, { keepAlive: true });
      signal?.addEventListener('abort', expire, { once: true });
      this.#waiting.add(settle);
    });
  }

  settle(running: boolean): void {
    for (const settle of [...this.#waiting]) settle(running);
  }
}
