import { describe, expect, it } from 'vitest';
import { type CheckReturn, degraded, type HealthReport, healthy, type ReportKind, unhealthy } from '../../src/index.js';
import { Deferred, never } from './support/deferred.js';
import { foreground, Stage } from './support/stage.js';

const KINDS: readonly ReportKind[] = ['status', 'liveness', 'readiness'];

describe('cases from the field', () => {
  it('a service that handles no work for a day is neither stale nor restarted', async () => {
    // Case 10: no traffic was treated as stale.
    const stage = new Stage();
    stage.service('channel', { start: foreground(never()), status: () => true, stopTimeoutMs: 1 });
    stage.controller.registerCheck({ name: 'channel probe', check: () => true, intervalMs: 5000 });
    await stage.start();
    await stage.clock.advance(86_400_000);
    const report = await stage.promptly(stage.controller.readiness());
    expect(report).toMatchObject({ overallHealthy: true, services: [{ status: 'OK' }, { status: 'OK' }] });
    expect(stage.trace(/^start|stale|retrying/)).toEqual(['start channel']);
    expect(stage.controller.serviceInfo('channel')).toMatchObject({ restartCount: 0, up: true });
    await stage.close();
  });

  it.each([true, false])(
    'a check that is registered anew knows nothing of a previous life that was %s',
    async (was) => {
      // Case 11: an old status survived a restart.
      const stage = new Stage();
      const handle = stage.controller.registerCheck({ name: 'db', check: () => was, intervalMs: 1000 });
      await stage.start();
      expect(stage.controller.checkResult('db')?.status).toBe(was ? 'healthy' : 'unhealthy');
      handle.unregister();
      stage.controller.registerCheck({ name: 'db', check: never, intervalMs: 1000 });
      await stage.clock.advance(1);
      expect(stage.controller.checkResult('db')).toBeUndefined();
      const report = await stage.promptly(stage.controller.readiness());
      expect(report.services).toMatchObject([{ status: 'ERROR', reason: 'pending' }]);
      await stage.close();
    },
  );

  it('a check hung in readiness does not touch liveness', async () => {
    // Case 14: one stuck indicator hung liveness too.
    const stage = new Stage();
    let runs = 0;
    stage.service('api', { readiness: never });
    stage.controller.registerCheck({
      name: 'db',
      check: () => {
        runs++;
        return never();
      },
    });
    await stage.start();
    const readiness = stage.watch(stage.controller.readiness());
    await stage.settle();
    expect(runs).toBe(1);
    expect(await stage.promptly(stage.controller.liveness())).toMatchObject({
      overallHealthy: true,
      services: [{ name: 'api', status: 'OK' }],
    });
    expect(runs).toBe(1);
    expect(readiness.settled).toBe(false);
    await stage.clock.advance(5000);
    expect(readiness.atMs).toBe(5000);
    await stage.close();
  });

  it('ten hung checks and probes take as long as the longest of them', async () => {
    // Case 15: sequential checks summed their timeouts.
    const stage = new Stage();
    for (let i = 0; i < 10; i++) {
      stage.controller.registerCheck({ name: `check ${i}`, check: never, timeoutMs: 1100 + i * 100 });
      stage.service(`service ${i}`, { status: never, probeTimeoutMs: 1050 + i * 100 });
    }
    stage.controller.registerCheck({ name: 'quick', check: () => true });
    await stage.start();
    const report = stage.watch(stage.controller.readiness());
    await stage.clock.advance(10_000);
    expect(report.atMs).toBe(2000);
    const services = report.value?.services ?? [];
    expect(services.filter(({ reason }) => reason === 'timeout')).toHaveLength(20);
    expect(services.at(-1)).toMatchObject({ name: 'quick', status: 'OK' });
    await stage.close();
  });

  it('a caller that goes away changes nothing in the shared run', async () => {
    // Case 35: the caller's own abort was recorded as a failure of the check.
    const stage = new Stage();
    stage.controller.registerCheck({ name: 'db', check: () => stage.lasting(100).then(() => true), timeoutMs: 1000 });
    await stage.start();
    const caller = new AbortController();
    const gone = stage.watch(stage.controller.whenReady({ signal: caller.signal }));
    const stays = stage.watch(stage.controller.readiness());
    await stage.clock.advance(50);
    const lines = stage.lines.length;
    caller.abort();
    await stage.settle();
    expect(gone.value).toBe(false);
    await stage.clock.advance(50);
    expect(stays.value?.overallHealthy).toBe(true);
    expect(stage.controller.checkResult('db')).toMatchObject({
      status: 'healthy',
      consecutiveFailures: 0,
      consecutiveSuccesses: 1,
    });
    expect(stage.lines.slice(lines).filter(({ level }) => level !== 'info' && level !== 'debug')).toEqual([]);
    await stage.close();
  });

  it('with nothing registered liveness is healthy and readiness follows the lifecycle alone', async () => {
    // Case 45: an empty set of checks.
    const stage = new Stage({ drainDelayMs: 1000 });
    const read = async () => {
      const [, liveness, readiness] = await stage.promptly(Promise.all(KINDS.map((kind) => stage.controller[kind]())));
      return [stage.controller.state, liveness?.overallHealthy, readiness?.overallHealthy];
    };
    expect(await read()).toEqual(['never_started', true, false]);
    await stage.start();
    expect(await read()).toEqual(['running', true, true]);
    stage.controller.stop();
    expect(await read()).toEqual(['stopping', true, false]);
    await stage.close();
    expect(await read()).toEqual(['stopped', true, false]);
  });

  it('one sick service leaves the others alone', async () => {
    // Case 106: one sick service restarted all.
    const stage = new Stage();
    const lost = new Deferred();
    for (let i = 0; i < 9; i++) {
      stage.service(`s${i}`, { start: i === 4 ? foreground(lost.promise) : () => {}, status: () => i !== 4 });
    }
    await stage.start();
    const starts = stage.trace(/^start/).length;
    lost.reject(new Error('lost'));
    await stage.clock.advance(600_000);
    expect(stage.trace(/^start/)).toHaveLength(starts);
    expect(stage.trace(/^stop|failed/)).toEqual(['s4 failed:0']);
    const report = await stage.promptly(stage.controller.readiness());
    expect(report.services.filter(({ status }) => status === 'ERROR').map(({ name }) => name)).toEqual(['s4']);
    await stage.close();
  });
});

