import { describe, expect, it } from 'vitest';
import { type CheckReturn, type HealthCheck, unhealthy } from '../../src/index.js';
import { type Bench, bench } from './support/bench.js';
import { never } from './support/polled.js';

/** A check whose first run takes `tookMs`, and whose second never ends. */
function oneResult(at: Bench, options: Partial<HealthCheck> = {}, answer: CheckReturn = true, tookMs = 0) {
  let runs = 0;
  at.check({
    type: 'both',
    intervalMs: 1000,
    timeoutMs: 1_000_000,
    ...options,
    check: () => {
      runs += 1;
      if (runs > 1) return never();
      if (tookMs === 0) return answer;
      return new Promise((resolve) => {
        at.clock.setTimeout(() => resolve(answer), tookMs, { keepAlive: false });
      });
    },
  });
  at.controller.start();
}

const KINDS = ['status', 'liveness', 'readiness'] as const;

async function expectStale(at: Bench, stale: boolean, status = 'OK') {
  for (const kind of KINDS) {
    const report = await at.controller[kind]();
    expect(report.overallHealthy).toBe(!stale && status !== 'ERROR');
    if (stale) {
      expect(report.services).toMatchObject([
        { status: 'ERROR', error: 'cached health result is stale', reason: 'stale' },
      ]);
    } else {
      expect(report.services).toMatchObject([{ status }]);
      expect(report.services[0]?.reason).not.toBe('stale');
    }
  }
}

describe('the result of a polled check', () => {
  it('older than three intervals is stale in every report; exactly that old is not', async () => {
    const at = bench();
    oneResult(at);
    await at.clock.advance(3000);
    await expectStale(at, false);
    await at.clock.advance(1);
    await expectStale(at, true);
  });

  it('a fraction of a millisecond older is stale in a report', async () => {
    const at = bench();
    oneResult(at);
    await at.clock.advance(3000.25);
    await expectStale(at, true);
  });

  it('is as old as the end of its run', async () => {
    const at = bench();
    oneResult(at, {}, true, 700);
    await at.clock.advance(3700);
    await expectStale(at, false);
    await at.clock.advance(1);
    await expectStale(at, true);
  });

  it('older than its own staleAfterMs is stale', async () => {
    const at = bench();
    oneResult(at, { staleAfterMs: 1234 });
    await at.clock.advance(1234);
    await expectStale(at, false);
    await at.clock.advance(1);
    await expectStale(at, true);
  });

  it('that was unhealthy is stale as well, and shows that it is', async () => {
    const at = bench();
    oneResult(at, {}, unhealthy('gone', undefined, 'connect'));
    await at.clock.advance(3000);
    await expectStale(at, false, 'ERROR');
    await at.clock.advance(1);
    await expectStale(at, true);
  });

  // Case 7.
  it.each([
    ['back', -3_600_000],
    ['on', 3_600_000],
  ])('is as old as the monotonic clock says, though the wall clock steps %s', async (_what, step) => {
    const at = bench();
    oneResult(at);
    at.clock.setWall(at.clock.wall() + step);
    await at.clock.advance(1000);
    await expectStale(at, false);
    await at.clock.advance(2001);
    await expectStale(at, true);
  });

  // Case 9.
  it('is not kept fresh by being read', async () => {
    const at = bench();
    oneResult(at);
    for (let read = 0; read < 30; read += 1) {
      await at.clock.advance(100);
      await expectStale(at, false);
    }
    await at.clock.advance(1);
    await expectStale(at, true);
  });

  // Case 10.
  it('is fresh as long as its runs end in time, whatever else happens or does not for a day', async () => {
    const at = bench();
    at.check({ intervalMs: 60_000 });
    at.controller.start();
    await at.clock.advance(24 * 3_600_000);
    expect((await at.controller.readiness()).overallHealthy).toBe(true);
    expect(at.events).toEqual(['0 db pending->healthy']);
  });

  it('that grows stale is told once, in the log too, and so is its recovery', async () => {
    const at = bench();
    let runs = 0;
    at.check({
      intervalMs: 1000,
      timeoutMs: 20_000,
      check: () => {
        runs += 1;
        if (runs !== 2) return true;
        return new Promise((resolve) => at.clock.setTimeout(() => resolve(true), 9000, { keepAlive: false }));
      },
    });
    at.lines.length = 0;
    at.controller.start();
    const heard: unknown[] = [];
    at.controller.on('check', ({ result }) => void heard.push(result.timestamp));
    const stamp = at.controller.checkResult('db')?.timestamp;
    await at.clock.advance(12_000);
    expect(at.events).toEqual(['0 db pending->healthy', '3001 db healthy->stale', '10000 db stale->healthy']);
    // The event carries the result that grew stale.
    expect(heard[0]).toBe(stamp);
    const lines = at.lines.filter((line) => line.includes('"db"'));
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatch(/stale/);
    expect(lines[1]).toMatch(/healthy/);
  });

  it('that is stale is still given by checkResult, as it was', async () => {
    const at = bench();
    oneResult(at, {}, { status: 'degraded', message: 'slow' });
    const before = at.controller.checkResult('db');
    await at.clock.advance(5000);
    expect(at.controller.checkResult('db')).toMatchObject({ status: 'degraded', timestamp: before?.timestamp });
  });

  it('that times out is a result, which is not stale', async () => {
    const at = bench();
    at.check({ intervalMs: 1000, timeoutMs: 500, check: never });
    at.controller.start();
    await at.clock.advance(10_600);
    expect((await at.controller.readiness()).services).toMatchObject([{ status: 'ERROR', reason: 'timeout' }]);
    expect(at.events).toEqual(['500 db pending->unhealthy']);
  });

  it('does not grow stale once the controller has stopped', async () => {
    const at = bench();
    at.check({ type: 'both', intervalMs: 1000 });
    at.controller.start();
    await at.controller.stop();
    await at.clock.advance(100_000);
    for (const kind of ['status', 'liveness'] as const) {
      expect((await at.controller[kind]()).services).toMatchObject([{ status: 'OK' }]);
    }
    expect(await at.controller.readiness()).toMatchObject({ reason: 'stopped', services: [{ status: 'OK' }] });
  });

  it('grows stale during the drain if its runs stop ending', async () => {
    const at = bench({ drainDelayMs: 10_000 });
    oneResult(at);
    const stopped = at.controller.stop();
    await at.clock.advance(3001);
    await expectStaleDuringDrain(at);
    await at.clock.advance(10_000);
    await stopped;
  });
});

async function expectStaleDuringDrain(at: Bench) {
  expect((await at.controller.liveness()).services).toMatchObject([{ status: 'ERROR', reason: 'stale' }]);
}
