import { describe, expect, it } from 'vitest';
import { isHealthControllerError, type StopContext } from '../../src/index.js';
import { Deferred, never } from './support/deferred.js';
import { foreground, Stage, untilAborted } from './support/stage.js';

describe('which services are stopped', () => {
  it('those that are up, starting or completed, in reverse registration order', async () => {
    const stage = new Stage();
    stage.service('up');
    stage.service('foreground', { start: foreground(never()), stopTimeoutMs: 1 });
    stage.service('starting', { start: never, stopTimeoutMs: 1 });
    stage.service('completed', { runToCompletion: true });
    stage.service('no start', { start: undefined });
    await stage.start();
    await stage.within(10, stage.controller.stop());
    expect(stage.trace(/^stop /)).toEqual([
      'stop no start',
      'stop completed',
      'stop starting',
      'stop foreground',
      'stop up',
    ]);
  });

  it('not one whose last run ended in an error, and not a late registration', async () => {
    const stage = new Stage();
    const run = new Deferred();
    stage.service('never up', { start: () => Promise.reject(new Error('no port')) });
    stage.service('was up', { start: foreground(run.promise) });
    stage.service('fine');
    await stage.start();
    run.reject(new Error('lost'));
    stage.service('late');
    await stage.settle();
    await stage.promptly(stage.controller.stop());
    expect(stage.trace(/^stop /)).toEqual(['stop fine']);
    expect(stage.trace(/^start /)).not.toContain('start late');
  });

  it('a service without stop or start takes no time and is not unfinished', async () => {
    const stage = new Stage();
    stage.controller.register('probe only', { status: () => true });
    stage.controller.register('start only', { start: () => {} });
    stage.controller.register('stop only', { stop: () => {} });
    await stage.start();
    expect(await stage.promptly(stage.controller.stop())).toMatchObject({ unfinished: [], exitCode: 0, durationMs: 0 });
  });
});

describe('one after the other', () => {
  it('awaits each stop before the next is called', async () => {
    const stage = new Stage();
    stage.service('a');
    stage.service('b', { stop: () => stage.lasting(200) });
    stage.service('c', { stop: () => stage.lasting(100) });
    await stage.start();
    const outcome = await stage.within(1000, stage.controller.stop());
    expect(stage.timeline(/stop/)).toEqual([
      '0 state stopping',
      '0 stop c',
      '100 stop b',
      '300 stop a',
      '300 state stopped',
    ]);
    expect(outcome).toMatchObject({ durationMs: 300, exitCode: 0 });
  });

  it('awaits the run as well as the stop', async () => {
    const stage = new Stage();
    stage.service('a');
    stage.service('b', {
      start: ({ signal, ready }) => {
        ready();
        return new Promise((resolve) =>
          signal.addEventListener('abort', () => stage.clock.setTimeout(() => resolve(0), 300, { keepAlive: true })),
        );
      },
      stop: () => stage.lasting(100),
    });
    await stage.start();
    await stage.within(1000, stage.controller.stop());
    expect(stage.timeline(/^stop /)).toEqual(['0 stop b', '300 stop a']);
  });

  it('aborts each run with the code shutdown just before its stop is called, not before', async () => {
    const stage = new Stage();
    const signals = new Map<string, AbortSignal>();
    for (const name of ['a', 'b']) {
      stage.service(name, {
        start: ({ signal, ready }) => {
          signals.set(name, signal);
          ready();
        },
        stop: async () => {
          const aborted = [...signals].filter(([, signal]) => signal.aborted).map(([one]) => one);
          stage.note(`aborted: ${aborted.join()}`);
          await stage.lasting(100);
        },
      });
    }
    await stage.start();
    expect(signals.get('a')).not.toBe(signals.get('b'));
    await stage.within(1000, stage.controller.stop());
    expect(stage.timeline(/aborted/)).toEqual(['0 aborted: b', '100 aborted: a,b']);
    for (const { reason } of [...signals.values(), stage.controller.signal]) {
      expect(isHealthControllerError(reason, 'shutdown')).toBe(true);
    }
  });

  it('a stop that fails, in whichever way, is recorded as thrown and prevents nothing', async () => {
    const stage = new Stage();
    const error = new Error('stuck');
    stage.service('a');
    stage.service('rejects', { stop: () => Promise.reject(error) });
    stage.service('throws', {
      stop: () => {
        throw 'kaput';
      },
    });
    await stage.start();
    const outcome = await stage.promptly(stage.controller.stop());
    expect(outcome.stopErrors).toEqual([
      { service: 'throws', error: 'kaput' },
      { service: 'rejects', error },
    ]);
    expect(outcome.stopErrors[1]?.error).toBe(error);
    expect(outcome).toMatchObject({ unfinished: [], exitCode: 1 });
    expect(stage.controller.serviceInfo('rejects')?.stopError).toBe(error);
    expect(stage.trace(/^stop /)).toEqual(['stop throws', 'stop rejects', 'stop a']);
  });

  it('a stop that has used half of what was left no longer holds up the next, but is still awaited', async () => {
    const stage = new Stage({ shutdownTimeoutMs: 4000 });
    stage.service('a', { stop: () => stage.lasting(100) });
    stage.service('b', { stop: () => stage.lasting(3000) });
    await stage.start();
    const outcome = await stage.within(4000, stage.controller.stop());
    expect(stage.timeline(/^stop /)).toEqual(['0 stop b', '2000 stop a']);
    expect(outcome).toMatchObject({ unfinished: [], exitCode: 0, durationMs: 3000 });
  });

  it('halves what is left again for each that hangs', async () => {
    const stage = new Stage({ shutdownTimeoutMs: 4000 });
    for (const name of ['a', 'b', 'c']) stage.service(name, { stop: never });
    await stage.start();
    const outcome = await stage.within(4000, stage.controller.stop());
    expect(stage.timeline(/^stop /)).toEqual(['0 stop c', '2000 stop b', '3000 stop a']);
    expect(outcome).toMatchObject({ exitCode: 1, durationMs: 4000 });
    expect([...outcome.unfinished].sort()).toEqual(['a', 'b', 'c']);
  });
});

