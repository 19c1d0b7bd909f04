import type { TimerHandle } from '../ports/clock.js';
import type { EngineScope } from './scope.js';
import { soon } from './thenable.js';

/** Beginning all runs of a batch took longer than this: some of them block the loop. */
const BLOCKING_MS = 1;

/** A trivial run settles within so many microtasks: only what is pending after them needs a timer, which costs as much. */
const PATIENCE_MICROTASKS = 4;

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
  readonly #scope: EngineScope;
  readonly #keepAlive: boolean;
  readonly #done: () => void;
  #pending = 0;
  #sealed = false;
  #own: BoundRun[] | undefined;
  /** The earliest deadline of its own runs, once it is looked for; perhaps of one that has settled. */
  #earliest = Number.POSITIVE_INFINITY;
  #timer: TimerHandle | undefined;
  #firstReading: number | undefined;
  #reading = 0;
  #readsEach = true;
  /** By how much its deadlines are later, where one reading served for all: so long their beginning has taken. */
  #graceMs = 0;

  /** `keepAlive`: whether somebody waits for it. `done` is called once, when nothing is pending after {@link seal}. */
  constructor(scope: EngineScope, keepAlive: boolean, done: () => void) {
    this.#scope = scope;
    this.#keepAlive = keepAlive;
    this.#done = done;
  }

  /**
   * When the run that is about to be called begins. The clock is read once for all of them, since a reading costs as
   * much as a trivial run; one by one only where the last batch showed that some of them block.
   */
  startTime(): number {
    if (this.#firstReading === undefined) {
      this.#reading = this.#scope.clock.now();
      this.#firstReading = this.#reading;
      this.#readsEach = this.#scope.runsBlock;
    } else if (this.#readsEach) this.#reading = this.#scope.clock.now();
    return this.#reading;
  }

  /** A run has ended within its own call: the next one begins no earlier. */
  endedAt(reading: number): void {
    this.#reading = reading;
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
    if (this.#pending === 0) {
      this.#finish();
      return;
    }
    const now = this.#scope.clock.now();
    const tookMs = now - (this.#firstReading ?? now);
    this.#graceMs = this.#readsEach ? 0 : tookMs;
    this.#scope.runsBlock = tookMs > BLOCKING_MS;
    if (this.#own !== undefined) this.#armAfter(PATIENCE_MICROTASKS);
  }

  #armAfter(microtasks: number): void {
    let left = microtasks;
    const wait = (): void => {
      if (this.#pending === 0) return;
      if (--left > 0) soon(wait);
      else {
        this.#look();
        this.#arm(this.#scope.clock.now());
      }
    };
    soon(wait);
  }

  #finish(): void {
    if (this.#timer !== undefined) this.#scope.clock.clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#own = undefined;
    this.#done();
  }

  #arm(now: number): void {
    if (this.#earliest === Number.POSITIVE_INFINITY) return;
    const delay = Math.max(0, this.#earliest + this.#graceMs - now);
    this.#timer = this.#scope.clock.setTimeout(() => this.#due(), delay, { keepAlive: this.#keepAlive });
  }

  // A deadline may fire late because the loop was blocked: an answer that is already there must win, and sockets are
  // read only after the timers.
  #due(): void {
    this.#timer = undefined;
    this.#look();
    const now = this.#scope.clock.now();
    if (now < this.#earliest + this.#graceMs) this.#arm(now);
    else this.#scope.clock.nextTurn(() => this.#expire());
  }

  #look(): void {
    this.#earliest = Number.POSITIVE_INFINITY;
    for (const runner of this.#own ?? []) {
      if (runner.isRunOf(this)) this.#earliest = Math.min(this.#earliest, runner.deadline);
    }
  }

  #expire(): void {
    const now = this.#scope.clock.now();
    for (const runner of this.#own ?? []) {
      if (runner.isRunOf(this) && runner.deadline + this.#graceMs <= now) runner.expire();
    }
    if (this.#pending === 0 || this.#timer !== undefined) return;
    this.#look();
    this.#arm(now);
  }
}
