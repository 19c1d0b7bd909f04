import { describe, expect, it } from 'vitest';
import { isHealthControllerError, type StartContext } from '../../src/index.js';
import { Deferred, never } from './support/deferred.js';
import { foreground, Stage, untilAborted } from './support/stage.js';

describe('starting services', () => {
  it('one that throws at once does not keep the next from starting', async () => {
    const stage = new Stage();
    stage.service('a', {
      start: () => {
        throw new Error('no port');
      },
    });
    stage.service('b');
    await stage.start();
    expect(stage.trace(/^(start|[ab]) /)).toEqual(
      expect.arrayContaining(['start a', 'a unable_to_start:0', 'start b', 'b started']),
    );
    await stage.close();
  });

  it('one that stops the controller at once keeps the next from starting', async () => {
    const stage = new Stage();
    stage.service('a', { start: () => void stage.controller.stop('from a start') });
    stage.service('b');
    stage.controller.start();
    expect(await stage.promptly(stage.controller.wait())).toMatchObject({ reason: 'from a start', unfinished: [] });
    expect(stage.trace(/^(start|stop) /)).toEqual(['start a', 'stop a']);
  });

  it('none starts when a listener of running stops the controller', async () => {
    const stage = new Stage();
    stage.service('a');
    stage.controller.on('state', ({ to }) => {
      if (to === 'running') stage.controller.stop();
    });
    stage.controller.start();
    await stage.promptly(stage.controller.wait());
    expect(stage.trace(/^(start|stop) /)).toHaveLength(0);
  });

  it('gives each run a context of its own, whose signal is live', async () => {
    const stage = new Stage();
    const contexts: StartContext[] = [];
    for (const name of ['a', 'b']) stage.service(name, { start: (context) => void contexts.push(context) });
    await stage.start();
    expect(new Set(contexts.map(({ signal }) => signal)).size).toBe(2);
    expect(contexts.map(({ signal }) => signal.aborted)).toEqual([false, false]);
    await stage.close();
    for (const { signal } of contexts) expect(isHealthControllerError(signal.reason, 'shutdown')).toBe(true);
  });
});

describe('a foreground service', () => {
  it('that says ready is up once, however often it says so and however it ends', async () => {
    for (const end of ['resolve', 'reject'] as const) {
      const stage = new Stage();
      const run = new Deferred();
      let context: StartContext | undefined;
      stage.service('api', {
        start: (given) => {
          context = given;
          given.ready();
          given.ready();
          return run.promise;
        },
      });
      await stage.start();
      if (end === 'resolve') run.resolve();
      else run.reject(new Error('lost'));
      await stage.settle();
      context?.ready();
      await stage.clock.advance(60_000);
      expect(stage.trace(/^api/)).toEqual(end === 'resolve' ? ['api started'] : ['api started', 'api failed:0']);
      expect(stage.controller.serviceInfo('api')?.up).toBe(end === 'resolve');
      await stage.close();
    }
  });

  it('may say ready without its context', async () => {
    const stage = new Stage();
    stage.service('api', {
      start: ({ ready }) => {
        queueMicrotask(ready);
        return never();
      },
      stopTimeoutMs: 1,
    });
    await stage.start();
    expect(stage.trace(/^api/)).toEqual(['api started']);
    await stage.close();
  });

  it('that says ready while the controller is stopping is not told as started', async () => {
    const stage = new Stage({ drainDelayMs: 1000 });
    const context = new Deferred<StartContext>();
    stage.service('api', {
      start: (given) => {
        context.resolve(given);
        return untilAborted(given);
      },
    });
    await stage.start();
    const stopped = stage.watch(stage.controller.stop());
    await stage.clock.advance(1000);
    (await context.promise).ready();
    await stage.settle();
    expect(stopped.settled).toBe(true);
    expect(stage.trace(/^api/)).toEqual(['api ended']);
  });
});

