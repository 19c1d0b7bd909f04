import { describe, expect, it } from 'vitest';
import { type CheckContext, type HealthCheck, isHealthControllerError } from '../../src/index.js';
import { type Bench, bench } from './support/bench.js';
import { turns } from './support/deferred.js';
import { never } from './support/polled.js';

const KINDS = ['status', 'liveness', 'readiness'] as const;

/** The entry of `db` in each of the three reports, its state and reason only. */
async function entries({ controller }: Bench) {
  const shown: (string | undefined)[] = [];
  for (const kind of KINDS) {
    const entry = (await controller[kind]()).services.find(({ name }) => name === 'db');
    shown.push(entry && [entry.status, entry.reason].filter((part) => part !== undefined).join(' '));
  }
  return shown;
}

const PENDING = ['OK pending', 'OK pending', 'ERROR pending'];

function withCheck(options: Partial<HealthCheck>, controllerOptions = {}) {
  const at = bench(controllerOptions);
  at.check({ type: 'both', ...options });
  return at;
}

describe('a check without a result', () => {
  it('is pending before the start', async () => {
    const at = withCheck({ intervalMs: 1000 });
    expect(await entries(at)).toEqual(PENDING);
    expect((await at.controller.readiness()).services[0]?.error).toBe('check has not completed its first run');
  });

  it('is pending during its initial delay and its first run, however long they take', async () => {
    const at = withCheck({ intervalMs: 1000, initialDelayMs: 50_000, timeoutMs: 100_000, check: never });
    at.controller.start();
    expect(await entries(at)).toEqual(PENDING);
    await at.clock.advance(149_999);
    expect(await entries(at)).toEqual(PENDING);
    await at.clock.advance(1);
    expect(await entries(at)).toEqual(['ERROR timeout', 'ERROR timeout', 'ERROR timeout']);
  });

  it('goes on being pending while the controller is stopping', async () => {
    const at = withCheck({ intervalMs: 1000, timeoutMs: 100_000, check: never }, { drainDelayMs: 5000 });
    at.controller.start();
    const stopped = at.controller.stop();
    await at.clock.advance(2000);
    expect(await entries(at)).toEqual(PENDING);
    await at.clock.advance(5000);
    await stopped;
  });

  it.each([
    ['polled', { intervalMs: 1000, timeoutMs: 100_000, check: never }],
    ['run per report', {}],
  ])('is cancelled once the controller has stopped: one that is %s', async (_what, options) => {
    const at = withCheck(options);
    at.controller.start();
    await turns();
    await at.controller.stop();
    expect(await entries(at)).toEqual(['OK cancelled', 'OK cancelled', 'ERROR cancelled']);
    expect((await at.controller.readiness()).services[0]?.error).toBe(
      'health check cancelled: the controller is shutting down',
    );
    expect(at.controller.checkResult('db')).toBeUndefined();
  });

  it('is DEGRADED where it gates nothing, also once the controller has stopped', async () => {
    const at = withCheck({ critical: false, intervalMs: 1000, timeoutMs: 100_000, check: never });
    at.controller.start();
    expect(await entries(at)).toEqual(['OK pending', 'OK pending', 'DEGRADED pending']);
    await at.controller.stop();
    expect(await entries(at)).toEqual(['OK cancelled', 'OK cancelled', 'DEGRADED cancelled']);
  });
});

describe('a run under way when the controller has stopped', () => {
  it('is left behind: its signal aborts, nothing is recorded or told, and the last result stands', async () => {
    const at = bench();
    const contexts: CheckContext[] = [];
    at.check({
      type: 'both',
      intervalMs: 1000,
      timeoutMs: 100_000,
      check: (context) => {
        contexts.push(context);
        return contexts.length === 1 ? true : never();
      },
    });
    at.controller.start();
    await at.clock.advance(1000);
    expect(contexts).toHaveLength(2);
    const before = at.controller.checkResult('db');
    await at.controller.stop();
    expect(contexts[1]?.signal.aborted).toBe(true);
    expect(isHealthControllerError(contexts[1]?.signal.reason, 'shutdown')).toBe(true);
    expect(at.controller.checkResult('db')).toMatchObject({ ...before, abandoned: expect.any(Number) });
    expect(at.events).toEqual(['0 db pending->healthy']);
    expect(at.clock.pending).toBe(0);
  });

  it('for which a report is waiting lets that report go on, at once', async () => {
    const at = withCheck({ timeoutMs: 100_000, check: never });
    at.controller.start();
    const report = at.controller.readiness();
    await turns();
    await at.controller.stop();
    expect(await report).toMatchObject({
      overallHealthy: false,
      reason: 'stopped',
      services: [{ status: 'ERROR', reason: 'cancelled' }],
    });
    expect(at.clock.pending).toBe(0);
  });
});