const STATES = {
  healthy: () => healthy(),
  degraded: () => degraded('slow'),
  unhealthy: () => unhealthy('down'),
  pending: undefined,
  stale: () => healthy(),
} as const;
type State = keyof typeof STATES;
const WORST: Record<'readiness' | 'lenient', Record<State, boolean>> = {
  readiness: { healthy: true, degraded: true, unhealthy: false, pending: false, stale: false },
  lenient: { healthy: true, degraded: true, unhealthy: false, pending: true, stale: false },
};

describe('the truth table of pairs', () => {
  const names = Object.keys(STATES) as State[];
  const pairs = names.flatMap((a) => names.map((b) => [a, b] as const));

  it.each(pairs)('%s and %s: the worse one wins, and no result is never ready', async (...pair) => {
    // Case 31: unknown was aggregated as up.
    const stage = new Stage();
    for (const [i, state] of pair.entries()) {
      const answer = STATES[state];
      const answers: ((() => CheckReturn) | undefined)[] = [answer];
      stage.controller.registerCheck({
        name: `${i} ${state}`,
        type: 'both',
        intervalMs: state === 'stale' ? 1000 : 100_000,
        timeoutMs: 200_000,
        check: () => (answers.shift() ?? never)(),
      });
    }
    await stage.start();
    await stage.clock.advance(3001);
    const reports: HealthReport[] = await stage.promptly(Promise.all(KINDS.map((kind) => stage.controller[kind]())));
    const lenient = pair.every((state) => WORST.lenient[state]);
    const ready = pair.every((state) => WORST.readiness[state]);
    expect(reports.map(({ overallHealthy }) => overallHealthy)).toEqual([lenient, lenient, ready]);
    await stage.close();
  });
});
