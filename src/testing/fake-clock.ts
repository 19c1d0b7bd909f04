import { type Clock, HealthControllerError, type TimerHandle, type TimerOptions } from '../index.js';
import { checkValue, readOptions, systemClock, where } from '../kit.js';

/** Options of a {@link FakeClock}. */
export interface FakeClockOptions {
  /**
   * What `now()` reads at first, in monotonic milliseconds.
   * @defaultValue 0
   */
  readonly nowMs?: number | undefined;
  /**
   * What `wall()` reads at first, in milliseconds since 1970.
   * @defaultValue 1704067200000, which is 2024-01-01T00:00:00.000Z
   */
  readonly wallMs?: number | undefined;
}

/** A timer that has neither fired nor been cleared. */
export interface PendingTimer {
  /** The delay that was asked for. */
  readonly delayMs: number;
  /** When it comes due, by `now()`. */
  readonly dueAt: number;
  /** Whether a real clock would keep the process alive for it. */
  readonly keepAlive: boolean;
}

interface FakeTimer extends PendingTimer {
  readonly callback: () => void;
  readonly order: number;
}

const WALL_MS = 1_704_067_200_000;
/** So many turns in which nothing asked for another one let promises and `setImmediate` come to rest. */
const QUIET_TURNS = 2;
/** More than this at one moment is a loop that would never end. */
const MOST_AT_ONCE = 10_000;

const reading = () => where((value) => Number.isFinite(value), 'a finite number of milliseconds');
const length = () =>
  where((value) => Number.isFinite(value) && Number(value) >= 0, 'a finite number of milliseconds, 0 or more');

/**
 * A clock that stands still until it is told to move. Only time is fake: promises, `setImmediate` and sockets go on as
 * ever. It uses the real `setImmediate`, so do not fake that one beside it.
 *
 * @example
 * ```ts
 * const clock = new FakeClock();
 * const controller = new Controller({ clock });
 * controller.start();
 * await clock.advance(5000);
 * await controller.stop();
 * console.assert(clock.pending === 0);
 * ```
 */
export class FakeClock implements Clock {
  #now: number;
  #wallAhead: number;
  /** By due time, then by the order in which they were set. */
  readonly #timers: FakeTimer[] = [];
  #order = 0;
  #turnCallbacks: (() => void)[] = [];
  #turnAsked = false;
  /** Timers that are due fire before any callback of a turn, as in a real loop. */
  #firing = false;
  #quiet = 0;
  #advances: Promise<void> = Promise.resolve();

  /** @throws HealthControllerError `invalid_option` */
  constructor(options: FakeClockOptions = {}) {
    const given: FakeClockOptions = readOptions('new FakeClock()', { nowMs: reading(), wallMs: reading() }, options);
    this.#now = given.nowMs ?? 0;
    this.#wallAhead = (given.wallMs ?? WALL_MS) - this.#now;
  }

  now(): number {
    return this.#now;
  }

  wall(): number {
    return this.#now + this.#wallAhead;
  }

  /** How many timers have neither fired nor been cleared. After a stop: 0. */
  get pending(): number {
    return this.#timers.length;
  }

  /** Those timers, the next one first. */
  get timers(): readonly PendingTimer[] {
    return this.#timers.map(({ delayMs, dueAt, keepAlive }) => ({ delayMs, dueAt, keepAlive }));
  }

