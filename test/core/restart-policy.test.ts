import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  cleared,
  decideRestart,
  type FailedRun,
  NO_RESTARTS,
  type RestartHistory,
  type RestartPolicySettings,
  restartBegun,
} from '../../src/core/restart-policy.js';

const PLAIN: RestartPolicySettings = {
  maxRestarts: Number.POSITIVE_INFINITY,
  initialBackoffMs: 1000,
  maxBackoffMs: 30_000,
  multiplier: 2,
  jitter: 'none',
  healthFailureThreshold: 0,
  healthCheckIntervalMs: 10_000,
  restartResetIntervalMs: 30_000,
  restartWindowMs: 0,
};

const noChance = () => {
  throw new Error('no chance was asked for');
};

/** A service that fails again and again: what a policy makes of it. Each restart happens when its delay is over. */
class Life {
  now = 0;
  readonly begunAt: number[] = [];
  readonly #policy: RestartPolicySettings | undefined;
  #history: RestartHistory = NO_RESTARTS;

  constructor(policy: Partial<RestartPolicySettings> | undefined) {
    this.#policy = policy === undefined ? undefined : { ...PLAIN, ...policy };
  }

  get count(): number {
    return this.#history.count;
  }

  get remembered(): number {
    return this.#history.restartedAt.length;
  }

  /** One run: the delay of its restart, or undefined when it gives up. */
  run(forMs: number, ended: Partial<FailedRun> = {}): number | undefined {
    this.now += forMs;
    const run = { now: this.now, goodForMs: forMs, startTimedOut: false, ...ended };
    const decision = decideRestart(this.#policy, this.#history, run, noChance);
    this.#history = decision.history;
    if (decision.kind === 'give_up') return undefined;
    this.now += decision.delayMs;
    this.#begin();
    return decision.delayMs;
  }

  byHand(): void {
    this.#history = cleared(this.#history);
    this.#begin();
  }

  #begin(): void {
    this.#history = restartBegun(this.#policy, this.#history, this.now);
    this.begunAt.push(this.now);
  }
}

