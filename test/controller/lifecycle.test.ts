import { getEventListeners } from 'node:events';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LifecycleState } from '../../src/index.js';
import { Deferred, never } from './support/deferred.js';
import { Stage, untilAborted } from './support/stage.js';

const failing = {
  start: () => {
    throw new Error('no port');
  },
};

describe('start', () => {
  it('is running when it returns, and starts every service at the same time', async () => {
    const stage = new Stage();
    expect(stage.controller.state).toBe('never_started');
    stage.service('a', { start: never });
    stage.service('b', { start: never });
    stage.controller.start();
    expect(stage.controller.state).toBe('running');
    await stage.settle();
    expect(stage.timeline(/^start/)).toEqual(['0 start a', '0 start b']);
    await stage.close();
  });

  it('touches neither clock nor process before it is called', () => {
    const stage = new Stage({ signals: ['SIGUSR2'], signal: new AbortController().signal });
    stage.service('api');
    stage.controller.registerCheck({ name: 'db', check: () => true, intervalMs: 1000 });
    expect(stage.clock.pending).toBe(0);
    expect(process.listenerCount('SIGUSR2')).toBe(0);
  });

  it('warns and changes nothing when called twice', async () => {
    const stage = new Stage();
    stage.service('api');
    await stage.start();
    const lines = stage.lines.length;
    await stage.start();
    expect(stage.lines.slice(lines).map(({ level }) => level)).toEqual(['warn']);
    expect(stage.trace(/^start|^state/)).toEqual(expect.arrayContaining(['state running', 'start api']));
    expect(stage.trace(/^start|^state/)).toHaveLength(2);
    await stage.close();
  });

  it.each(['stopping', 'stopped'])('warns and changes nothing when called while %s', async (state) => {
    const stage = new Stage({ drainDelayMs: state === 'stopping' ? 1000 : 0 });
    stage.service('api');
    await stage.start();
    stage.controller.stop();
    await stage.settle();
    expect(stage.controller.state).toBe(state);
    const lines = stage.lines.length;
    stage.controller.start();
    expect(stage.lines.slice(lines).map(({ level }) => level)).toEqual(['warn']);
    expect(stage.controller.state).toBe(state);
    await stage.close();
    expect(stage.trace(/^start/)).toEqual(['start api']);
  });
});

