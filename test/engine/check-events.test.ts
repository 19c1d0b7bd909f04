import { describe, expect, it } from 'vitest';
import { type CheckReturn, degraded, healthy, unhealthy } from '../../src/index.js';
import { bench } from './support/bench.js';
import { turns } from './support/deferred.js';

describe('the event of a check', () => {
  it('comes on a change only', async () => {
    const { clock, controller, check, events } = bench();
    const runs: CheckReturn[] = [
      true,
      healthy('still'),
      degraded('slow'),
      degraded('slower'),
      false,
      unhealthy('x'),
      true,
    ];
    check({ intervalMs: 100, check: () => runs.shift() });
    controller.start();
    await clock.advance(2000);
    expect(events).toEqual([
      '0 db pending->healthy',
      '200 db healthy->degraded',
      '400 db degraded->unhealthy',
      '600 db unhealthy->healthy',
    ]);
  });

  it('carries the result that is shown from now on', async () => {
    const { controller, check } = bench();
    const heard: unknown[] = [];
    controller.on('check', (event) => void heard.push(event));
    check({ intervalMs: 1000, check: () => unhealthy('gone', { a: 1 }, 'connect') });
    controller.start();
    expect(heard).toEqual([
      {
        name: 'db',
        from: 'pending',
        to: 'unhealthy',
        result: {
          status: 'unhealthy',
          message: 'gone',
          data: { a: 1 },
          reason: 'connect',
          timestamp: '2024-01-01T00:00:00.000Z',
          durationMs: 0,
        },
      },
    ]);
  });

  it('of a sync check comes with the report that ran it', async () => {
    const { controller, check, events } = bench();
    const runs: CheckReturn[] = [true, true, false, false, true];
    check({ check: () => runs.shift() });
    controller.start();
    const seen: number[] = [];
    while (runs.length > 0) {
      await controller.status();
      seen.push(events.length);
    }
    expect(seen).toEqual([1, 1, 2, 2, 3]);
    expect(events.map((event) => event.split(' ')[2])).toEqual([
      'pending->healthy',
      'healthy->unhealthy',
      'unhealthy->healthy',
    ]);
  });

  it('finds everything as it says: what the listener reads equals the event', async () => {
    const { controller, clock, check } = bench();
    const runs: CheckReturn[] = [true, false, degraded('slow')];
    const read: unknown[] = [];
    controller.on('check', ({ name, to }) => void read.push([to, controller.checkResult(name)?.status]));
    check({ intervalMs: 100, check: () => runs.shift() });
    controller.start();
    await clock.advance(200);
    expect(read).toEqual([
      ['healthy', 'healthy'],
      ['unhealthy', 'unhealthy'],
      ['degraded', 'degraded'],
    ]);
  });

  it('finds a report that says the same', async () => {
    const { controller, clock, check } = bench();
    const runs: CheckReturn[] = [true, false, true];
    const reports: Promise<boolean>[] = [];
    controller.on('check', () => {
      reports.push(controller.readiness().then((report) => report.overallHealthy));
    });
    check({ intervalMs: 100, check: () => runs.shift() });
    controller.start();
    await clock.advance(200);
    expect(await Promise.all(reports)).toEqual([true, false, true]);
  });

  it('comes for each check by itself, in the order in which they changed', async () => {
    const { controller, clock, check, events } = bench();
    const later = (value: CheckReturn, ms: number) => () =>
      new Promise<CheckReturn>((resolve) => clock.setTimeout(() => resolve(value), ms, { keepAlive: false }));
    check({ name: 'a', intervalMs: 10_000, check: later(false, 20) });
    check({ name: 'b', intervalMs: 10_000, check: later(true, 10) });
    check({ name: 'c', intervalMs: 10_000 });
    controller.start();
    await clock.advance(100);
    expect(events).toEqual(['0 c pending->healthy', '10 b pending->healthy', '20 a pending->unhealthy']);
  });

  it('comes no more to a listener that was taken off, and once to one that asked for one', async () => {
    const { controller, clock, check } = bench();
    let flips = 0;
    check({ intervalMs: 100, check: () => flips++ % 2 === 0 });
    const heard: string[] = [];
    controller.once('check', ({ to }) => void heard.push(`once ${to}`));
    const off = controller.on('check', ({ to }) => void heard.push(`on ${to}`));
    controller.start();
    await clock.advance(100);
    off();
    await clock.advance(500);
    expect(heard).toEqual(['once healthy', 'on healthy', 'on unhealthy']);
  });

  it('comes no more once the controller has stopped, or the check is unregistered', async () => {
    const { controller, clock, check, events } = bench();
    let flips = 0;
    const flip = () => flips++ % 2 === 0;
    check({ name: 'stays', intervalMs: 100, check: flip });
    check({ name: 'goes', intervalMs: 100, check: flip }).unregister();
    controller.start();
    const stopped = controller.stop();
    await clock.advance(0);
    await stopped;
    const before = [...events];
    await clock.advance(1000);
    await turns();
    expect(events).toEqual(before);
    expect(events.some((event) => event.includes('goes'))).toBe(false);
  });
});
