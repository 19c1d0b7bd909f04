import { describe, expect, it } from 'vitest';
import { type Clock, Controller } from '../../src/index.js';
import { FakeClock } from '../../src/testing/index.js';

// A guard against the hot path growing: operations are counted, since time cannot be repeated.

class CountingClock implements Clock {
  readonly counts = { now: 0, wall: 0, setTimeout: 0, clearTimeout: 0, nextTurn: 0 };
  readonly #inner = new FakeClock();

  now(): number {
    this.counts.now++;
    return this.#inner.now();
  }
  wall(): number {
    this.counts.wall++;
    return this.#inner.wall();
  }
  setTimeout(...args: Parameters<Clock['setTimeout']>): unknown {
    this.counts.setTimeout++;
    return this.#inner.setTimeout(...args);
  }
  clearTimeout(handle: unknown): void {
    this.counts.clearTimeout++;
    this.#inner.clearTimeout(handle);
  }
  nextTurn(callback: () => void): void {
    this.counts.nextTurn++;
    this.#inner.nextTurn(callback);
  }
  advance(ms: number): Promise<void> {
    return this.#inner.advance(ms);
  }
}

async function costOfAReport(checks: number, intervalMs: number, check = async (): Promise<void> => {}) {
  const clock = new CountingClock();
  const controller = new Controller({ clock });
  for (let i = 0; i < checks; i++) {
    controller.registerCheck({ name: `check-${i}`, check, intervalMs, timeoutMs: 1000 });
  }
  controller.start();
  await clock.advance(0);
  await controller.readiness();
  const before = { ...clock.counts };
  await controller.readiness();
  const { now, wall, setTimeout, clearTimeout, nextTurn } = clock.counts;
  await controller.stop();
  return {
    now: now - before.now,
    wall: wall - before.wall,
    setTimeout: setTimeout - before.setTimeout,
    clearTimeout: clearTimeout - before.clearTimeout,
    nextTurn: nextTurn - before.nextTurn,
  };
}

describe('what a report costs', () => {
  it.each([1, 10, 100])(
    'over %i sync checks that settle at once: four readings of the clock and no timer, however many they are',
    async (checks) => {
      expect(await costOfAReport(checks, 0)).toEqual({ now: 4, wall: 1, setTimeout: 0, clearTimeout: 0, nextTurn: 0 });
    },
  );

  it.each([1, 10, 100])('over %i sync checks that take longer: one timer, however many they are', async (checks) => {
    const slow = async () => {
      for (let i = 0; i < 20; i++) await undefined;
    };
    expect(await costOfAReport(checks, 0, slow)).toMatchObject({ setTimeout: 1, clearTimeout: 1, nextTurn: 0 });
  });

  it.each([1, 100, 1000])('over %i cached checks: two readings of the clock and nothing else', async (checks) => {
    expect(await costOfAReport(checks, 60_000)).toEqual({
      now: 2,
      wall: 0,
      setTimeout: 0,
      clearTimeout: 0,
      nextTurn: 0,
    });
  });
});
