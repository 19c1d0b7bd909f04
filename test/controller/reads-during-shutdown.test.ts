import { describe, expect, it } from 'vitest';
import { type HealthReport, healthy, type ReportKind, unhealthy } from '../../src/index.js';
import { Deferred, never } from './support/deferred.js';
import { foreground, Stage } from './support/stage.js';

const KINDS: readonly ReportKind[] = ['status', 'liveness', 'readiness'];
const CANCELLED = 'health check cancelled: the controller is shutting down';

function entry(report: HealthReport, name: string) {
  return report.services.find((one) => one.name === name);
}

describe('reads while shutting down', () => {
  it('are answered at once from the call of stop() to the end and after; live, and never ready', async () => {
    // Cases 88 and 89: readiness stayed green, liveness turned red.
    const stage = new Stage({ drainDelayMs: 20_000, holdTimeoutMs: 22_000, shutdownTimeoutMs: 5000 });
    for (const name of ['a', 'b', 'c']) stage.service(name, { status: () => true, stop: never });
    stage.service('run', { start: foreground(never()) });
    stage.controller.registerCheck({ name: 'sync', type: 'both', check: () => true });
    stage.controller.registerCheck({ name: 'polled', type: 'both', check: () => true, intervalMs: 5000 });
    await stage.start();
    expect((await stage.promptly(stage.controller.readiness())).overallHealthy).toBe(true);
    stage.controller.hold('upload');
    const stopped = stage.watch(stage.controller.stop());

    for (; stage.atMs < 30_000; await stage.clock.advance(250)) {
      const { state } = stage.controller;
      const reports = await stage.promptly(Promise.all(KINDS.map((kind) => stage.controller[kind]())));
      expect(state).toBe(stage.atMs < 27_000 ? 'stopping' : 'stopped');
      expect(reports.map(({ overallHealthy }) => overallHealthy)).toEqual([true, true, false]);
      expect(reports.map((report) => report.state)).toEqual([state, state, state]);
      expect(reports[2]?.reason).toBe(state === 'stopping' ? 'draining' : 'stopped');
      expect(stage.controller.names('readiness')).toHaveLength(6);
      expect(stage.controller.serviceInfo('a')?.name).toBe('a');
    }
    expect(stopped.atMs).toBe(27_000);
  });

  it('say draining in the same tick, outranking everything else', async () => {
    // Case 88.
    const stage = new Stage({ drainDelayMs: 1000 });
    stage.service('api', { status: () => unhealthy('down') });
    stage.controller.registerCheck({ name: 'db', check: never, intervalMs: 1000 });
    stage.controller.setMaintenance('by hand');
    await stage.start();
    expect((await stage.promptly(stage.controller.readiness())).reason).toBe('maintenance');
    stage.controller.stop();
    const report = stage.watch(stage.controller.readiness());
    await stage.settle();
    expect(report.value).toMatchObject({ overallHealthy: false, state: 'stopping', reason: 'draining' });
    await stage.close();
  });

  it.each(KINDS)('%s in flight across stop() carries the state at its delivery', async (kind) => {
    const stage = new Stage({ drainDelayMs: 1000 });
    const answer = new Deferred<boolean>();
    stage.controller.registerCheck({ name: 'db', type: 'both', check: () => answer.promise });
    await stage.start();
    const report = stage.watch(stage.controller[kind]());
    await stage.clock.advance(50);
    stage.controller.stop();
    expect(report.settled).toBe(false);
    answer.resolve(true);
    await stage.settle();
    expect(report.value).toMatchObject({
      overallHealthy: kind !== 'readiness',
      state: 'stopping',
      services: [{ name: 'db', status: 'OK' }],
    });
    await stage.close();
  });

  it.each([
    ['nothing', () => {}],
    ['a sync check', (stage: Stage) => stage.controller.registerCheck({ name: 'db', check: () => true })],
    [
      'an async check',
      (stage: Stage) => stage.controller.registerCheck({ name: 'db', check: () => true, intervalMs: 1000 }),
    ],
    [
      'a check that answers in a later turn',
      (stage: Stage) =>
        stage.controller.registerCheck({ name: 'db', check: () => new Promise((done) => setImmediate(done, true)) }),
    ],
    ['a probe', (stage: Stage) => stage.service('api', { readiness: () => healthy() })],
  ])('asked for just before stop(), in one block, and made of %s, is not ready', async (_, registerOn) => {
    const stage = new Stage({ drainDelayMs: 1000 });
    registerOn(stage);
    await stage.start();
    // Whatever may be cached is cached now.
    expect((await stage.promptly(stage.controller.readiness())).overallHealthy).toBe(true);
    const before = stage.controller.readiness();
    stage.controller.stop();
    const after = stage.controller.readiness();
    for (const report of [await stage.promptly(before), await stage.promptly(after)]) {
      expect(report).toMatchObject({ overallHealthy: false, state: 'stopping', reason: 'draining' });
    }
    await stage.close();
  });

  it('asked for just before the parent signal aborts, in one block, is not ready', async () => {
    const parent = new AbortController();
    const stage = new Stage({ signal: parent.signal, drainDelayMs: 1000 });
    await stage.start();
    const report = stage.controller.readiness();
    parent.abort();
    expect(await stage.promptly(report)).toMatchObject({ overallHealthy: false, state: 'stopping' });
    await stage.close();
  });

  it('that wait for a check are delivered with the end of the shutdown, at the latest, and are not ready', async () => {
    const stage = new Stage();
    stage.service('api', { stop: () => stage.lasting(100) });
    stage.controller.registerCheck({ name: 'db', check: never, timeoutMs: 60_000 });
    await stage.start();
    const first = stage.watch(stage.controller.readiness());
    stage.controller.stop();
    const second = stage.watch(stage.controller.readiness());
    await stage.clock.advance(100);
    expect(stage.controller.state).toBe('stopped');
    for (const { value } of [first, second]) {
      expect(value).toMatchObject({
        overallHealthy: false,
        state: 'stopped',
        reason: 'stopped',
        services: [{ name: 'api' }, { name: 'db', reason: 'cancelled' }],
      });
    }
  });
});

