import { describe, expect, it } from 'vitest';
import { bench } from './support/bench.js';

const COUNT = 10_000;

describe('ten thousand polled checks', () => {
  it('share one timer, are never early, late by at most 1 % of the interval, and skip nothing', async () => {
    const at = bench();
    /** By interval: all starts of the checks that have it, one list for each. */
    const starts: { intervalMs: number; at: number[] }[] = [];
    for (let index = 0; index < COUNT; index += 1) {
      // 1000 to 10 999 ms, each another.
      const mine = { intervalMs: 1000 + index, at: [] as number[] };
      starts.push(mine);
      at.check({ name: `check ${index}`, intervalMs: mine.intervalMs, check: () => void mine.at.push(at.clock.now()) });
    }
    const exact: number[] = [];
    at.check({ name: 'exact', intervalMs: 997, check: () => void exact.push(at.clock.now()) });
    at.controller.start();
    expect(at.clock.pending).toBe(1);
    await at.clock.advance(22_050);
    expect(at.clock.pending).toBe(1);

    for (const { intervalMs, at: seen } of starts) {
      expect(seen.length).toBeGreaterThanOrEqual(Math.floor(22_000 / intervalMs) + 1);
      for (const [tick, moment] of seen.entries()) {
        const late = moment - tick * intervalMs;
        if (late < 0 || late > Math.min(50, intervalMs / 100))
          throw new Error(`tick ${tick} of ${intervalMs}: ${late}`);
      }
    }
    // Under a second: exact, also in such company.
    expect(exact).toEqual(Array.from({ length: exact.length }, (_, tick) => tick * 997));
    expect(exact.length).toBe(23);
    // The wheel turns on in steps that many checks share, rather than for each tick.
    const ticks = starts.reduce((sum, { at: seen }) => sum + seen.length, 0);
    expect(at.clock.asked.length).toBeLessThan(ticks / 10);
  }, 60_000);

  it('are gone without a timer when each is unregistered', () => {
    const at = bench();
    const handles = Array.from({ length: COUNT }, (_, index) =>
      at.check({ name: `check ${index}`, intervalMs: 1000 + index }),
    );
    at.controller.start();
    for (const handle of handles) handle.unregister();
    expect(at.clock.pending).toBe(0);
    expect(at.controller.names('status')).toEqual([]);
  }, 60_000);

  it('may come and go by the thousand while others are polled', async () => {
    const at = bench();
    let runs = 0;
    at.check({ name: 'stays', intervalMs: 100, check: () => void runs++ });
    at.controller.start();
    for (let round = 0; round < 100; round += 1) {
      const handles = Array.from({ length: 50 }, (_, index) => at.check({ name: `${index}`, intervalMs: 60_000 }));
      await at.clock.advance(100);
      for (const handle of handles) handle.unregister();
    }
    expect(runs).toBe(101);
    expect(at.clock.pending).toBe(1);
    expect(at.controller.names('status')).toEqual(['stays']);
  });
});
