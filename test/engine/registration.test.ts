import { describe, expect, it } from 'vitest';
import { type CheckReturn, unhealthy } from '../../src/index.js';
import { bench } from './support/bench.js';
import { deferred, turns } from './support/deferred.js';
import { never } from './support/polled.js';
import { expectNothingUnhandled } from './support/rejections.js';

describe('unregister', () => {
  expectNothingUnhandled();

  it('ends the timers of a check, aborts its run, and drops its entry', async () => {
    const at = bench();
    let signal: AbortSignal | undefined;
    const handle = at.check({
      intervalMs: 100,
      timeoutMs: 150,
      check: (context) => {
        signal = context.signal;
        return never();
      },
    });
    at.controller.start();
    await turns();
    expect(at.clock.pending).toBeGreaterThan(0);
    expect(at.controller.names('readiness')).toEqual(['db']);
    handle.unregister();
    expect(at.clock.pending).toBe(0);
    expect(signal?.aborted).toBe(true);
    expect(at.controller.names('readiness')).toEqual([]);
    expect(at.controller.checkResult('db')).toBeUndefined();
    expect(await at.controller.readiness()).toMatchObject({ overallHealthy: true, services: [] });
  });

  it('leaves nothing of a run under way: its answer changes nothing and is told to nobody', async () => {
    const at = bench();
    const answer = deferred<CheckReturn>();
    const handle = at.check({ intervalMs: 100, check: () => answer.promise });
    at.controller.start();
    await turns();
    handle.unregister();
    answer.resolve(unhealthy('late'));
    await at.clock.advance(1000);
    expect(at.events).toEqual([]);
    expect(at.controller.checkResult('db')).toBeUndefined();
  });

  it('takes also the moment at which the last result would have grown stale', async () => {
    const at = bench();
    const handle = at.check({ intervalMs: 1000, staleAfterMs: 500 });
    at.controller.start();
    await at.clock.advance(100);
    handle.unregister();
    expect(at.clock.pending).toBe(0);
  });

  it('from within its own run keeps the answer of that run to itself', async () => {
    const at = bench();
    at.controller.start();
    const handle = at.check({
      intervalMs: 100,
      initialDelayMs: 10,
      check: () => {
        handle.unregister();
        return unhealthy('gone');
      },
    });
    await at.clock.advance(1000);
    expect(at.events).toEqual([]);
    expect(at.lines.filter((line) => line.includes('gone'))).toEqual([]);
    expect(at.clock.pending).toBe(0);
  });

  it('from within its own run ends that run as well', async () => {
    const at = bench();
    at.controller.start();
    let signal: AbortSignal | undefined;
    const handle = at.check({
      intervalMs: 100,
      initialDelayMs: 10,
      check: (context) => {
        signal = context.signal;
        handle.unregister();
        return never();
      },
    });
    await at.clock.advance(10);
    expect(signal?.aborted).toBe(true);
    expect(at.clock.pending).toBe(0);
    await at.clock.advance(10_000);
    expect(at.events).toEqual([]);
  });

  it('lets a report that is waiting for the check go on without it', async () => {
    const at = bench();
    const handle = at.check({ timeoutMs: 1000, check: never });
    at.check({ name: 'cache' });
    at.controller.start();
    const report = at.controller.readiness();
    await turns();
    handle.unregister();
    await turns();
    expect((await report).services.map(({ name }) => name)).toEqual(['cache']);
    expect(at.clock.pending).toBe(0);
  });

  it('frees the name, and takes nothing from who has it next', async () => {
    const at = bench();
    const handle = at.check({ intervalMs: 100, check: () => false });
    at.controller.start();
    handle.unregister();
    at.check({ intervalMs: 100 });
    handle.unregister();
    expect(at.controller.checkResult('db')?.status).toBe('healthy');
    expect(at.controller.names('status')).toEqual(['db']);
  });

  it('twice, before the start, or after the stop does no harm', async () => {
    const at = bench();
    const early = at.check({ intervalMs: 100 });
    early.unregister();
    early.unregister();
    const late = at.check({ name: 'cache', intervalMs: 100 });
    at.controller.start();
    const stopped = at.controller.stop();
    await at.clock.advance(10);
    await stopped;
    late.unregister();
    expect((await at.controller.status()).services).toEqual([]);
  });

  it('of a sync check drops its entry', async () => {
    const at = bench();
    const handle = at.check();
    at.controller.start();
    expect((await at.controller.status()).services).toHaveLength(1);
    handle.unregister();
    expect((await at.controller.status()).services).toHaveLength(0);
  });
});

describe('registerCheck', () => {
  it('is an error once the controller is stopping or stopped', async () => {
    const at = bench({ drainDelayMs: 100 });
    at.controller.start();
    const stopped = at.controller.stop();
    expect(() => at.check()).toThrow(expect.objectContaining({ code: 'stopping' }));
    await at.clock.advance(200);
    await stopped;
    expect(at.controller.state).toBe('stopped');
    expect(() => at.check({ name: 'later' })).toThrow(expect.objectContaining({ code: 'stopping' }));
  });

  it('works where a service was unable to start', async () => {
    const at = bench();
    at.controller.register('api', { start: () => Promise.reject(new Error('x')) });
    at.controller.start();
    await turns();
    expect(at.controller.state).toBe('unable_to_start');
    at.check({ intervalMs: 100 });
    expect(at.controller.checkResult('db')?.status).toBe('healthy');
  });

  it('gives a handle with the name', () => {
    expect(bench().check({ name: 'cache' }).name).toBe('cache');
  });
});