describe('checks while stopping', () => {
  it('keep being polled through the drain and every stop, and end with stopped', async () => {
    const stage = new Stage({ drainDelayMs: 3000, shutdownTimeoutMs: 2000 });
    stage.service('api', { stop: never });
    stage.controller.registerCheck({ name: 'db', check: () => stage.note('poll db'), intervalMs: 1000 });
    await stage.start();
    stage.controller.stop();
    await stage.clock.advance(60_000);
    const polls = stage.timeline(/poll/).map((text) => Number.parseInt(text, 10));
    expect(polls.slice(0, 5)).toEqual([0, 1000, 2000, 3000, 4000]);
    expect(polls.filter((at) => at > 5000)).toEqual([]);
    expect(stage.clock.pending).toBe(0);
  });

  it('tell a change while stopping', async () => {
    const stage = new Stage({ drainDelayMs: 3000 });
    stage.controller.registerCheck({ name: 'db', check: () => stage.atMs < 1500, intervalMs: 1000 });
    await stage.start();
    stage.controller.stop();
    await stage.clock.advance(3000);
    expect(stage.timeline(/db/)).toEqual(['0 db pending > healthy', '2000 db healthy > unhealthy']);
  });
});

describe('a service whose stop has been called', () => {
  it('is not probed any more and is OK, reason stopped, while the others still are', async () => {
    const stage = new Stage();
    const probes = { status: () => false, liveness: () => false, readiness: () => false };
    stage.service('a', probes);
    stage.service('b', { ...probes, stop: () => stage.lasting(100) });
    await stage.start();
    stage.controller.stop();
    await stage.settle();
    expect(stage.trace(/^stop/)).toEqual(['stop b']);

    const [status, liveness, readiness] = await stage.promptly(
      Promise.all(KINDS.map((kind) => stage.controller[kind]())),
    );
    expect(stage.trace(/^(status|liveness|readiness) /).sort()).toEqual(['liveness a', 'readiness a', 'status a']);
    for (const report of [status, liveness, readiness]) {
      expect(report && entry(report, 'b')).toMatchObject({ status: 'OK', reason: 'stopped' });
      expect(report && entry(report, 'a')).toMatchObject({ status: 'ERROR', reason: 'failed' });
    }
    await stage.clock.advance(100);
    expect(stage.controller.state).toBe('stopped');
  });

  it('is still probed during the drain', async () => {
    const stage = new Stage({ drainDelayMs: 1000 });
    stage.service('api', { status: () => unhealthy('busy') });
    await stage.start();
    stage.controller.stop();
    await stage.clock.advance(999);
    expect(entry(await stage.promptly(stage.controller.status()), 'api')).toMatchObject({ error: 'busy' });
    await stage.close();
  });
});