describe('stop', () => {
  it('is stopping when it returns, and stopped in a later turn of the loop, even with nothing to stop', async () => {
    const stage = new Stage();
    stage.controller.start();
    const stopped = stage.controller.stop();
    expect(stage.controller.state).toBe('stopping');
    for (let i = 0; i < 50; i++) await Promise.resolve();
    expect(stage.controller.state).toBe('stopping');
    await stopped;
    expect(stage.controller.state).toBe('stopped');
    expect(stage.trace(/^state/)).toEqual(['state running', 'state stopping', 'state stopped']);
  });

  it('gives the same promise under way and once done, and wait() the same outcome', async () => {
    const stage = new Stage({ drainDelayMs: 1000 });
    const waited = stage.controller.wait();
    stage.controller.start();
    const first = stage.controller.stop('one');
    expect(stage.controller.stop('two')).toBe(first);
    const outcome = await stage.within(1000, first);
    expect(stage.controller.stop('three')).toBe(first);
    expect(outcome).toMatchObject({ cause: 'stop', reason: 'one', exitCode: 0, unfinished: [], stopErrors: [] });
    expect(await waited).toBe(outcome);
    expect(await stage.controller.wait()).toBe(outcome);
  });

  it('resolves at once with not_started before start(), and leaves the controller startable', async () => {
    const stage = new Stage();
    stage.service('api');
    const waited = stage.watch(stage.controller.wait());
    expect(await stage.promptly(stage.controller.stop('early'))).toMatchObject({
      cause: 'not_started',
      unfinished: [],
      stopErrors: [],
      exitCode: 0,
      durationMs: 0,
    });
    expect(stage.controller.state).toBe('never_started');
    expect(stage.controller.signal.aborted).toBe(false);

    await stage.start();
    expect(stage.controller.state).toBe('running');
    expect(waited.settled).toBe(false);
    expect(await stage.promptly(stage.controller.stop('late'))).toMatchObject({ cause: 'stop', reason: 'late' });
    expect(waited.value).toMatchObject({ cause: 'stop', reason: 'late' });
    expect(stage.trace(/api$/)).toEqual(['start api', 'stop api']);
  });

  it('in the same block as start() stops what was begun', async () => {
    const stage = new Stage();
    stage.service('api');
    stage.controller.start();
    const stopped = stage.controller.stop();
    await stage.promptly(stopped);
    expect(stage.trace(/^state/)).toEqual(['state running', 'state stopping', 'state stopped']);
    expect(stage.trace(/^stop/)).toHaveLength(stage.trace(/^start/).length);
    expect(stage.clock.pending).toBe(0);
  });

  it('during a pending start aborts that run and calls its stop', async () => {
    const stage = new Stage();
    stage.service('api', { start: untilAborted });
    await stage.start();
    const outcome = await stage.promptly(stage.controller.stop());
    expect(outcome).toMatchObject({ unfinished: [], exitCode: 0 });
    expect(stage.trace(/api/)).toEqual(['start api', 'stop api', 'api ended']);
  });

  it('awaited inside a start ends at the deadline instead of waiting for itself', async () => {
    const stage = new Stage({ shutdownTimeoutMs: 3000 });
    stage.service('api', { start: () => stage.controller.stop() });
    stage.controller.start();
    const outcome = await stage.within(3000, stage.controller.wait());
    expect(outcome).toMatchObject({ unfinished: ['api'], exitCode: 1, durationMs: 3000 });
    expect(stage.clock.pending).toBe(0);
  });

  it('awaited inside a stop ends at the deadline instead of waiting for itself', async () => {
    const stage = new Stage({ shutdownTimeoutMs: 3000 });
    stage.service('api', { stop: () => stage.controller.stop() });
    await stage.start();
    const outcome = await stage.within(3000, stage.controller.stop());
    expect(outcome).toMatchObject({ unfinished: ['api'], exitCode: 1, durationMs: 3000 });
    expect(stage.clock.pending).toBe(0);
  });

  it('called inside a state listener takes effect when the dispatch ends, in the same tick', async () => {
    const stage = new Stage();
    const seen: string[] = [];
    stage.controller.on('state', ({ to }) => {
      if (to === 'running') stage.controller.stop('from a listener');
      seen.push(`${to} ${stage.controller.state}`);
    });
    stage.controller.on('state', ({ to }) => seen.push(`${to} ${stage.controller.state}`));
    stage.controller.start();
    expect(stage.controller.state).toBe('stopping');
    expect(await stage.promptly(stage.controller.wait())).toMatchObject({ reason: 'from a listener' });
    expect(seen).toEqual(
      ['running', 'running', 'stopping', 'stopping', 'stopped', 'stopped'].map((state) => `${state} ${state}`),
    );
  });

  it('called inside a listener of stopped gives the outcome', async () => {
    const stage = new Stage();
    const outcomes: unknown[] = [];
    stage.controller.on('state', async ({ to }) => {
      if (to === 'stopped') outcomes.push(await stage.controller.stop());
    });
    stage.controller.start();
    const outcome = await stage.promptly(stage.controller.stop());
    expect(outcomes).toEqual([outcome]);
  });
});