describe('the time of a stop', () => {
  it('stopTimeoutMs ends the wait for one; it is named, its signal aborts, and the next is called', async () => {
    const stage = new Stage();
    const contexts: StopContext[] = [];
    stage.service('a');
    stage.service('b', {
      stopTimeoutMs: 1000,
      stop: (context) => {
        contexts.push(context);
        return never();
      },
    });
    await stage.start();
    const stopped = stage.watch(stage.controller.stop());
    await stage.clock.advance(999);
    expect(contexts[0]?.deadlineMs).toBe(1000);
    expect(contexts[0]?.signal.aborted).toBe(false);
    await stage.clock.advance(1);
    expect(isHealthControllerError(contexts[0]?.signal.reason, 'stop_timeout')).toBe(true);
    expect(stage.timeline(/^stop /)).toEqual(['0 stop b', '1000 stop a']);
    expect(stopped.value).toMatchObject({ unfinished: ['b'], exitCode: 1, durationMs: 1000 });
  });

  it('stopTimeoutMs bounds the wait for the run too', async () => {
    const stage = new Stage();
    stage.service('b', { start: foreground(never()), stopTimeoutMs: 1000 });
    await stage.start();
    const outcome = await stage.within(1000, stage.controller.stop());
    expect(outcome).toMatchObject({ unfinished: ['b'], durationMs: 1000 });
    expect(stage.controller.serviceInfo('b')).toMatchObject({ up: false, abandonedRuns: 1 });
  });

  it('deadlineMs is what is left of the budget', async () => {
    const stage = new Stage({ shutdownTimeoutMs: 3000 });
    const left: string[] = [];
    for (const name of ['a', 'b', 'c']) {
      stage.service(name, {
        ...(name === 'b' && { stopTimeoutMs: 60_000 }),
        stop: ({ deadlineMs }) => {
          left.push(`${name} ${deadlineMs}`);
          return stage.lasting(400);
        },
      });
    }
    await stage.start();
    await stage.within(3000, stage.controller.stop());
    expect(left).toEqual(['c 3000', 'b 2600', 'a 2200']);
  });

  it('at the deadline the stops that are left are called at once, with an aborted signal and no time', async () => {
    const stage = new Stage({ shutdownTimeoutMs: 3000 });
    const contexts: StopContext[] = [];
    const stop = (context: StopContext) => {
      contexts.push(context);
    };
    stage.service('a', { stop });
    stage.service('b', {
      stop: (context) => {
        stop(context);
        return never();
      },
    });
    stage.service('c', {
      // Blocks the process past the deadline.
      stop: () => stage.clock.freeze(5000),
    });
    await stage.start();
    const outcome = await stage.within(0, stage.controller.stop());
    expect(stage.timeline(/^stop /)).toEqual(['0 stop c', '5000 stop b', '5000 stop a']);
    expect(contexts.map(({ deadlineMs, signal }) => [deadlineMs, signal.aborted])).toEqual([
      [0, true],
      [0, true],
    ]);
    expect(outcome).toMatchObject({ unfinished: ['b'], exitCode: 1, durationMs: 5000 });
    expect(stage.clock.pending).toBe(0);
  });

  it('a stop that has answered while the process was blocked past the deadline is not unfinished', async () => {
    const stage = new Stage({ shutdownTimeoutMs: 3000 });
    const answered = new Deferred();
    stage.service('a');
    stage.service('b', { stop: () => answered.promise });
    await stage.start();
    const stopped = stage.watch(stage.controller.stop());
    await stage.settle();
    stage.clock.freeze(60_000);
    // As a socket does that was readable all the while: read in the turn after the timers.
    setImmediate(() => answered.resolve());
    await stage.settle();
    expect(stopped.value).toMatchObject({ unfinished: [], exitCode: 0 });
    expect(stage.trace(/^stop /)).toEqual(['stop b', 'stop a']);
  });

  it('begins after the drain, even where the process was blocked all through it', async () => {
    const stage = new Stage({ drainDelayMs: 1000, shutdownTimeoutMs: 3000 });
    let left = 0;
    stage.service('a', {
      stop: ({ deadlineMs }) => {
        left = deadlineMs;
        return stage.lasting(2000);
      },
    });
    await stage.start();
    const stopped = stage.watch(stage.controller.stop());
    stage.clock.freeze(60_000);
    await stage.clock.advance(2000);
    expect(left).toBe(3000);
    expect(stopped.value).toMatchObject({ unfinished: [], durationMs: 62_000 });
  });

  it('a budget of 0 awaits nothing: each stop is called and gets one turn of the loop', async () => {
    const stage = new Stage({ shutdownTimeoutMs: 0 });
    stage.service('quick');
    stage.service('soon', { stop: async () => {} });
    stage.service('slow', { stop: () => stage.lasting(1) });
    await stage.start();
    const outcome = await stage.promptly(stage.controller.stop());
    expect(stage.trace(/^stop /)).toEqual(['stop slow', 'stop soon', 'stop quick']);
    expect(outcome).toMatchObject({ unfinished: ['slow'], exitCode: 1, durationMs: 0 });
  });

  it('what settles after the deadline changes nothing in the outcome and is no unhandled rejection', async () => {
    const stage = new Stage({ shutdownTimeoutMs: 1000 });
    const stop = new Deferred();
    const run = new Deferred();
    stage.service('api', { start: foreground(run.promise), stop: () => stop.promise });
    await stage.start();
    const outcome = await stage.within(1000, stage.controller.stop());
    const trace = stage.trace().length;
    const lines = stage.lines.length;
    run.reject(new Error('late'));
    stop.reject(new Error('late'));
    await stage.settle();
    expect(outcome).toMatchObject({ unfinished: ['api'], stopErrors: [] });
    expect(stage.trace()).toHaveLength(trace);
    expect(stage.lines).toHaveLength(lines);
    expect(stage.controller.serviceInfo('api')?.abandonedRuns).toBe(0);
  });

  it('ends as soon as everything has settled, however long the budget', async () => {
    // Case 86: the full grace period was waited for.
    const stage = new Stage({ shutdownTimeoutMs: 30_000, holdTimeoutMs: 30_000 });
    stage.service('api', { stop: () => stage.lasting(20), stopTimeoutMs: 30_000 });
    await stage.start();
    const release = stage.controller.hold('request');
    const stopped = stage.watch(stage.controller.stop());
    await stage.clock.advance(20);
    release();
    await stage.clock.advance(20);
    expect(stopped.atMs).toBe(40);
    expect(stage.clock.pending).toBe(0);
  });
});

describe('the exit code', () => {
  it.each([
    ['all stopped', {}, 0],
    ['a stop that hangs', { stop: never }, 1],
    ['a stop that fails', { stop: () => Promise.reject(new Error('stuck')) }, 1],
    ['a run that hangs', { start: never }, 1],
    ['a run that ends with an error after its abort', { start: untilAborted }, 0],
  ])('of %s is as it says: %#', async (_, description, exitCode) => {
    const stage = new Stage({ shutdownTimeoutMs: 100 });
    stage.service('api', description);
    await stage.start();
    expect(await stage.within(100, stage.controller.stop())).toMatchObject({ exitCode });
  });
});