describe('startTimeoutMs', () => {
  it('makes a start that neither settles nor says ready an error, and aborts it', async () => {
    const stage = new Stage();
    let signal: AbortSignal | undefined;
    stage.service('api', {
      startTimeoutMs: 2000,
      start: (context) => {
        signal = context.signal;
        return never();
      },
    });
    await stage.start();
    await stage.clock.advance(1999);
    expect(signal?.aborted).toBe(false);
    expect(stage.controller.state).toBe('running');
    await stage.clock.advance(1);
    expect(isHealthControllerError(signal?.reason, 'start_timeout')).toBe(true);
    expect(stage.timeline(/^api|unable/)).toEqual(['2000 api unable_to_start:0', '2000 state unable_to_start']);
    expect(isHealthControllerError(stage.controller.serviceInfo('api')?.error, 'start_timeout')).toBe(true);
    expect(stage.controller.serviceInfo('api')).toMatchObject({ abandonedRuns: 1, up: false });
    await stage.close();
  });

  it('names the start in the outcome of the shutdown while it is still pending, without waiting for it', async () => {
    const stage = new Stage();
    stage.service('api', { start: never, startTimeoutMs: 100 });
    await stage.start();
    await stage.clock.advance(100);
    expect(await stage.promptly(stage.controller.stop())).toMatchObject({ unfinished: ['api'], durationMs: 0 });
    expect(stage.trace(/^stop/)).toEqual([]);
  });

  it('is met by a start that says ready or resolves in time', async () => {
    const stage = new Stage();
    stage.service('foreground', { start: foreground(never()), startTimeoutMs: 2000, stopTimeoutMs: 1 });
    stage.service('background', { start: () => stage.lasting(1999), startTimeoutMs: 2000 });
    await stage.start();
    await stage.clock.advance(60_000);
    expect(stage.timeline(/ground started|ground [fu]/)).toEqual(['0 foreground started', '1999 background started']);
    await stage.close();
  });

  it('above thirty seconds is not cut short by the rule that a pending start is up', async () => {
    const stage = new Stage();
    stage.service('api', { start: never, startTimeoutMs: 60_000 });
    await stage.start();
    await stage.clock.advance(59_999);
    expect(stage.controller.serviceInfo('api')?.up).toBe(false);
    expect(stage.trace(/^api/)).toEqual([]);
    await stage.clock.advance(1);
    expect(stage.trace(/^api/)).toEqual(['api unable_to_start:0']);
    await stage.close();
  });

  it.each(['resolve', 'reject'] as const)(
    'and what the abandoned start does later (%s) changes nothing',
    async (end) => {
      const stage = new Stage();
      const run = new Deferred();
      stage.service('api', { start: () => run.promise, startTimeoutMs: 100 });
      await stage.start();
      await stage.clock.advance(100);
      const trace = stage.trace().length;
      if (end === 'resolve') run.resolve();
      else run.reject(new Error('late'));
      await stage.clock.advance(60_000);
      // What it has opened after all is closed again.
      expect(stage.trace().slice(trace)).toEqual(end === 'resolve' ? ['stop api'] : []);
      expect(stage.controller.serviceInfo('api')).toMatchObject({ up: false, abandonedRuns: 0 });
      await stage.close();
    },
  );
});

describe('validError', () => {
  it('is asked with the error as thrown and the name, and makes it an expected end', async () => {
    const asked: unknown[] = [];
    const done = { code: 'DONE' };
    const stage = new Stage({
      validError: (error, service) => {
        asked.push([error, service]);
        return error === done;
      },
    });
    const run = new Deferred();
    stage.service('early', { start: () => Promise.reject(done) });
    stage.service('later', { start: foreground(run.promise) });
    await stage.start();
    run.reject(done);
    await stage.settle();
    expect(asked).toEqual([
      [done, 'early'],
      [done, 'later'],
    ]);
    expect(stage.trace(/^(early|later)/)).toEqual(['later started', 'early ended', 'later ended']);
    expect(stage.controller.state).toBe('running');
    expect(stage.controller.serviceInfo('later')?.up).toBe(false);
    const outcome = await stage.promptly(stage.controller.stop());
    expect(outcome.exitCode).toBe(0);
  });

  it('that throws, or answers with something truthy, does not make an error valid', async () => {
    for (const validError of [
      () => {
        throw new Error('bug');
      },
      () => 'yes' as unknown as boolean,
    ]) {
      const stage = new Stage({ validError });
      stage.service('api', { start: () => Promise.reject(new Error('no port')) });
      await stage.start();
      expect(stage.trace(/^api/)).toEqual(['api unable_to_start:0']);
      await stage.close();
    }
  });
});

describe('runToCompletion', () => {
  it('fails like any other start', async () => {
    const stage = new Stage();
    stage.service('job', { start: () => Promise.reject(new Error('bad input')), runToCompletion: true });
    await stage.start();
    expect(stage.trace(/^job/)).toEqual(['job unable_to_start:0']);
    expect(stage.controller.state).toBe('unable_to_start');
    await stage.close();
  });

  it('completes once, is not up any more, and its probes still count', async () => {
    const stage = new Stage();
    stage.service('job', { start: () => stage.lasting(100), runToCompletion: true, status: () => stage.atMs < 500 });
    await stage.start();
    await stage.clock.advance(100);
    expect(stage.timeline(/^job/)).toEqual(['100 job completed']);
    expect(stage.controller.serviceInfo('job')?.up).toBe(false);
    expect((await stage.promptly(stage.controller.readiness())).overallHealthy).toBe(true);
    await stage.clock.advance(400);
    expect((await stage.promptly(stage.controller.readiness())).overallHealthy).toBe(false);
    await stage.close();
  });
});
