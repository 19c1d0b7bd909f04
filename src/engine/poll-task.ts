import { jitteredTick } from '../core/jitter.js';
import { RunBatch } from './run-batch.js';
import type { EngineScope } from './scope.js';
import { Wheel, WheelTask } from './wheel.js';

/** What is polled: a check, as its schedule sees it. */
export interface Polled {
  readonly settings: { readonly intervalMs: number; readonly initialDelayMs: number; readonly jitter: number };
  readonly runner: { readonly running: boolean; begin(batch: RunBatch): void };
  readonly poll: PollTask | undefined;
  staleTask: StaleTask | undefined;
  skippedTicks: number;
  /** From when on its result is stale; Infinity without one. */
  readonly staleFrom: number;
  /** The process has stalled for longer than an interval. */
  trust(): void;
  noticeStale(now: number): void;
}

/** A polled check's place on the wheel. Its ticks lie on a grid that begins with the first run: no drift. */
export class PollTask extends WheelTask {
  readonly #entry: Polled;
  #poller: Poller | undefined;
  #baseAt = 0;
  #tick = 0;

  constructor(entry: Polled) {
    super();
    this.#entry = entry;
  }

  /** Begins the schedule, whose first tick is at `baseAt`: its caller's to run where that is now. */
  begin(poller: Poller, baseAt: number): void {
    this.#poller = poller;
    this.#baseAt = baseAt;
    this.#tick = 0;
  }

  /** Waits for the first tick. */
  wait(): void {
    this.#poller?.wheel.add(this, this.#baseAt, this.#entry.settings.intervalMs);
  }

  end(): void {
    const poller = this.#poller;
    this.#poller = undefined;
    if (poller === undefined) return;
    poller.wheel.remove(this);
    if (this.#entry.staleTask !== undefined) poller.wheel.remove(this.#entry.staleTask);
  }

  /** A tick: runs the check unless it still runs, and places the next one. No tick is caught up with. */
  due(now: number, batch: RunBatch): void {
    const poller = this.#poller;
    if (poller === undefined) return;
    const entry = this.#entry;
    if (now - this.fireAt > entry.settings.intervalMs) entry.trust();
    this.#next(now);
    if (entry.runner.running) entry.skippedTicks++;
    else entry.runner.begin(batch);
    // One that blocks for longer than its interval must not be due again as soon as it returns.
    const after = poller.scope.clock.now();
    if (this.fireAt <= after) this.#next(after);
    this.#watchStale();
  }

  /** A result has come: it grows stale later. */
  recorded(): void {
    const poller = this.#poller;
    if (poller === undefined) return;
    if (this.#entry.staleTask !== undefined) poller.wheel.remove(this.#entry.staleTask);
    this.#watchStale();
  }

  #next(now: number): void {
    const { intervalMs, jitter } = this.#entry.settings;
    const poller = this.#poller;
    if (poller === undefined) return;
    this.#tick++;
    let at = jitteredTick(this.#baseAt + this.#tick * intervalMs, intervalMs, jitter, poller.scope.random);
    if (at <= now) {
      this.#tick = Math.floor((now - this.#baseAt) / intervalMs) + 1;
      at = jitteredTick(this.#baseAt + this.#tick * intervalMs, intervalMs, jitter, poller.scope.random);
    }
    poller.wheel.add(this, at, intervalMs);
  }

  // Only a result that would grow stale before the next tick needs a moment of its own: usually none does.
  #watchStale(): void {
    const entry = this.#entry;
    if (this.#poller === undefined || entry.staleFrom >= this.fireAt) return;
    entry.staleTask ??= new StaleTask(entry);
    this.#poller.wheel.add(entry.staleTask, entry.staleFrom + 1, 0);
  }
}

/** The moment from which a check's result is stale. */
export class StaleTask extends WheelTask {
  readonly #entry: Polled;

  constructor(entry: Polled) {
    super();
    this.#entry = entry;
  }

  due(now: number): void {
    this.#entry.noticeStale(now);
  }
}

/** Polls all async checks of a controller on one wheel. */
export class Poller {
  readonly scope: EngineScope;
  readonly wheel: Wheel<PollTask | StaleTask>;

  constructor(scope: EngineScope) {
    this.scope = scope;
    this.wheel = new Wheel(scope.clock, (tasks, now) => {
      const batch = this.#batch();
      for (const task of tasks) task.due(now, batch);
      batch.seal();
    });
  }

  /** Begins to poll. Those without an initial delay run before this returns. */
  begin(entries: readonly Polled[]): void {
    const batch = this.#batch();
    const now = this.scope.clock.now();
    for (const entry of entries) {
      entry.poll?.begin(this, now + entry.settings.initialDelayMs);
      if (entry.settings.initialDelayMs > 0) entry.poll?.wait();
      else entry.poll?.due(now, batch);
    }
    batch.seal();
  }

  end(): void {
    this.wheel.clear();
  }

  #batch(): RunBatch {
    return new RunBatch(this.scope, false, () => {});
  }
}