describe('once stopped', () => {
  it('nothing is invoked, and every read is answered', async () => {
    const stage = new Stage();
    stage.service('api', { status: () => true, liveness: () => true, readiness: () => true });
    stage.controller.registerCheck({ name: 'sync', type: 'both', check: () => stage.note('check sync') });
    stage.controller.registerCheck({ name: 'polled', check: () => stage.note('check polled'), intervalMs: 1000 });
    await stage.start();
    await stage.promptly(stage.controller.status());
    await stage.close();
    const before = stage.trace(/^(check|status|liveness|readiness|start|stop) /);
    for (let i = 0; i < 20; i++) {
      await stage.promptly(Promise.all(KINDS.map((kind) => stage.controller[kind]())));
      await stage.clock.advance(3_600_000);
    }
    expect(stage.trace(/^(check|status|liveness|readiness|start|stop) /)).toEqual(before);
    expect(stage.clock.pending).toBe(0);
  });

  it('checks keep their last result and do not grow stale', async () => {
    const stage = new Stage();
    stage.controller.registerCheck({ name: 'sync', type: 'both', check: () => unhealthy('down') });
    stage.controller.registerCheck({ name: 'fine', type: 'both', check: () => healthy('12 ms'), intervalMs: 1000 });
    stage.controller.registerCheck({ name: 'sick', type: 'both', check: () => unhealthy('sick'), intervalMs: 1000 });
    await stage.start();
    await stage.promptly(stage.controller.status());
    await stage.close();
    await stage.clock.advance(86_400_000);
    for (const kind of KINDS) {
      const report = await stage.promptly(stage.controller[kind]());
      expect(report.services.map(({ name, status, error }) => [name, status, error])).toEqual([
        ['sync', 'ERROR', 'down'],
        ['fine', 'OK', undefined],
        ['sick', 'ERROR', 'sick'],
      ]);
    }
    expect(stage.controller.checkResult('fine')).toMatchObject({ status: 'healthy', message: '12 ms' });
    expect(stage.trace(/stale/)).toEqual([]);
  });

  it('one without a result is cancelled: ERROR in readiness, OK elsewhere', async () => {
    const stage = new Stage();
    stage.controller.registerCheck({ name: 'sync', type: 'both', check: () => true });
    stage.controller.registerCheck({ name: 'polled', type: 'both', check: never, intervalMs: 1000 });
    await stage.start();
    await stage.close();
    const readiness = await stage.promptly(stage.controller.readiness());
    expect(readiness.services).toMatchObject([
      { name: 'sync', status: 'ERROR', error: CANCELLED, reason: 'cancelled' },
      { name: 'polled', status: 'ERROR', error: CANCELLED, reason: 'cancelled' },
    ]);
    for (const kind of ['status', 'liveness'] as const) {
      const report = await stage.promptly(stage.controller[kind]());
      expect(report.overallHealthy).toBe(true);
      expect(report.services.map(({ status }) => status)).toEqual(['OK', 'OK']);
    }
    expect(stage.controller.checkResult('polled')).toBeUndefined();
  });

  it('one that is not critical and has no result gates nothing either', async () => {
    const stage = new Stage();
    stage.controller.registerCheck({ name: 'cache', critical: false, check: never, intervalMs: 1000 });
    await stage.start();
    await stage.close();
    const { services } = await stage.promptly(stage.controller.readiness());
    expect(services).toMatchObject([{ name: 'cache', status: 'DEGRADED', error: CANCELLED }]);
  });

  it('a check under way is let go: its signal aborts, its late answer changes nothing, and its report is delivered', async () => {
    const stage = new Stage();
    const answer = new Deferred<boolean>();
    let signal: AbortSignal | undefined;
    stage.controller.registerCheck({
      name: 'db',
      timeoutMs: 600_000,
      check: (context) => {
        signal = context.signal;
        return answer.promise;
      },
    });
    await stage.start();
    const report = stage.watch(stage.controller.readiness());
    await stage.settle();
    await stage.close(0);
    expect(stage.clock.pending).toBe(0);
    expect(signal?.aborted).toBe(true);
    expect(report.value?.services).toMatchObject([{ name: 'db', status: 'ERROR', error: CANCELLED }]);
    answer.reject(new Error('late'));
    await stage.settle();
    const { services } = await stage.promptly(stage.controller.readiness());
    expect(services).toMatchObject([{ name: 'db', status: 'ERROR', error: CANCELLED }]);
    expect(stage.trace(/db/)).toEqual([]);
  });
});
