import { describe, expect, it } from 'vitest';
import { type CheckReturn, degraded, healthy, unhealthy } from '../../src/index.js';
import { bench, entryOf } from './support/bench.js';
import { TracedClock } from './support/traced-clock.js';

const START = Date.UTC(2024, 0, 1);
const stamp = (afterMs: number) => new Date(START + afterMs).toISOString();

describe('checkResult', () => {
  it('is undefined for an unknown name, for a service, and before the first result', async () => {
    const { controller, clock, check } = bench();
    controller.register('api', { status: () => true });
    check({ intervalMs: 1000, check: () => new Promise(() => {}) });
    check({ name: 'sync' });
    controller.start();
    await clock.advance(10);
    for (const name of ['nobody', 'api', 'db', 'sync', '__proto__', 'constructor']) {
      expect(controller.checkResult(name)).toBeUndefined();
    }
  });

  it('has every field, and no others', async () => {
    const { controller, clock, check } = bench();
    const runs: CheckReturn[] = [degraded('slow', { ms: 900 }, 'latency'), unhealthy('gone', { a: 1 }, 'connect')];
    check({
      intervalMs: 1000,
      failureThreshold: 2,
      check: () => new Promise((resolve) => clock.setTimeout(() => resolve(runs.shift()), 30, { keepAlive: false })),
    });
    controller.start();
    await clock.advance(30);
    expect(controller.checkResult('db')).toStrictEqual({
      status: 'degraded',
      message: 'slow',
      data: { ms: 900 },
      reason: 'latency',
      timestamp: stamp(30),
      durationMs: 30,
      lastAttempt: { status: 'degraded', message: 'slow', reason: 'latency', timestamp: stamp(30), durationMs: 30 },
      consecutiveFailures: 0,
      consecutiveSuccesses: 1,
      abandoned: 0,
    });
    await clock.advance(1000);
    expect(controller.checkResult('db')).toStrictEqual({
      status: 'degraded',
      message: 'slow',
      data: { ms: 900 },
      reason: 'latency',
      timestamp: stamp(30),
      durationMs: 30,
      lastAttempt: { status: 'unhealthy', message: 'gone', reason: 'connect', timestamp: stamp(1030), durationMs: 30 },
      consecutiveFailures: 1,
      consecutiveSuccesses: 0,
      abandoned: 0,
    });
  });

  it('leaves out what a result does not have', async () => {
    const { controller, check } = bench();
    check();
    await controller.status();
    expect(controller.checkResult('db')).toStrictEqual({
      status: 'healthy',
      timestamp: stamp(0),
      durationMs: 0,
      lastAttempt: { status: 'healthy', timestamp: stamp(0), durationMs: 0 },
      consecutiveFailures: 0,
      consecutiveSuccesses: 1,
      abandoned: 0,
    });
  });

  it('of a sync check is the result of the last report that ran it, and counts in a row', async () => {
    const { controller, clock, check } = bench();
    const runs: CheckReturn[] = [false, false, true];
    check({ check: () => runs.shift() });
    controller.start();
    const seen: unknown[] = [];
    for (let report = 0; report < 3; report += 1) {
      await controller.status();
      const { status, consecutiveFailures, consecutiveSuccesses, timestamp } = controller.checkResult('db') ?? {};
      seen.push([status, consecutiveFailures, consecutiveSuccesses, timestamp]);
      await clock.advance(10);
    }
    expect(seen).toEqual([
      ['unhealthy', 1, 0, stamp(0)],
      ['unhealthy', 2, 0, stamp(10)],
      ['healthy', 0, 1, stamp(20)],
    ]);
  });

  it('gives away nothing that the controller goes by', async () => {
    const { controller, check } = bench();
    check({ intervalMs: 1000, check: () => healthy('fine', { list: [1] }) });
    controller.start();
    const result = controller.checkResult('db');
    try {
      Object.assign(result ?? {}, { status: 'unhealthy' });
    } catch {
      // Frozen will do as well.
    }
    expect(controller.checkResult('db')?.status).toBe('healthy');
    expect(await entryOf(controller)).toMatchObject({ status: 'OK' });
  });

  it('has no negative duration, though the port of time goes backwards', async () => {
    class Backwards extends TracedClock {
      #steps = 0;
      override now() {
        this.#steps += 1;
        return super.now() - this.#steps;
      }
    }
    const { controller, check } = bench({ clock: new Backwards() });
    check();
    check({ name: 'later', check: async () => {} });
    for (const { durationMs } of (await controller.status()).services) expect(durationMs).toBe(0);
  });

  it('stands once the controller has stopped', async () => {
    const { controller, clock, check } = bench();
    check({ intervalMs: 1000 });
    controller.start();
    const stopped = controller.stop();
    await clock.advance(10);
    await stopped;
    expect(controller.checkResult('db')).toMatchObject({ status: 'healthy', timestamp: stamp(0) });
  });
});

describe('the data of a result', () => {
  // Case 33: in both of the ways in which a check runs, and on its way through report and event.
  it.each([0, 1000])('is a copy, JSON-safe and bounded (intervalMs %i)', async (intervalMs) => {
    const { controller, clock, check } = bench();
    const data: Record<string, unknown> = {
      fine: 1,
      big: 2n ** 65n,
      text: 'x'.repeat(20_000),
      get broken() {
        throw new Error('no');
      },
    };
    data.self = data;
    const heard: unknown[] = [];
    controller.on('check', ({ result }) => void heard.push(result.data));
    check({ intervalMs, check: () => healthy('fine', data) });
    controller.start();
    await clock.advance(0);
    const report = await controller.status();
    data.fine = 2;
    for (const copy of [report.services[0]?.data, controller.checkResult('db')?.data, heard[0]]) {
      expect(copy).toMatchObject({ fine: 1 });
      expect(JSON.stringify(copy).length).toBeLessThanOrEqual(8192);
    }
    expect(Object.isFrozen(data)).toBe(false);
    expect(() => JSON.stringify(report)).not.toThrow();
  });

  it('of a service probe is a copy as well', async () => {
    const { controller } = bench();
    const data = { list: [1] };
    controller.register('api', { status: () => healthy('fine', data) });
    const report = await controller.status();
    data.list.push(2);
    expect(report.services[0]?.data).toEqual({ list: [1] });
  });
});
