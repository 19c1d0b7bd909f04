import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Controller } from '../../src/index.js';
import { FakeClock } from '../../src/testing/index.js';
import { Deferred, never } from './support/deferred.js';
import { foreground, Stage, untilAborted } from './support/stage.js';

const SIGNALS = ['SIGUSR2', 'SIGTERM', 'SIGINT'] as const;
const counts = () => SIGNALS.map((signal) => process.listenerCount(signal));

/** A controller with one of everything that could be left behind. */
function busy(clock: FakeClock, parent: AbortSignal): Controller {
  const controller = new Controller({
    clock,
    signal: parent,
    signals: [...SIGNALS],
    drainDelayMs: 300,
    holdTimeoutMs: 400,
    shutdownTimeoutMs: 500,
  });
  controller.register('plain', { start: () => {}, stop: () => {}, status: () => true });
  controller.register('foreground', { start: foreground(never()), status: never });
  controller.register('starting', { start: untilAborted, startTimeoutMs: 60_000 });
  controller.register('hangs', { start: () => {}, stop: never, stopTimeoutMs: 200 });
  controller.registerCheck({ name: 'polled', check: () => true, intervalMs: 100, jitter: 0.5 });
  controller.registerCheck({ name: 'hung', check: never, intervalMs: 100, timeoutMs: 50 });
  controller.registerCheck({ name: 'later', check: () => true, intervalMs: 100, initialDelayMs: 60_000 });
  controller.registerCheck({ name: 'inline', check: never });
  for (const name of ['state', 'service', 'check'] as const) controller.on(name, () => {});
  return controller;
}

async function life(clock: FakeClock, parent: AbortSignal): Promise<void> {
  const controller = busy(clock, parent);
  controller.start();
  const reads = Promise.all([controller.readiness(), controller.status(), controller.whenReady()]);
  controller.hold('never released');
  await clock.advance(450);
  const stopped = controller.stop();
  await clock.advance(3000);
  await reads;
  expect((await stopped).unfinished).toEqual(expect.arrayContaining(['hold:never released', 'hangs']));
}

describe('nothing is left behind', () => {
  const warnings: Error[] = [];
  const warned = (warning: Error) => warnings.push(warning);
  beforeEach(() => {
    process.on('warning', warned);
  });
  afterEach(() => {
    process.off('warning', warned);
    expect(warnings.splice(0)).toEqual([]);
  });

  it('by twenty controllers started and stopped in turn', async () => {
    const clock = new FakeClock();
    const parent = new AbortController();
    const before = counts();
    for (let i = 0; i < 20; i++) {
      await life(clock, parent.signal);
      expect(clock.pending).toBe(0);
      expect(counts()).toEqual(before);
      expect(getEventListeners(parent.signal, 'abort')).toEqual([]);
    }
  });

  it('by twelve at once, which share one process listener per signal', async () => {
    const clock = new FakeClock();
    const parents = Array.from({ length: 12 }, () => new AbortController().signal);
    const before = counts();
    const controllers = parents.map((parent) => busy(clock, parent));
    for (const controller of controllers) controller.start();
    await clock.advance(250);
    expect(counts()).toEqual(before.map((count) => count + 1));
    const stopped = Promise.all(controllers.map((controller) => controller.stop()));
    await clock.advance(3000);
    expect(await stopped).toHaveLength(12);
    expect(clock.pending).toBe(0);
    expect(counts()).toEqual(before);
    for (const parent of parents) expect(getEventListeners(parent, 'abort')).toEqual([]);
  });

  it('by ten that one parent signal stops', async () => {
    const clock = new FakeClock();
    const parent = new AbortController();
    const controllers = Array.from({ length: 10 }, () => busy(clock, parent.signal));
    for (const controller of controllers) controller.start();
    parent.abort();
    await clock.advance(3000);
    const outcomes = await Promise.all(controllers.map((controller) => controller.wait()));
    expect(new Set(outcomes.map(({ cause }) => cause))).toEqual(new Set(['parent']));
    expect(clock.pending).toBe(0);
    expect(getEventListeners(parent.signal, 'abort')).toEqual([]);
  });

  it('by one that was never started', () => {
    const clock = new FakeClock();
    const parent = new AbortController();
    const before = counts();
    busy(clock, parent.signal);
    expect(clock.pending).toBe(0);
    expect(counts()).toEqual(before);
    expect(getEventListeners(parent.signal, 'abort')).toEqual([]);
  });

  it('by a fast check with a long timeout', async () => {
    // Case 17: the timer of the timeout outlived the check.
    const stage = new Stage();
    stage.service('api', { status: async () => true, probeTimeoutMs: 30_000 });
    stage.controller.registerCheck({ name: 'inline', check: async () => true, timeoutMs: 30_000 });
    stage.controller.registerCheck({ name: 'soon', check: () => stage.lasting(1), timeoutMs: 30_000 });
    await stage.start();
    await stage.within(1, stage.controller.readiness());
    expect(stage.clock.pending).toBe(0);
    await stage.close();
  });

  it('on the signal of a run or a controller by twenty thousand polls', { timeout: 30_000 }, async () => {
    // Case 18: listeners piled up on a long-lived abort signal.
    const stage = new Stage();
    let run: AbortSignal | undefined;
    stage.service('api', {
      start: ({ signal, ready }) => {
        run = signal;
        ready();
        return never();
      },
    });
    stage.controller.registerCheck({ name: 'db', intervalMs: 1, check: ({ signal }) => !signal.aborted });
    await stage.start();
    for (const signal of [stage.controller.signal, run]) {
      expect(signal && getEventListeners(signal, 'abort').length).toBe(0);
    }
    await stage.clock.advance(20_000);
    for (const signal of [stage.controller.signal, run]) {
      expect(signal && getEventListeners(signal, 'abort').length).toBe(0);
    }
    await stage.close();
  });

  it('to be told by runs, stops and checks that settle after the end', async () => {
    const stage = new Stage({ shutdownTimeoutMs: 100 });
    const late: Deferred<boolean>[] = [];
    const defer = () => {
      const one = new Deferred<boolean>();
      late.push(one);
      return one.promise;
    };
    stage.service('api', { start: foreground(defer()), stop: defer, status: defer });
    stage.controller.registerCheck({ name: 'polled', check: defer, intervalMs: 50, timeoutMs: 10, maxAbandoned: 5 });
    stage.controller.registerCheck({ name: 'inline', check: defer });
    await stage.start();
    const report = stage.watch(stage.controller.status());
    await stage.clock.advance(200);
    await stage.within(100, stage.controller.stop());
    expect(report.settled).toBe(true);
    expect(late.length).toBeGreaterThan(5);
    const trace = stage.trace().length;
    const lines = stage.lines.length;
    for (const [i, one] of late.entries()) {
      if (i % 2) one.reject(new Error('late'));
      else one.resolve(true);
    }
    await stage.clock.advance(60_000);
    expect(stage.trace()).toHaveLength(trace);
    expect(stage.lines).toHaveLength(lines);
    expect(stage.clock.pending).toBe(0);
  });
});