  /**
   * Moves the time on by `ms`, firing timers in due order, those of one moment in the order in which they were set. In
   * between, promises and turns of the loop run; `now()` reads the moment of the timer. What timers set on the way
   * fires too, where it is due by then. 0 lets everything run that needs no time, and fires what is overdue after a
   * {@link FakeClock.freeze}. Calls that overlap come one after the other. Rejects when a timer's callback throws.
   * @throws HealthControllerError `invalid_option`; `timeout` where timers or turns follow each other without end
   */
  advance(ms: number): Promise<void> {
    const advance = this.#advances.then(() => {
      checkValue('advance()', length(), ms);
      return this.#advance(ms);
    });
    this.#advances = advance.catch(() => {});
    return advance;
  }

  /**
   * Lets `ms` pass as they do while the process is blocked: no timer fires until the next {@link FakeClock.advance},
   * which finds them overdue.
   * @throws HealthControllerError `invalid_option`
   */
  freeze(ms: number): void {
    checkValue('freeze()', length(), ms);
    this.#now += ms;
  }

  /**
   * Sets the wall clock, as an administrator or NTP does. Neither `now()` nor any timer takes notice.
   * @throws HealthControllerError `invalid_option`
   */
  setWall(ms: number): void {
    checkValue('setWall()', reading(), ms);
    this.#wallAhead = ms - this.#now;
  }

  setTimeout(callback: () => void, delayMs: number, options: TimerOptions): TimerHandle {
    const dueAt = this.#now + Math.max(delayMs || 0, 0);
    const timer: FakeTimer = { callback, delayMs, dueAt, keepAlive: options.keepAlive, order: this.#order++ };
    let index = this.#timers.length;
    while (index > 0 && (this.#timers[index - 1]?.dueAt ?? 0) > dueAt) index--;
    this.#timers.splice(index, 0, timer);
    return timer;
  }

  clearTimeout(handle: TimerHandle): void {
    const index = this.#timers.indexOf(handle as FakeTimer);
    if (index >= 0) this.#timers.splice(index, 1);
  }

  /** Turns are real: the callback comes without any `advance`, but while one fires timers, after those that are due. */
  nextTurn(callback: () => void): void {
    this.#turnCallbacks.push(callback);
    this.#askForTurn();
  }

  async #advance(ms: number): Promise<void> {
    const until = this.#now + ms;
    let momentsAtOnce = 0;
    await this.#rest();
    for (let next = this.#timers[0]; next !== undefined && next.dueAt <= until; next = this.#timers[0]) {
      momentsAtOnce = next.dueAt > this.#now ? 0 : momentsAtOnce + 1;
      if (momentsAtOnce > MOST_AT_ONCE) throw endless('timers');
      this.#now = Math.max(this.#now, next.dueAt);
      await this.#fireDue();
      await this.#rest();
    }
    this.#now = Math.max(this.#now, until);
  }

  async #fireDue(): Promise<void> {
    const order = this.#order;
    this.#firing = true;
    try {
      // What is set meanwhile for this very moment comes after the next turn.
      for (let timer = this.#timers[0]; isDue(timer, this.#now, order); timer = this.#timers[0]) {
        this.#timers.shift();
        timer.callback();
        await realTurn();
      }
    } finally {
      this.#firing = false;
      if (this.#turnCallbacks.length > 0) this.#askForTurn();
    }
  }

  async #rest(): Promise<void> {
    this.#quiet = 0;
    for (let turns = 0; this.#quiet < QUIET_TURNS; turns++) {
      if (turns > MOST_AT_ONCE) throw endless('turns of the loop');
      this.#quiet++;
      await realTurn();
    }
  }

  #askForTurn(): void {
    if (this.#turnAsked) return;
    this.#turnAsked = true;
    systemClock.nextTurn(() => this.#turn());
  }

  #turn(): void {
    this.#turnAsked = false;
    if (this.#firing) return;
    this.#quiet = 0;
    const callbacks = this.#turnCallbacks;
    this.#turnCallbacks = [];
    for (const callback of callbacks) callback();
  }
}

function isDue(timer: FakeTimer | undefined, now: number, before: number): timer is FakeTimer {
  return timer !== undefined && timer.dueAt <= now && timer.order < before;
}

function realTurn(): Promise<void> {
  return new Promise((resolve) => systemClock.nextTurn(resolve));
}

function endless(what: string): HealthControllerError {
  return new HealthControllerError(
    'timeout',
    `advance(): more than ${MOST_AT_ONCE} ${what} at one moment: a loop without end`,
  );
}
