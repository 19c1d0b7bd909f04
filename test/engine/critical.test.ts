import { describe, expect, it } from 'vitest';
import { type CheckReturn, degraded, healthy, unhealthy } from '../../src/index.js';
import { bench, entryOf } from './support/bench.js';
import { never } from './support/polled.js';

describe('a check with critical: false', () => {
  it.each<[string, () => CheckReturn | Promise<CheckReturn>, object]>([
    ['unhealthy', () => unhealthy('gone', { a: 1 }, 'connect'), { error: 'gone', reason: 'connect', data: { a: 1 } }],
    ['false', () => false, { error: 'check returned false', reason: 'failed' }],
    ['no result', () => ({}) as CheckReturn, { reason: 'invalid_result' }],
    ['a rejection', () => Promise.reject(new Error('x')), { error: 'x', reason: 'failed' }],
    ['a panic', () => Promise.reject(1), { reason: 'panicked' }],
    ['degraded', () => degraded('slow'), { error: 'slow' }],
  ])('that gives %s is DEGRADED and gates nothing', async (_what, check, fields) => {
    for (const intervalMs of [0, 1000]) {
      const at = bench();
      at.check({ critical: false, type: 'both', intervalMs, check });
      at.controller.start();
      await at.clock.advance(0);
      for (const kind of ['status', 'liveness', 'readiness'] as const) {
        const report = await at.controller[kind]();
        expect(report.overallHealthy).toBe(true);
        expect(report.services).toMatchObject([{ status: 'DEGRADED', ...fields }]);
      }
    }
  });

  it('that times out is DEGRADED', async () => {
    const at = bench();
    at.check({ critical: false, timeoutMs: 100, check: never });
    at.controller.start();
    const entry = entryOf(at.controller);
    await at.clock.advance(100);
    expect(await entry).toMatchObject({ status: 'DEGRADED', reason: 'timeout' });
  });

  it('that is healthy is OK', async () => {
    const at = bench();
    at.check({ critical: false, check: () => healthy('fine') });
    expect(await entryOf(at.controller)).toMatchObject({ status: 'OK' });
  });

  it('that is pending is DEGRADED in readiness, and OK elsewhere', async () => {
    const at = bench();
    at.check({ critical: false, type: 'both', intervalMs: 1000, check: never });
    at.controller.start();
    const report = await at.controller.readiness();
    expect(report).toMatchObject({
      overallHealthy: true,
      services: [{ status: 'DEGRADED', error: 'check has not completed its first run', reason: 'pending' }],
    });
    for (const kind of ['status', 'liveness'] as const) {
      expect((await at.controller[kind]()).services).toMatchObject([{ status: 'OK' }]);
    }
  });

  it('that is stale is DEGRADED', async () => {
    const at = bench();
    let first = true;
    at.check({
      critical: false,
      intervalMs: 100,
      timeoutMs: 10_000,
      check: () => {
        if (!first) return never();
        first = false;
        return true;
      },
    });
    at.controller.start();
    await at.clock.advance(301);
    expect(await at.controller.readiness()).toMatchObject({
      overallHealthy: true,
      services: [{ status: 'DEGRADED', error: 'cached health result is stale', reason: 'stale' }],
    });
  });

  it('is told of and recorded as what it is', async () => {
    const at = bench();
    at.check({ critical: false, intervalMs: 100, check: () => unhealthy('gone') });
    at.controller.start();
    expect(at.events).toEqual(['0 db pending->unhealthy']);
    expect(at.controller.checkResult('db')?.status).toBe('unhealthy');
  });
});
