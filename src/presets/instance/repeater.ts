import type { Clock, TimerHandle } from '../../index.js';

interface Run {
  /** One moment beside those of the grid. */
  readonly extraAt: number | undefined;
  /** The next moment of the grid. */
  gridAt: number;
  /** When the timer is to fire: at that moment, or at an extra one before it. */
  dueAt: number;
}

/**
 * Does something at once, and then at moments a fixed interval apart, never two at a time: where one takes longer, the
 * moments that it covers are skipped.
 */
export class Repeater {
  readonly #clock: Clock;
  readonly #intervalMs: number;
  readonly #action: () => Promise<unknown>;
  #run: Run | undefined;
  #timer: TimerHandle | undefined;
  #keepAlive = false;

  /** `action` must not reject. */
  constructor(clock: Clock, intervalMs: number, action: () => Promise<unknown>) {
    this.#clock = clock;
    this.#intervalMs = intervalMs;
    this.#action = action;
  }

  get started(): boolean {
    return this.#run !== undefined;
  }

  /** Begins, or begins anew. `extraAt`: one moment more, beside those of the grid. */
  start(extraAt?: number): void {
    this.stop();
    const now = this.#clock.now();
    this.#run = { extraAt, gridAt: now, dueAt: now };
    void this.#turn(this.#run);
  }

  stop(): void {
    this.#run = undefined;
    this.#disarm();
  }

  /** Whether its timer keeps the process alive, from now on. */
  keepAlive(keepAlive: boolean): void {
    if (this.#keepAlive === keepAlive) return;
    this.#keepAlive = keepAlive;
    if (this.#timer === undefined || this.#run === undefined) return;
    this.#arm(this.#run);
  }

  async #turn(run: Run): Promise<void> {
    // Before the action and not by the clock: a timer may fire a little early.
    if (run.dueAt === run.gridAt) run.gridAt += this.#intervalMs;
    await this.#action();
    if (this.#run !== run) return;
    const now = this.#clock.now();
    if (run.gridAt <= now) run.gridAt += this.#intervalMs * (Math.floor((now - run.gridAt) / this.#intervalMs) + 1);
    const { extraAt } = run;
    run.dueAt = extraAt !== undefined && extraAt > now && extraAt < run.gridAt ? extraAt : run.gridAt;
    this.#arm(run);
  }

  #arm(run: Run): void {
    this.#disarm();
    const fire = () => {
      this.#timer = undefined;
      void this.#turn(run);
    };
    this.#timer = this.#clock.setTimeout(fire, Math.max(0, run.dueAt - this.#clock.now()), {
      keepAlive: this.#keepAlive,
    });
  }

  #disarm(): void {
    if (this.#timer !== undefined) this.#clock.clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
