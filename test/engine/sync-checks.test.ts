import { describe, expect, it } from 'vitest';
import { type CheckReturn, degraded, healthy, unhealthy } from '../../src/index.js';
import { bench, entryOf } from './support/bench.js';
import { deferred, turns } from './support/deferred.js';
import { never } from './support/polled.js';
import { expectNothingUnhandled } from './support/rejections.js';

describe('a sync check', () => {
  expectNothingUnhandled();

  it('runs once for each report that takes it, and never by itself', async () => {
    const { controller, clock, check } = bench();
    let runs = 0;
    check({
      check: () => {
        runs += 1;
      },
    });
    controller.start();
    await clock.advance(100_000);
    expect(runs).toBe(0);
    expect(controller.checkResult('db')).toBeUndefined();
    for (const expected of [1, 2, 3]) {
      await controller.readiness();
      expect(runs).toBe(expected);
    }
    await controller.liveness();
    expect(runs).toBe(3);
    await controller.status();
    expect(runs).toBe(4);
  });

  it('answers each report anew', async () => {
    const { controller, check } = bench();
    const answers: CheckReturn[] = [true, unhealthy('gone'), degraded('slow'), undefined, false];
    check({ check: () => answers.shift() });
    controller.start();
    const seen: (string | undefined)[] = [];
    while (answers.length > 0) seen.push((await entryOf(controller))?.status);
    expect(seen).toEqual(['OK', 'ERROR', 'DEGRADED', 'OK', 'ERROR']);
  });

  it('runs also before the start, and no more once the controller has stopped', async () => {
    const { controller, check } = bench();
    let runs = 0;
    check({
      check: () => {
        runs += 1;
      },
    });
    expect((await controller.status()).services).toMatchObject([{ name: 'db', status: 'OK' }]);
    expect(runs).toBe(1);
    controller.start();
    await controller.stop();
    expect((await controller.status()).services).toMatchObject([{ name: 'db', status: 'OK' }]);
    expect(runs).toBe(1);
  });

  // Case 36.
  it('runs once for fifty callers at the same time, and again for the next', async () => {
    const { controller, clock, check } = bench();
    let runs = 0;
    let answer = deferred<CheckReturn>();
    check({
      check: () => {
        runs += 1;
        return answer.promise;
      },
    });
    controller.start();
    const reports = Array.from({ length: 50 }, () => controller.readiness());
    await clock.advance(100);
    answer.resolve(healthy('shared'));
    const shown = await Promise.all(reports);
    expect(runs).toBe(1);
    expect(new Set(shown).size).toBe(1);
    expect(shown[0]?.services).toMatchObject([{ status: 'OK', durationMs: 100 }]);

    answer = deferred();
    const next = controller.readiness();
    answer.resolve(false);
    expect((await next).overallHealthy).toBe(false);
    expect(runs).toBe(2);
  });

  it('shares its run between reports of different kinds and of different selections', async () => {
    const { controller, check } = bench();
    let runs = 0;
    const answer = deferred<CheckReturn>();
    check({
      type: 'both',
      check: () => {
        runs += 1;
        return answer.promise;
      },
    });
    check({ name: 'cache' });
    controller.start();
    const reports = [
      controller.status(),
      controller.liveness(),
      controller.readiness(),
      controller.readiness({ only: ['db'] }),
      controller.readiness({ exclude: ['cache'] }),
    ];
    await turns();
    answer.resolve(unhealthy('gone'));
    for (const report of await Promise.all(reports)) {
      expect(report.services.find(({ name }) => name === 'db')).toMatchObject({ status: 'ERROR', error: 'gone' });
    }
    expect(runs).toBe(1);
  });

  it('that a caller joins late answers it at the end of the run under way', async () => {
    const { controller, clock, check } = bench();
    check({ timeoutMs: 1000, check: never });
    controller.start();
    const first = controller.status();
    await clock.advance(900);
    const second = controller.liveness({ only: ['db'] });
    const third = controller.readiness();
    await clock.advance(100);
    expect((await first).services).toMatchObject([{ reason: 'timeout' }]);
    expect((await second).services).toEqual([]);
    expect((await third).services).toMatchObject([{ reason: 'timeout', durationMs: 1000 }]);
    expect(clock.pending).toBe(0);
  });

  it('that asks for a report of its own controller waits for itself no longer than its timeout', async () => {
    const { controller, clock, check } = bench();
    let runs = 0;
    check({
      timeoutMs: 200,
      check: async () => {
        runs += 1;
        return (await controller.readiness()).overallHealthy;
      },
    });
    controller.start();
    const report = controller.status();
    await clock.advance(200);
    expect((await report).services).toMatchObject([{ reason: 'timeout' }]);
    expect(runs).toBe(1);
  });

  // Case 15.
  it('that hangs hangs beside nine others, not after them', async () => {
    const { controller, clock, check } = bench();
    for (let index = 0; index < 10; index += 1) check({ name: `check ${index}`, timeoutMs: 2000, check: never });
    controller.start();
    let done = false;
    const report = controller.readiness().then((shown) => {
      done = true;
      return shown;
    });
    await clock.advance(1999);
    expect(done).toBe(false);
    await clock.advance(1);
    expect(done).toBe(true);
    expect((await report).services.every(({ reason }) => reason === 'timeout')).toBe(true);
  });

  // Case 13.
  it('that hangs changes nothing for the others in the report', async () => {
    const { controller, clock, check } = bench();
    check({ name: 'hung', timeoutMs: 200, check: never });
    check({ name: 'fine', check: async () => healthy('fine') });
    check({ name: 'broken', check: () => Promise.reject(new Error('x')) });
    controller.start();
    const report = controller.readiness();
    await clock.advance(200);
    expect((await report).services).toMatchObject([
      { name: 'hung', status: 'ERROR', reason: 'timeout', durationMs: 200 },
      { name: 'fine', status: 'OK', durationMs: 0 },
      { name: 'broken', status: 'ERROR', error: 'x', durationMs: 0 },
    ]);
  });

  it('of a type that the report does not take is neither run nor waited for', async () => {
    const { controller, clock, check } = bench();
    let runs = 0;
    check({
      type: 'readiness',
      timeoutMs: 200,
      check: () => {
        runs += 1;
        return never();
      },
    });
    controller.start();
    const report = await controller.liveness();
    expect([report.overallHealthy, report.services, runs]).toEqual([true, [], 0]);
    expect(clock.pending).toBe(0);
  });

  it('that is left out by only or exclude is neither run nor waited for', async () => {
    const { controller, check } = bench();
    let runs = 0;
    check({
      check: () => {
        runs += 1;
        return never();
      },
    });
    check({ name: 'cache' });
    controller.start();
    const reports = [await controller.status({ exclude: ['db'] }), await controller.readiness({ only: ['cache'] })];
    for (const { services } of reports) expect(services.map(({ name }) => name)).toEqual(['cache']);
    expect(runs).toBe(0);
  });

  it('has no threshold and grows neither pending nor stale, whatever time passes between reports', async () => {
    const { controller, clock, check } = bench();
    check({ failureThreshold: 1 });
    controller.start();
    expect((await controller.readiness()).services).toMatchObject([{ status: 'OK' }]);
    await clock.advance(2_000_000_000);
    expect((await controller.readiness()).services).toMatchObject([{ status: 'OK' }]);
  });

  // Case 37.
  it('runs for every report, but one that is polled only with time, whatever the number of requests', async () => {
    const { controller, clock, check } = bench();
    let runs = 0;
    check({
      intervalMs: 5000,
      check: async () => {
        runs += 1;
      },
    });
    controller.start();
    for (let second = 0; second < 10; second += 1) {
      for (let request = 0; request < 1000; request += 1) await controller.readiness();
      await clock.advance(1000);
    }
    expect(runs).toBe(3);
  });
});