describe('decideRestart', () => {
  it('gives up without a policy, at the first failure', () => {
    expect(new Life(undefined).run(3_600_000)).toBeUndefined();
  });

  it('restarts maxRestarts times in a row and keeps the count when it gives up', () => {
    const life = new Life({ maxRestarts: 2 });
    expect([life.run(0), life.run(0), life.run(0)]).toEqual([1000, 2000, undefined]);
    expect(life.count).toBe(2);
  });

  it('clears count and delay after a run as good as the reset interval, not after one a millisecond short of it', () => {
    const life = new Life({ restartResetIntervalMs: 5000, maxRestarts: 3 });
    expect([life.run(0), life.run(4999), life.run(5000), life.run(0)]).toEqual([1000, 2000, 1000, 2000]);
    expect(life.count).toBe(2);
  });

  it('goes by how long a run was good, not by how long it lasted', () => {
    // Three polls of 10 s would reset the count at every breach, and giving up would never come.
    const life = new Life({ maxRestarts: 2 });
    const breach = { goodForMs: 10_000 };
    expect([life.run(30_000, breach), life.run(30_000, breach), life.run(30_000, breach)]).toEqual([
      1000,
      2000,
      undefined,
    ]);
  });

  it('never clears them after a start that timed out, however long it took', () => {
    const life = new Life({ maxRestarts: 1 });
    const timedOut = { startTimedOut: true };
    expect([life.run(60_000, timedOut), life.run(60_000, timedOut)]).toEqual([1000, undefined]);
  });

  it('stays at the ceiling after sixty restarts in a row', () => {
    // Case 6: a delay that overflows fires at once.
    const life = new Life({});
    const delays = Array.from({ length: 61 }, () => life.run(0));
    expect(delays.slice(5)).toEqual(Array.from({ length: 56 }, () => 30_000));
    expect(life.count).toBe(61);
  });

  it('bounds restarts in any window too, and not only those in a row', () => {
    // Case 107 (b): it dies a second after each good start, so that nothing counts in a row.
    const policy = { restartResetIntervalMs: 500, initialBackoffMs: 1, maxBackoffMs: 1, maxRestarts: 5 };
    const life = new Life({ ...policy, restartWindowMs: 60_000 });
    const delays = Array.from({ length: 6 }, () => life.run(1000));
    expect(delays).toEqual([1, 1, 1, 1, 1, undefined]);
    const unbounded = new Life(policy);
    expect(Array.from({ length: 600 }, () => unbounded.run(1000))).not.toContain(undefined);
  });

  it('lets a restart leave the window when it is exactly as old as the window is long', () => {
    const life = new Life({
      initialBackoffMs: 1,
      restartResetIntervalMs: 1,
      maxRestarts: 1,
      restartWindowMs: 1000,
    });
    expect(life.run(9)).toBe(1);
    expect(life.run(998)).toBeUndefined();
    // The next restart would begin at 1010; the one before did at 10.
    expect(life.run(1)).toBe(1);
  });

  it('does not escalate one failure a day', () => {
    // Case 107 (a).
    const life = new Life({ maxRestarts: 5, restartWindowMs: 60_000 });
    expect(Array.from({ length: 30 }, () => life.run(86_400_000))).toEqual(Array.from({ length: 30 }, () => 1000));
    expect(life.remembered).toBe(1);
  });

  it('counts a restart by hand in the window, without refusing one', () => {
    const life = new Life({ maxRestarts: 3, restartWindowMs: 60_000, initialBackoffMs: 1, restartResetIntervalMs: 1 });
    for (let time = 0; time < 4; time++) life.byHand();
    expect(life.run(10)).toBeUndefined();
    life.now += 60_000;
    expect(life.run(10)).toBe(1);
  });

  it('begins count and backoff anew after a restart by hand', () => {
    const life = new Life({ maxRestarts: 2 });
    life.run(0);
    life.run(0);
    life.byHand();
    expect([life.run(0), life.run(0), life.run(0)]).toEqual([1000, 2000, undefined]);
  });

  it('begins decorrelated jitter anew after a good run and after a restart by hand', () => {
    const policy: RestartPolicySettings = { ...PLAIN, jitter: 'decorrelated' };
    const grown: RestartHistory = { count: 5, delayMs: 20_000, restartedAt: [] };
    const widest = () => 1 - 2 ** -52;
    const delay = (history: RestartHistory, goodForMs: number) => {
      const decision = decideRestart(policy, history, { now: 0, goodForMs, startTimedOut: false }, widest);
      return decision.kind === 'restart' ? Math.round(decision.delayMs) : undefined;
    };
    expect(delay(grown, 0)).toBe(30_000);
    expect(delay(grown, 30_000)).toBe(3000);
    expect(delay(cleared(grown), 0)).toBe(3000);
  });

  it('remembers no more restarts than a window can hold, and none without one', () => {
    const windowed = new Life({ maxRestarts: 4, restartWindowMs: 1_000_000, restartResetIntervalMs: 1 });
    for (let time = 0; time < 50; time++) {
      windowed.run(300_000);
      windowed.byHand();
    }
    expect(windowed.remembered).toBeLessThanOrEqual(4);
    const plain = new Life({ maxRestarts: 3 });
    for (let time = 0; time < 50; time++) plain.run(60_000);
    expect(plain.remembered).toBe(0);
    const unlimited = new Life({ restartWindowMs: 1_000_000 });
    for (let time = 0; time < 50; time++) unlimited.run(0);
    expect(unlimited.remembered).toBe(0);
  });

  it('never restarts by itself more often than maxRestarts in any window, whoever else restarts', () => {
    // Case 102: a retry path that escapes the budget.
    const step = fc.record({ forMs: fc.integer({ min: 0, max: 20_000 }), byHand: fc.boolean() });
    const policies = fc.record({
      maxRestarts: fc.integer({ min: 1, max: 6 }),
      restartWindowMs: fc.integer({ min: 1, max: 60_000 }),
      initialBackoffMs: fc.integer({ min: 1, max: 5000 }),
      restartResetIntervalMs: fc.integer({ min: 1, max: 10_000 }),
    });
    fc.assert(
      fc.property(policies, fc.array(step, { maxLength: 40 }), (policy, steps) => {
        const life = new Life(policy);
        for (const { forMs, byHand } of steps) {
          const before = life.begunAt.length;
          if (byHand) {
            life.now += forMs;
            life.byHand();
          } else life.run(forMs);
          if (byHand || life.begunAt.length === before) continue;
          const recent = life.begunAt.filter((at) => at > life.now - policy.restartWindowMs);
          expect(recent.length).toBeLessThanOrEqual(policy.maxRestarts);
        }
      }),
    );
  });
});