describe('unable_to_start', () => {
  it('follows a service that never started cleanly; nothing is stopped and the others go on', async () => {
    const stage = new Stage();
    stage.service('db', failing);
    stage.service('api');
    await stage.start();
    expect(stage.trace(/^state/)).toEqual(['state running', 'state unable_to_start']);
    expect(stage.trace(/^(db|api) /).sort()).toEqual(['api started', 'db unable_to_start:0']);
    expect(await stage.promptly(stage.controller.readiness())).toMatchObject({
      overallHealthy: false,
      state: 'unable_to_start',
      reason: 'unable_to_start',
    });
    expect(await stage.promptly(stage.controller.liveness())).toMatchObject({ overallHealthy: true });
    await stage.clock.advance(3_600_000);
    expect(stage.trace(/^stop/)).toEqual([]);
    await stage.close();
    expect(stage.trace(/^stop/)).toEqual(['stop api']);
    expect(stage.trace(/^state/)).toEqual([
      'state running',
      'state unable_to_start',
      'state stopping',
      'state stopped',
    ]);
  });

  it('is entered once however many services fail', async () => {
    const stage = new Stage();
    for (const name of ['a', 'b', 'c']) stage.service(name, failing);
    await stage.start();
    expect(stage.trace(/^state/)).toEqual(['state running', 'state unable_to_start']);
    expect(stage.trace(/unable_to_start:/)).toHaveLength(3);
    await stage.close();
  });

  it('does not follow a service that had been up, nor a start that fails while stopping', async () => {
    const stage = new Stage({ drainDelayMs: 1000 });
    const run = new Deferred();
    const slow = new Deferred();
    stage.service('up', {
      start: ({ ready }) => {
        ready();
        return run.promise;
      },
    });
    stage.service('slow', { start: () => slow.promise });
    await stage.start();
    run.reject(new Error('lost'));
    await stage.settle();
    expect(stage.controller.state).toBe('running');
    stage.controller.stop();
    slow.reject(new Error('no port'));
    await stage.close();
    expect(stage.trace(/^state/)).toEqual(['state running', 'state stopping', 'state stopped']);
  });
});

describe('the parent signal', () => {
  it.each([
    [new Error('deploy'), 'deploy'],
    ['bye', 'bye'],
    [undefined, 'aborted'],
  ])('starts the ordinary shutdown when it aborts with %s', async (reason, text) => {
    const parent = new AbortController();
    const stage = new Stage({ signal: parent.signal, drainDelayMs: 1000 });
    stage.service('api');
    await stage.start();
    parent.abort(reason);
    expect(stage.controller.state).toBe('stopping');
    const outcome = await stage.within(1000, stage.controller.wait());
    expect(outcome).toMatchObject({ cause: 'parent', reason: expect.stringContaining(text), exitCode: 0 });
    expect(stage.timeline(/stop api/)).toEqual(['1000 stop api']);
  });

  it('already aborted leads from start() to stopped, never ready on the way', async () => {
    const stage = new Stage({ signal: AbortSignal.abort(new Error('too late')) });
    stage.service('api');
    const ready = stage.watch(stage.controller.whenReady());
    stage.controller.start();
    const report = stage.watch(stage.controller.readiness());
    const outcome = await stage.promptly(stage.controller.wait());
    expect(outcome).toMatchObject({ cause: 'parent', reason: expect.stringContaining('too late'), exitCode: 0 });
    expect(stage.trace(/^state/)).toEqual(['state running', 'state stopping', 'state stopped']);
    expect(ready.value).toBe(false);
    expect(report.value?.overallHealthy).toBe(false);
    expect(stage.trace(/^stop /)).toHaveLength(stage.trace(/^start /).length);
    expect(stage.clock.pending).toBe(0);
  });

  it('is listened to once from start() until stopped', async () => {
    const parent = new AbortController();
    const listeners = () => getEventListeners(parent.signal, 'abort').length;
    const stage = new Stage({ signal: parent.signal });
    stage.service('api', { start: never, stop: never });
    stage.controller.registerCheck({ name: 'db', check: () => true, intervalMs: 10 });
    expect(listeners()).toBe(0);
    stage.controller.start();
    await stage.clock.advance(10_000);
    expect(listeners()).toBe(1);
    await stage.close();
    expect(listeners()).toBe(0);
  });

  it('aborting once the controller has stopped changes nothing', async () => {
    const parent = new AbortController();
    const stage = new Stage({ signal: parent.signal });
    stage.controller.start();
    await stage.close();
    parent.abort();
    expect(await stage.promptly(stage.controller.wait())).toMatchObject({ cause: 'stop' });
  });

  it('is watched, not inherited: neither a run nor the signal of the controller aborts before the drain is over', async () => {
    const parent = new AbortController();
    const stage = new Stage({ signal: parent.signal, drainDelayMs: 1000 });
    const signals: AbortSignal[] = [];
    stage.service('api', {
      start: ({ signal, ready }) => {
        ready();
        signals.push(signal);
        return never();
      },
    });
    await stage.start();
    parent.abort();
    await stage.clock.advance(999);
    expect([stage.controller.signal, ...signals].map(({ aborted }) => aborted)).toEqual([false, false]);
    await stage.clock.advance(1);
    expect([stage.controller.signal, ...signals].map(({ aborted }) => aborted)).toEqual([true, true]);
    await stage.close();
  });
});

