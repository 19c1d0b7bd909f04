import type { Clock, TimerHandle } from '../ports/clock.js';

/** A run as its batch sees it. */
export interface BoundRun {
  /** By the monotonic clock. */
  readonly deadline: number;
  /** Whether its run under way is one that this batch began. */
  isRunOf(batch: RunBatch): boolean;
  /** The run under way is past its deadline. */
  expire(): void;
}

/**
 * Runs that were begun together and are waited for together: those of one report, or of one tick of the wheel. One
 * timer bounds them all, and only while something is pending.
 */
export class RunBatch {
  readonly #clock: Clock;
  readonly #keepAlive: boolean;
  readonly #done: () => void;
  #pending = 0;
  #sealed = false;
  #own: BoundRun[] | undefined;
  #timer: TimerHandle | undefined;

  /** `keepAlive`: whether somebody waits for it. `done` is called once, when nothing is pending after {@link seal}. */
  constructor(clock: Clock, keepAlive: boolean, done: () => void) {
    this.#clock = clock;
    this.#keepAlive = keepAlive;
    this.#done = done;
  }

  /** A run that this batch began and whose deadline it watches. */
  began(runner: BoundRun): void {
    this.#pending++;
    if (this.#own === undefined) this.#own = [runner];
    else this.#own.push(runner);
  }

  /** A run that another batch began: waited for, but bounded there. */
  joined(): void {
    this.#pending++;
  }

  settled(): void {
    this.#pending--;
    if (this.#pending === 0 && this.#sealed) this.#finish();
  }

  /** Everything has been begun. */
  seal(): void {
    this.#sealed = true;
    if (this.#pending === 0) this.#finish();
    else this.#arm();
  }

  #finish(): void {
    if (this.#timer !== undefined) this.#clock.clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#own = undefined;
    this.#done();
  }

  #arm(): void {
    const earliest = this.#earliest();
    if (earliest === Number.POSITIVE_INFINITY) return;
    const delay = Math.max(0, earliest - this.#clock.now());
    this.#timer = this.#clock.setTimeout(() => this.#due(), delay, { keepAlive: this.#keepAlive });
  }

  // A deadline may fire late because the loop was blocked: an answer that is already there must win, and sockets are
  // read only after the timers.
  #due(): void {
    this.#timer = undefined;
    if (this.#clock.now() < this.#earliest()) this.#arm();
    else this.#clock.nextTurn(() => this.#expire());
  }

  #earliest(): number {
    let earliest = Number.POSITIVE_INFINITY;
    for (const runner of this.#own ?? []) {
      if (runner.isRunOf(this)) earliest = Math.min(earliest, runner.deadline);
    }
    return earliest;
  }

  #expire(): void {
    const now = this.#clock.now();
    for (const runner of this.#own ?? []) {
      if (runner.isRunOf(this) && runner.deadline <= now) runner.expire();
    }
    if (this.#pending > 0 && this.#timer === undefined) this.#arm();
  }
}
