import { describe, expect, it } from 'vitest';
import { type CheckReturn, healthy, type ProbeFunction } from '../../src/index.js';
import { bench, entryOf } from './support/bench.js';
import { type Deferred, deferred } from './support/deferred.js';
import { expectNothingUnhandled } from './support/rejections.js';

/** A callee whose runs are answered by hand. */
function byHand() {
  const runs: Deferred<CheckReturn>[] = [];
  const run: ProbeFunction = () => {
    const answer = deferred<CheckReturn>();
    runs.push(answer);
    return answer.promise;
  };
  return { runs, run };
}

describe('runs that outlived their timeout', () => {
  expectNothingUnhandled();

  it('of a sync check are at most two unsettled ones; a report then answers at once, reason timeout', async () => {
    const { controller, clock, check } = bench();
    const { runs, run } = byHand();
    check({ check: run, timeoutMs: 50 });
    controller.start();
    for (const count of [1, 2]) {
      const entry = entryOf(controller);
      await clock.advance(50);
      expect(await entry).toMatchObject({ reason: 'timeout', durationMs: 50 });
      expect(controller.checkResult('db')?.abandoned).toBe(count);
    }
    // No time passes for this one: nothing is begun and nothing is waited for.
    expect(await entryOf(controller)).toMatchObject({
      status: 'ERROR',
      error: 'health check timed out',
      reason: 'timeout',
      durationMs: 0,
    });
    expect(runs).toHaveLength(2);
    expect(clock.pending).toBe(0);
  });

  // Case 16.
  it('of a polled check are bounded, and each tick still records a failure, reason timeout', async () => {
    const { controller, clock, check } = bench();
    const { runs, run } = byHand();
    const handle = check({ check: run, intervalMs: 100, timeoutMs: 50, failureThreshold: 3 });
    controller.start();
    await clock.advance(450);
    expect(runs).toHaveLength(2);
    expect(handle.skippedTicks).toBe(0);
    expect(controller.checkResult('db')).toMatchObject({
      status: 'unhealthy',
      reason: 'timeout',
      durationMs: 0,
      abandoned: 2,
      consecutiveFailures: 5,
    });
  });

  it.each([1, 3])('are at most maxAbandoned: %i', async (maxAbandoned) => {
    const { controller, clock, check } = bench();
    const { runs, run } = byHand();
    check({ check: run, timeoutMs: 50, maxAbandoned });
    controller.start();
    for (let report = 0; report < 6; report += 1) {
      const entry = entryOf(controller);
      await clock.advance(50);
      await entry;
    }
    expect(runs).toHaveLength(maxAbandoned);
    expect(controller.checkResult('db')?.abandoned).toBe(maxAbandoned);
  });

  it('of a probe are bounded as those of a check', async () => {
    const { controller, clock } = bench();
    const { runs, run } = byHand();
    controller.register('api', { status: run, probeTimeoutMs: 50 });
    controller.start();
    for (let report = 0; report < 4; report += 1) {
      const entry = entryOf(controller, 'api');
      await clock.advance(50);
      expect(await entry).toMatchObject({ error: 'probe timed out', reason: 'timeout' });
    }
    expect(runs).toHaveLength(2);
  });

  it.each<[string, (answer: Deferred<CheckReturn> | undefined) => void]>([
    ['resolves', (answer) => answer?.resolve(healthy('late'))],
    ['rejects', (answer) => answer?.reject(new Error('late'))],
  ])('make room for a new run as soon as one %s', async (_what, settle) => {
    const { controller, clock, check } = bench();
    const { runs, run } = byHand();
    check({ check: run, intervalMs: 100, timeoutMs: 50 });
    controller.start();
    await clock.advance(290);
    expect(controller.checkResult('db')?.abandoned).toBe(2);
    settle(runs[1]);
    await clock.advance(0);
    expect(controller.checkResult('db')?.abandoned).toBe(1);
    await clock.advance(10);
    expect(runs).toHaveLength(3);
    runs[2]?.resolve(true);
    await clock.advance(0);
    expect(controller.checkResult('db')?.status).toBe('healthy');
  });

  it('are written off after ten timeouts, the oldest first, so that a dependency that comes back is seen', async () => {
    const { controller, clock, check, events } = bench();
    const starts: number[] = [];
    let healed = false;
    check({
      intervalMs: 100,
      timeoutMs: 90,
      check: () => {
        starts.push(clock.now());
        return healed ? healthy() : new Promise<CheckReturn>(() => {});
      },
    });
    controller.start();
    await clock.advance(899);
    expect(starts).toEqual([0, 100]);
    healed = true;
    await clock.advance(1);
    expect(starts).toEqual([0, 100, 900]);
    expect(controller.checkResult('db')).toMatchObject({ status: 'healthy', abandoned: 1 });
    expect(events).toEqual(['90 db pending->unhealthy', '900 db unhealthy->healthy']);
  });

  it('go on being bounded while the dependency stays away', async () => {
    const { controller, clock, check } = bench();
    let runs = 0;
    check({
      intervalMs: 100,
      timeoutMs: 50,
      check: () => {
        runs += 1;
        return new Promise(() => {});
      },
    });
    controller.start();
    await clock.advance(100_060);
    // Two at once, each written off after 500 ms.
    expect(runs).toBeLessThanOrEqual(2 * (100_000 / 500) + 2);
    expect(controller.checkResult('db')).toMatchObject({ abandoned: 2, reason: 'timeout' });
  });

  it('that settle after they were written off change nothing and free nothing', async () => {
    const { controller, clock, check, events } = bench();
    const { runs, run } = byHand();
    check({ check: run, timeoutMs: 10, maxAbandoned: 1 });
    controller.start();
    const first = entryOf(controller);
    await clock.advance(100);
    await first;
    const second = entryOf(controller);
    await clock.advance(10);
    await second;
    expect(runs).toHaveLength(2);
    expect(controller.checkResult('db')?.abandoned).toBe(1);
    runs[0]?.resolve(true);
    await clock.advance(0);
    expect(controller.checkResult('db')).toMatchObject({ status: 'unhealthy', abandoned: 1 });
    expect(events).toEqual(['10 db pending->unhealthy']);
  });

  // Case 20.
  it('do not overwrite the result of a newer run', async () => {
    const { controller, clock, check, events } = bench();
    const first = deferred<CheckReturn>();
    let runs = 0;
    check({
      intervalMs: 400,
      timeoutMs: 300,
      check: async () => {
        runs += 1;
        return runs === 1 ? first.promise : healthy(`run ${runs}`);
      },
    });
    controller.start();
    await clock.advance(410);
    first.reject(new Error('late'));
    await clock.advance(100);
    expect(controller.checkResult('db')).toMatchObject({ status: 'healthy', message: 'run 2', abandoned: 0 });
    expect(events).toEqual(['300 db pending->unhealthy', '400 db unhealthy->healthy']);
  });

  // Case 27.
  it('that reject after the controller has stopped stay handled', async () => {
    const { controller, clock, check } = bench();
    const { runs, run } = byHand();
    check({ check: run, intervalMs: 100, timeoutMs: 50 });
    controller.start();
    await clock.advance(120);
    await controller.stop();
    for (const answer of runs) answer.reject(new Error('late'));
    expect(runs).toHaveLength(2);
  });
});