const ALLOWED: Readonly<Record<LifecycleState, readonly LifecycleState[]>> = {
  never_started: ['running'],
  running: ['unable_to_start', 'stopping'],
  unable_to_start: ['running', 'stopping'],
  stopping: ['stopped'],
  stopped: [],
};

const step = fc.oneof(
  fc.record({ do: fc.constant('advance' as const), ms: fc.integer({ min: 0, max: 3000 }) }),
  fc.record({
    do: fc.constantFrom('start' as const, 'stop' as const, 'abort' as const, 'read' as const, 'hold' as const),
  }),
  fc.record({ do: fc.constant('settle' as const), with: fc.boolean() }),
);

describe('any order of calls', () => {
  it('walks the transition table, is never ready after stop(), and ends with no timer', {
    timeout: 30_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 12 }),
        fc.array(fc.constantFrom('quick', 'hangs', 'later'), { maxLength: 3 }),
        async (steps, services) => {
          const parent = new AbortController();
          const stage = new Stage({ signal: parent.signal, drainDelayMs: 500, shutdownTimeoutMs: 2000 });
          const { controller } = stage;
          let state: LifecycleState = 'never_started';
          controller.on('state', ({ from, to }) => {
            expect(from).toBe(state);
            expect(ALLOWED[from]).toContain(to);
            expect(controller.state).toBe(to);
            state = to;
          });
          const later: Deferred[] = [];
          for (const [i, manner] of services.entries()) {
            stage.service(`${manner} ${i}`, {
              start: manner === 'quick' ? () => {} : manner === 'hangs' ? never : () => defer(later),
              stop: manner === 'quick' ? () => {} : manner === 'hangs' ? never : () => defer(later),
            });
          }
          controller.registerCheck({ name: 'db', check: () => true, intervalMs: 700 });
          const reads: Promise<void>[] = [];
          const wrong: string[] = [];
          for (const now of steps) {
            if (now.do === 'advance') await stage.clock.advance(now.ms);
            else if (now.do === 'start') controller.start();
            else if (now.do === 'stop') controller.stop();
            else if (now.do === 'abort') parent.abort();
            else if (now.do === 'hold') controller.hold('work');
            else if (now.do === 'settle')
              for (const one of later.splice(0)) now.with ? one.resolve() : one.reject('no');
            else {
              reads.push(
                controller.readiness().then((report) => {
                  if (report.overallHealthy && report.state !== 'running') wrong.push(`ready in ${report.state}`);
                  if (report.overallHealthy && /^stop/.test(state)) wrong.push(`ready once ${state}`);
                }),
              );
            }
            expect(controller.state).toBe(state);
          }
          controller.start();
          const outcome = await stage.within(20_000, controller.stop());
          await Promise.all(reads);
          expect(wrong).toEqual([]);
          expect(await controller.wait()).toBe(outcome);
          expect(controller.state).toBe('stopped');
          expect(outcome.exitCode).toBe(outcome.unfinished.length + outcome.stopErrors.length > 0 ? 1 : 0);
          expect(stage.clock.pending).toBe(0);
        },
      ),
      { numRuns: 150 },
    );
  });
});

function defer(later: Deferred[]): Promise<void> {
  const one = new Deferred();
  later.push(one);
  return one.promise;
}