describe('a check that blocks the event loop', () => {
  it('is measured by itself: those beside it in a report took their own time', async () => {
    const at = bench();
    at.check({ name: 'blocks', check: () => at.clock.freeze(100) });
    at.check({ name: 'quick' });
    at.check({ name: 'blocks too', check: () => at.clock.freeze(40) });
    at.check({ name: 'quick too' });
    const { services } = await at.controller.status();
    expect(services.map(({ durationMs }) => durationMs)).toEqual([100, 0, 40, 0]);
    const ended = services.map(
      ({ checkedAt }) => Date.parse(checkedAt ?? '') - Date.parse(services[0]?.checkedAt ?? ''),
    );
    expect(ended).toEqual([0, 0, 40, 40]);
  });

  it('takes nothing from the time of the others: each deadline is counted from its own call', async () => {
    const at = bench();
    at.check({ name: 'blocks', check: () => at.clock.freeze(400) });
    at.check({ name: 'hangs', timeoutMs: 500, check: never });
    const report = at.controller.status();
    await at.clock.advance(499);
    expect(at.controller.checkResult('hangs')).toBeUndefined();
    await at.clock.advance(1);
    expect((await report).services).toMatchObject([{ durationMs: 400 }, { reason: 'timeout', durationMs: 500 }]);
  });

  it('is measured by itself also when nothing had ever blocked before', async () => {
    const at = bench();
    let blocksFor = 0;
    at.check({ name: 'blocks', check: () => at.clock.freeze(blocksFor) });
    at.check({ name: 'later', check: async () => {} });
    at.check({ name: 'quick' });
    // What is read of the clock depends on what was seen before.
    await at.controller.status();
    blocksFor = 100;
    const { services } = await at.controller.status();
    expect(services.map(({ durationMs }) => durationMs)).toEqual([100, 0, 0]);
  });

  it('is told from what waits beside it as soon as one report has seen that runs block', async () => {
    const at = bench();
    at.check({
      name: 'blocks',
      check: async () => {
        at.clock.freeze(100);
      },
    });
    at.check({ name: 'later', check: async () => {} });
    for (let report = 0; report < 3; report += 1) {
      const { services } = await at.controller.status();
      // What settles in one go is read at one moment: that of the last call.
      expect(services.map(({ durationMs }) => durationMs)).toEqual([100, 0]);
    }
  });

  it('makes no deadline come early, though nothing had ever blocked before', async () => {
    const at = bench();
    let blocksFor = 0;
    at.check({
      name: 'blocks',
      check: async () => {
        at.clock.freeze(blocksFor);
      },
    });
    at.check({ name: 'hangs', timeoutMs: 500, check: () => (blocksFor > 0 ? never() : true) });
    await at.controller.status();
    blocksFor = 400;
    const report = at.controller.status();
    await at.clock.advance(499);
    expect(at.controller.checkResult('hangs')?.status).toBe('healthy');
    await at.clock.advance(1);
    expect((await report).services).toMatchObject([{ status: 'OK' }, { reason: 'timeout' }]);
  });

  it('and returns after its timeout has a result, since nothing could have been done in between', async () => {
    const at = bench();
    at.check({ timeoutMs: 100, check: () => void at.clock.freeze(5000) });
    expect((await at.controller.status()).services).toMatchObject([{ status: 'OK', durationMs: 5000 }]);
  });

  it('delays the ticks of others, which then go on along their grid', async () => {
    const at = bench();
    const starts: number[] = [];
    let blocked = false;
    at.check({
      name: 'blocks',
      intervalMs: 1000,
      check: () => {
        if (blocked) return;
        blocked = true;
        at.clock.freeze(350);
      },
    });
    at.check({ intervalMs: 100, check: () => void starts.push(at.clock.now()) });
    at.controller.start();
    await at.clock.advance(250);
    expect(starts).toEqual([350, 400, 500, 600]);
  });

  // Pins: the tick that fell into the run was due as soon as it returned, and the loop was blocked without a pause.
  it('for longer than its interval skips the ticks that it has missed', async () => {
    const at = bench();
    const starts: number[] = [];
    at.check({
      intervalMs: 100,
      check: () => {
        starts.push(at.clock.now());
        at.clock.freeze(350);
      },
    });
    at.controller.start();
    await at.clock.advance(1000);
    expect(starts).toEqual([0, 400, 800, 1200]);
  });
});
