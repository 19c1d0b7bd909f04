import { describe, expect, it } from 'vitest';
import { type CheckReturn, healthy } from '../../src/index.js';
import { bench } from './support/bench.js';
import { grid, never, polled } from './support/polled.js';
import { expectNothingUnhandled } from './support/rejections.js';

describe('a polled check', () => {
  expectNothingUnhandled();

  it('does not run before the start, runs within it, then every interval', async () => {
    const at = bench();
    const { starts } = polled(at, { intervalMs: 400 });
    await at.clock.advance(1000);
    expect(starts).toEqual([]);
    at.controller.start();
    expect(starts).toEqual([1000]);
    await at.clock.advance(1600);
    expect(starts).toEqual(grid(1000, 400, 5));
  });

  // Case 40.
  it('has its verdict as soon as its first run ends', async () => {
    const at = bench();
    polled(at, { intervalMs: 60_000 }, 10);
    at.controller.start();
    await at.clock.advance(9);
    expect((await at.controller.readiness()).services).toMatchObject([{ status: 'ERROR', reason: 'pending' }]);
    await at.clock.advance(1);
    expect((await at.controller.readiness()).overallHealthy).toBe(true);
  });

  // Case 1.
  it('never runs twice at a time: a slow run makes ticks skip, without a burst of catching up', async () => {
    const at = bench();
    const { starts, handle } = polled(at, { intervalMs: 100, staleAfterMs: 10_000 }, 350);
    at.controller.start();
    await at.clock.advance(2000);
    expect(starts).toEqual([0, 400, 800, 1200, 1600, 2000]);
    expect(handle.skippedTicks).toBe(15);
    expect(at.controller.checkResult('db')).toMatchObject({ durationMs: 350, consecutiveSuccesses: 5 });
  });

  it('skips no tick for a run that ends in time', async () => {
    const at = bench();
    const { starts, handle } = polled(at, { intervalMs: 100 }, 99);
    at.controller.start();
    await at.clock.advance(1000);
    expect(starts).toEqual(grid(0, 100, 11));
    expect(handle.skippedTicks).toBe(0);
  });

  it('keeps to its grid: no drift over thousands of ticks that each take their time', async () => {
    const at = bench();
    const { starts } = polled(at, { intervalMs: 7 }, 3);
    at.controller.start();
    await at.clock.advance(28_000);
    expect(starts).toEqual(grid(0, 7, 4001));
  });

  // Case 2.
  it('waits initialDelayMs for its first run, and the interval comes after that, not on top of it', async () => {
    const at = bench();
    const { starts } = polled(at, { initialDelayMs: 10_000, intervalMs: 60_000 });
    at.controller.start();
    await at.clock.advance(9999);
    expect(starts).toEqual([]);
    await at.clock.advance(120_001);
    expect(starts).toEqual([10_000, 70_000, 130_000]);
  });

  it('waits for an initial delay longer than its interval', async () => {
    const at = bench();
    const { starts } = polled(at, { initialDelayMs: 1000, intervalMs: 300 });
    at.controller.start();
    await at.clock.advance(1700);
    expect(starts).toEqual([1000, 1300, 1600]);
  });

  it('registered while running runs at once, and is pending until that run has ended', async () => {
    const at = bench();
    at.controller.start();
    await at.clock.advance(1234);
    const { starts } = polled(at, { intervalMs: 500 }, 20);
    expect(starts).toEqual([1234]);
    expect((await at.controller.readiness()).services).toMatchObject([{ status: 'ERROR', reason: 'pending' }]);
    await at.clock.advance(1000);
    expect(starts).toEqual([1234, 1734, 2234]);
    expect((await at.controller.readiness()).overallHealthy).toBe(true);
  });

  it('registered while running counts its initial delay from then', async () => {
    const at = bench();
    at.controller.start();
    await at.clock.advance(1234);
    const { starts } = polled(at, { initialDelayMs: 100, intervalMs: 500 });
    await at.clock.advance(600);
    expect(starts).toEqual([1334, 1834]);
  });

  // Case 22.
  it('goes on after a run that threw, rejected, or panicked, and recovers', async () => {
    const at = bench();
    const runs: (() => CheckReturn | Promise<CheckReturn>)[] = [
      () => healthy(),
      () => {
        throw new Error('thrown');
      },
      () => Promise.reject(new Error('rejected')),
      () => {
        throw undefined;
      },
      () => {
        throw Object.freeze({ code: 1 });
      },
      () => healthy(),
    ];
    const seen: unknown[] = [];
    at.check({ intervalMs: 100, check: () => (runs.shift() ?? (() => true))() });
    at.controller.start();
    for (let tick = 0; tick < 6; tick += 1) {
      await at.clock.advance(tick === 0 ? 0 : 100);
      const result = at.controller.checkResult('db');
      seen.push([result?.status, result?.message]);
    }
    expect(seen).toEqual([
      ['healthy', undefined],
      ['unhealthy', 'thrown'],
      ['unhealthy', 'rejected'],
      ['unhealthy', 'health check panicked: undefined'],
      ['unhealthy', 'health check panicked: {"code":1}'],
      ['healthy', undefined],
    ]);
    expect(runs).toEqual([]);
  });

  // Case 7.
  it('goes by the monotonic clock: steps of the wall clock make it neither early nor late', async () => {
    const at = bench();
    const { starts } = polled(at, { intervalMs: 100 });
    at.controller.start();
    await at.clock.advance(150);
    at.clock.setWall(at.clock.wall() - 3_600_000);
    await at.clock.advance(100);
    at.clock.setWall(at.clock.wall() + 7_200_000);
    await at.clock.advance(150);
    expect(starts).toEqual([0, 100, 200, 300, 400]);
  });

  it('goes on while stopping, and ends with stopped', async () => {
    const at = bench({ drainDelayMs: 250 });
    const { starts } = polled(at, { intervalMs: 100 });
    at.controller.start();
    await at.clock.advance(50);
    const stopped = at.controller.stop();
    await at.clock.advance(1000);
    await stopped;
    expect(at.controller.state).toBe('stopped');
    expect(starts).toEqual([0, 100, 200, 300]);
  });

  it('whose timeout is above two intervals is warned of in the log, once', () => {
    const at = bench();
    polled(at, { name: 'long', intervalMs: 100, timeoutMs: 201 });
    expect(at.lines).toEqual([expect.stringMatching(/^warn: .*"long".*/)]);
    polled(at, { name: 'fine', intervalMs: 100, timeoutMs: 200 });
    polled(at, { name: 'sync', timeoutMs: 60_000 });
    expect(at.lines).toHaveLength(1);
  });

  it('polls with timers that keep no process alive', async () => {
    const at = bench();
    polled(at, { intervalMs: 100, initialDelayMs: 50 });
    polled(at, { name: 'slow', intervalMs: 100 }, 20);
    at.controller.start();
    at.clock.asked.length = 0;
    await at.clock.advance(1);
    expect(at.clock.timers.filter(({ delayMs }) => delayMs !== 20).map(({ keepAlive }) => keepAlive)).not.toContain(
      true,
    );
  });

  // Case 23.
  it('goes on although a listener throws, rejects or never settles, and the logger throws', async () => {
    const broken = () => {
      throw new Error('no');
    };
    const at = bench({ logger: { debug: broken, info: broken, warn: broken, error: broken } });
    at.controller.on('check', broken);
    at.controller.on('check', never);
    at.controller.on('check', () => Promise.reject(new Error('no')));
    const heard: string[] = [];
    at.controller.on('check', ({ to }) => void heard.push(to));
    let runs = 0;
    at.check({
      intervalMs: 100,
      check: () => {
        runs += 1;
        return runs % 2 === 0;
      },
    });
    at.controller.start();
    await at.clock.advance(300);
    expect(runs).toBe(4);
    expect(heard).toEqual(['unhealthy', 'healthy', 'unhealthy', 'healthy']);
    const stopped = at.controller.stop();
    await at.clock.advance(10);
    expect((await stopped).exitCode).toBe(0);
  });

  it('that registers and unregisters checks from within its own run does no harm', async () => {
    const at = bench();
    at.controller.start();
    let inner: string[] = [];
    const handle = at.check({
      intervalMs: 100,
      check: () => {
        inner = [...inner, 'run'];
        if (inner.length === 1) at.check({ name: 'other', intervalMs: 100 });
        if (inner.length === 3) handle.unregister();
        return true;
      },
    });
    await at.clock.advance(1000);
    expect(inner).toHaveLength(3);
    expect(at.controller.names('status')).toEqual(['other']);
    expect(at.controller.checkResult('db')).toBeUndefined();
  });
});
