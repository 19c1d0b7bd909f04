import type { HealthControllerError } from '../core/errors.js';
import type { Clock, TimerHandle } from '../ports/clock.js';

const ALIVE_MS = 60_000;

/** A restart by hand that somebody waits for: it keeps the process alive until it has settled. */
export class ManualRestart {
  readonly promise: Promise<void>;
  readonly #clock: Clock;
  #alive: TimerHandle;
  #resolve: () => void = () => {};
  #reject: (error: HealthControllerError) => void = () => {};

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#stayAlive();
    this.promise = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  /** It is up or completed; with an error, it has failed. */
  settle(error?: HealthControllerError): void {
    this.#clock.clearTimeout(this.#alive);
    if (error === undefined) this.#resolve();
    else this.#reject(error);
  }

  #stayAlive(): void {
    this.#alive = this.#clock.setTimeout(() => this.#stayAlive(), ALIVE_MS, { keepAlive: true });
  }
}
