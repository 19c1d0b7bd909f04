import { getEventListeners } from 'node:events';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { CheckReturn } from '../../src/index.js';
import { bench } from './support/bench.js';
import { deferred, turns } from './support/deferred.js';

/** Counts the abort controllers made from now on. */
function countSignals(): { readonly made: number } {
  const count = { made: 0 };
  const Original = globalThis.AbortController;
  vi.stubGlobal(
    'AbortController',
    class extends Original {
      constructor() {
        super();
        count.made += 1;
      }
    },
  );
  return count;
}

afterEach(() => {
  vi.unstubAllGlobals();
});

describe('what a run costs', () => {
  it('a callee that returns a plain value costs no timer, no turn and no signal', async () => {
    const { controller, clock, check } = bench();
    controller.register('api', { status: () => true, liveness: () => false, readiness: () => undefined });
    for (let index = 0; index < 20; index += 1) check({ name: `check ${index}`, type: 'both' });
    controller.start();
    clock.delays();
    clock.turnsAsked = 0;
    const signals = countSignals();
    for (const kind of ['status', 'liveness', 'readiness'] as const) await controller[kind]();
    expect(clock.delays()).toEqual([]);
    expect(clock.turnsAsked).toBe(0);
    expect(signals.made).toBe(0);
  });

  it('a polled check that returns a plain value costs no timer but that of the polling', async () => {
    const { controller, clock, check } = bench();
    for (let index = 0; index < 20; index += 1) check({ name: `check ${index}`, intervalMs: 100 });
    controller.start();
    await turns();
    const signals = countSignals();
    clock.delays();
    await clock.advance(1000);
    // One for each time the wheel turns on, whatever the number of checks.
    expect(clock.delays()).toEqual(Array.from({ length: 10 }, () => 100));
    expect(signals.made).toBe(0);
  });

  it('a signal is made when it is read, once, and not for the runs that do not read it', async () => {
    const { controller, check } = bench();
    check({ name: 'reads', check: ({ signal }) => !signal.aborted && !signal.aborted });
    check({ name: 'does not' });
    controller.start();
    const signals = countSignals();
    await controller.status();
    expect(signals.made).toBe(1);
  });

  it('runs that one report waits for share one timer at a time', async () => {
    const { controller, clock, check } = bench();
    for (let index = 0; index < 50; index += 1) {
      check({ name: `check ${index}`, timeoutMs: 1000 + index, check: () => new Promise(() => {}) });
    }
    controller.start();
    clock.delays();
    const report = controller.status();
    await turns();
    expect(clock.pending).toBe(1);
    expect(clock.delays()).toHaveLength(1);
    await clock.advance(1049);
    // Shared, and yet each had its own timeout.
    const took = (await report).services.map(({ durationMs }) => durationMs);
    expect(took).toEqual(Array.from({ length: 50 }, (_, index) => 1000 + index));
  });

  // Case 17.
  it('no timer is left once a run has settled', async () => {
    const { controller, clock, check } = bench();
    const answer = deferred<CheckReturn>();
    check({ timeoutMs: 30_000, check: () => answer.promise });
    controller.start();
    const report = controller.status();
    await turns();
    expect(clock.pending).toBe(1);
    answer.resolve(true);
    await report;
    expect(clock.pending).toBe(0);
  });

  it('the deadline of a run that a report awaits keeps the process alive, that of a polled run does not', async () => {
    const { controller, clock, check } = bench();
    const never = () => new Promise<CheckReturn>(() => {});
    check({ name: 'awaited', timeoutMs: 500, check: never });
    check({ name: 'polled', timeoutMs: 700, intervalMs: 10_000, check: never });
    controller.start();
    await turns();
    expect(clock.asked.map(({ keepAlive }) => keepAlive)).not.toContain(true);
    clock.delays();
    const report = controller.status();
    await turns();
    expect(clock.asked).toEqual([{ at: 0, delayMs: 500, keepAlive: true }]);
    await clock.advance(500);
    await report;
  });

  // Case 18.
  it('thousands of polls that use their signal leave no listener on the signal of the controller', async () => {
    const { controller, clock, check } = bench();
    check({
      intervalMs: 10,
      timeoutMs: 15,
      check: async ({ signal }) => {
        signal.addEventListener('abort', () => {});
        await Promise.resolve();
      },
    });
    controller.start();
    await clock.advance(10);
    const before = getEventListeners(controller.signal, 'abort').length;
    await clock.advance(10_000);
    expect(getEventListeners(controller.signal, 'abort').length).toBe(before);
    expect(before).toBeLessThanOrEqual(1);
    expect(clock.pending).toBe(1);
  });
});
