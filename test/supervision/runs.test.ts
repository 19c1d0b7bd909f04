import { describe, expect, it } from 'vitest';
import { isHealthControllerError, type StartContext } from '../../src/index.js';
import { Deferred, never } from '../controller/support/deferred.js';
import { foreground, Stage, untilAborted } from '../controller/support/stage.js';
import { failing, infoOf, inTurn, life, Runs } from './support/services.js';

const codeOf = (context: StartContext | undefined): string | undefined => {
  const reason: unknown = context?.signal.reason;
  return isHealthControllerError(reason) ? reason.code : undefined;
};

const SICK = { restartPolicy: { healthFailureThreshold: 1, healthCheckIntervalMs: 1000 } };

describe('a run in the background', () => {
  it('is up once start has resolved, and not restarted for having ended', async () => {
    const stage = new Stage();
    const up = new Deferred();
    stage.service('api', { start: () => up.promise, restartPolicy: {} });
    await stage.start();
    expect(infoOf(stage).up).toBe(false);
    up.resolve();
    await stage.clock.advance(100_000);
    expect(life(stage)).toEqual(['0 start api', '0 api started']);
    expect(infoOf(stage).up).toBe(true);
    await stage.close();
    expect(stage.clock.pending).toBe(0);
  });

  it('of a service without a start is up at once', async () => {
    const stage = new Stage();
    stage.controller.register('api', {});
    await stage.start();
    expect(stage.trace(/^api/)).toEqual(['api started']);
    await stage.close();
  });

  it('that has ended is not told apart by a later ready or abort', async () => {
    const stage = new Stage();
    const contexts: StartContext[] = [];
    stage.service('api', { start: (context) => void contexts.push(context) });
    await stage.start();
    contexts[0]?.ready();
    await stage.settle();
    expect(stage.trace(/^api/)).toEqual(['api started']);
    await stage.close();
  });
});

describe('a run in the foreground', () => {
  it('is up when it says so, and restarted when it fails after that', async () => {
    const stage = new Stage();
    const runs = new Runs();
    stage.service('api', { start: runs.start, restartPolicy: {} });
    await stage.start();
    await stage.clock.advance(5000);
    runs.last.ready();
    await stage.clock.advance(5000);
    runs.reject();
    await stage.clock.advance(1000);
    runs.last.ready();
    await stage.settle();
    expect(life(stage)).toEqual([
      '0 start api',
      '5000 api started',
      '10000 api retrying:1',
      '11000 start api',
      '11000 api started',
    ]);
    runs.resolve();
    await stage.close();
  });

  it('that resolves is up in the background from then on', async () => {
    const stage = new Stage();
    const runs = new Runs();
    stage.service('api', { start: runs.start, restartPolicy: {} });
    await stage.start();
    runs.last.ready();
    runs.resolve();
    await stage.clock.advance(100_000);
    expect(life(stage)).toEqual(['0 start api', '0 api started']);
    expect(infoOf(stage).up).toBe(true);
    await stage.close();
  });

  it('hears nothing of the ready of an earlier run', async () => {
    const stage = new Stage();
    const runs = new Runs();
    stage.service('api', { start: runs.start, restartPolicy: {} });
    await stage.start();
    runs.reject();
    await stage.clock.advance(1000);
    runs.contexts[0]?.ready();
    await stage.settle();
    expect(stage.trace(/^api/)).toEqual(['api retrying:1']);
    expect(infoOf(stage).up).toBe(false);
    runs.resolve();
    await stage.close();
  });

  it('keeps its up through a second ready, also long after', async () => {
    const stage = new Stage();
    const runs = new Runs();
    stage.service('api', { start: runs.start });
    await stage.start();
    runs.last.ready();
    await stage.clock.advance(40_000);
    runs.last.ready();
    await stage.settle();
    expect(stage.trace(/^api/)).toEqual(['api started']);
    runs.resolve();
    await stage.close();
  });
});

describe('a run to completion', () => {
  it('is completed by a resolved start, restarted after errors, and not up by being pending', async () => {
    const stage = new Stage();
    const runs = new Runs();
    stage.service('job', { start: runs.start, runToCompletion: true, restartPolicy: {}, status: () => true });
    await stage.start();
    await stage.clock.advance(100_000);
    expect(infoOf(stage, 'job').up).toBe(false);
    runs.reject();
    await stage.clock.advance(1000);
    runs.resolve();
    await stage.clock.advance(100_000);
    expect(life(stage, 'job')).toEqual([
      '0 start job',
      '100000 job retrying:1',
      '101000 start job',
      '101000 job completed',
    ]);
    expect(infoOf(stage, 'job')).toMatchObject({ up: false, restartCount: 1 });
    await stage.close();
    expect(stage.clock.pending).toBe(0);
  });

  it('that says ready is up until it is completed', async () => {
    const stage = new Stage();
    const runs = new Runs();
    stage.service('job', { start: runs.start, runToCompletion: true });
    await stage.start();
    runs.last.ready();
    await stage.settle();
    expect(infoOf(stage, 'job').up).toBe(true);
    runs.resolve();
    await stage.settle();
    expect(infoOf(stage, 'job').up).toBe(false);
    expect(stage.trace(/^job/)).toEqual(['job started', 'job completed']);
    await stage.close();
  });

  it('is bounded by startTimeoutMs until it says ready', async () => {
    const stage = new Stage();
    stage.service('slow', { start: never, runToCompletion: true, startTimeoutMs: 100 });
    stage.service('ready', {
      start: foreground(never()),
      runToCompletion: true,
      startTimeoutMs: 100,
      stopTimeoutMs: 1,
    });
    await stage.start();
    await stage.clock.advance(10_000);
    expect(stage.timeline(/^(slow|ready)/)).toEqual(['0 ready started', '100 slow unable_to_start:0']);
    await stage.close();
  });

  it('is done anew by a restart by hand', async () => {
    const stage = new Stage();
    stage.service('job', { runToCompletion: true });
    await stage.start();
    await stage.promptly(stage.controller.restart('job'));
    expect(stage.trace(/job/)).toEqual(['start job', 'job completed', 'start job', 'job completed']);
    await stage.close();
  });

  it('that is aborted by the shutdown has ended, also when it resolves', async () => {
    const stage = new Stage();
    stage.service('job', {
      runToCompletion: true,
      start: ({ signal }) => new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve())),
    });
    await stage.start();
    await stage.close();
    expect(stage.trace(/^job/)).toEqual(['job ended']);
  });
});

describe('the signal of a run', () => {
  it('is a new one each time, and aborted with restart by a breach and by hand, with shutdown at the end', async () => {
    const stage = new Stage();
    const contexts: StartContext[] = [];
    let well = false;
    stage.service('api', {
      ...SICK,
      status: () => well,
      start: (context) => {
        contexts.push(context);
        context.ready();
        return untilAborted(context);
      },
    });
    await stage.start();
    await stage.clock.advance(1000);
    expect(codeOf(contexts[0])).toBe('restart');
    well = true;
    await stage.clock.advance(1000);
    await stage.promptly(stage.controller.restart('api'));
    await stage.close();
    expect(contexts.map(codeOf)).toEqual(['restart', 'restart', 'shutdown']);
    expect(new Set(contexts.map(({ signal }) => signal)).size).toBe(3);
    expect(new Set(contexts).size).toBe(3);
  });

  it('is aborted with start_timeout when its time is over', async () => {
    const stage = new Stage();
    const contexts: StartContext[] = [];
    const start = (context: StartContext) => {
      contexts.push(context);
      return untilAborted(context);
    };
    stage.service('api', { start, startTimeoutMs: 100, restartPolicy: { maxRestarts: 1 } });
    await stage.start();
    await stage.clock.advance(10_000);
    expect(contexts.map(codeOf)).toEqual(['start_timeout', 'start_timeout']);
    expect(life(stage)).toEqual(['0 start api', '100 api retrying:1', '1100 start api', '1200 api unable_to_start:1']);
    // What obeyed its signal has settled: nothing was left behind.
    expect(infoOf(stage).abandonedRuns).toBe(0);
    expect(await stage.promptly(stage.controller.stop())).toMatchObject({ unfinished: [] });
  });

  it('is not touched by the end of the run itself', async () => {
    const stage = new Stage();
    const runs = new Runs();
    stage.service('api', { start: runs.start, restartPolicy: {} });
    await stage.start();
    runs.reject();
    await stage.clock.advance(1000);
    expect(runs.contexts.map(({ signal }) => signal.aborted)).toEqual([false, false]);
    runs.resolve();
    await stage.close();
  });

  it('is watched by nobody after the run: a parent that aborts later ends the controller only', async () => {
    const parent = new AbortController();
    const stage = new Stage({ signal: parent.signal });
    const runs = new Runs();
    stage.service('api', { start: runs.start });
    await stage.start();
    runs.reject();
    await stage.settle();
    parent.abort(new Error('over'));
    await stage.clock.advance(100);
    expect(stage.controller.state).toBe('stopped');
    expect(runs.last.signal.reason).not.toEqual(new Error('over'));
  });
});

describe('an abandoned start', () => {
  const stage = () => new Stage();

  it('that succeeds after all is told to stop, once', async () => {
    const given = stage();
    const runs = new Runs();
    given.service('api', { start: runs.start, startTimeoutMs: 100, restartPolicy: { initialBackoffMs: 5000 } });
    await given.start();
    await given.clock.advance(100);
    expect(infoOf(given).abandonedRuns).toBe(1);
    runs.resolve();
    await given.settle();
    expect(life(given)).toEqual(['0 start api', '100 api retrying:1', '100 stop api']);
    expect(infoOf(given)).toMatchObject({ abandonedRuns: 0, up: false });
    await given.clock.advance(5000);
    expect(given.trace(/^start/)).toHaveLength(2);
    runs.resolve();
    await given.close();
    expect(given.clock.pending).toBe(0);
  });

  it('that succeeds after all is told to stop also where the service has given up', async () => {
    const given = stage();
    const runs = new Runs();
    given.service('api', { start: runs.start, startTimeoutMs: 100 });
    await given.start();
    await given.clock.advance(100);
    runs.resolve();
    await given.settle();
    expect(life(given)).toEqual(['0 start api', '100 api unable_to_start:0', '100 stop api']);
    expect(given.controller.state).toBe('unable_to_start');
    await given.close();
  });

  it('that succeeds while a newer run is there is left alone: its stop would bring that one down', async () => {
    const given = stage();
    const runs = new Runs();
    given.service('api', { start: runs.start, startTimeoutMs: 100, restartPolicy: { initialBackoffMs: 10 } });
    await given.start();
    await given.clock.advance(110);
    runs.last.ready();
    runs.resolve(1);
    await given.clock.advance(1000);
    expect(life(given)).toEqual(['0 start api', '100 api retrying:1', '110 start api', '110 api started']);
    expect(infoOf(given)).toMatchObject({ abandonedRuns: 0, up: true });
    runs.resolve();
    await given.close();
  });

  it('that fails after all changes nothing and is no unhandled rejection', async () => {
    const given = stage();
    const runs = new Runs();
    given.service('api', { start: runs.start, startTimeoutMs: 100 });
    await given.start();
    await given.clock.advance(100);
    const error = infoOf(given).error;
    runs.reject(new Error('later'));
    await given.settle();
    expect(life(given)).toEqual(['0 start api', '100 api unable_to_start:0']);
    expect(infoOf(given)).toMatchObject({ abandonedRuns: 0, error });
    await given.close();
  });

  it('whose late stop fails has that in serviceInfo, one whose stop hangs keeps nothing waiting', async () => {
    const given = stage();
    const runs = new Runs();
    const error = new Error('no stop');
    let stopSignal: AbortSignal | undefined;
    const hanging = new Runs();
    given.service('failing', { start: runs.start, startTimeoutMs: 100, stop: () => Promise.reject(error) });
    given.service('hanging', {
      start: hanging.start,
      startTimeoutMs: 100,
      stopTimeoutMs: 50,
      stop: ({ signal }) => {
        stopSignal = signal;
        return never();
      },
    });
    await given.start();
    await given.clock.advance(100);
    runs.resolve();
    hanging.resolve();
    await given.clock.advance(49);
    expect(infoOf(given, 'failing').stopError).toBe(error);
    expect(stopSignal?.aborted).toBe(false);
    await given.clock.advance(1);
    expect(isHealthControllerError(stopSignal?.reason, 'stop_timeout')).toBe(true);
    await given.close();
    expect(given.clock.pending).toBe(0);
  });

  it('counts with the others that are left behind, until each has settled', async () => {
    const given = stage();
    const runs = new Runs();
    given.service('api', {
      start: runs.start,
      startTimeoutMs: 100,
      restartPolicy: { maxRestarts: 2, initialBackoffMs: 10, multiplier: 1 },
    });
    await given.start();
    await given.clock.advance(1000);
    expect(infoOf(given).abandonedRuns).toBe(3);
    runs.reject(new Error('late'), 2);
    await given.settle();
    expect(infoOf(given).abandonedRuns).toBe(2);
    expect(await given.promptly(given.controller.stop())).toMatchObject({ unfinished: ['api'], exitCode: 1 });
  });
});

describe('two runs', () => {
  it('never live at the same time, however a service is restarted, but for abandoned ones', async () => {
    const stage = new Stage();
    let live = 0;
    let most = 0;
    let polls = 0;
    stage.service('api', {
      start: async (context) => {
        live++;
        most = Math.max(most, live);
        context.ready();
        try {
          await untilAborted(context);
        } finally {
          // It takes its time to end.
          await stage.lasting(300);
          live--;
        }
      },
      stop: () => stage.lasting(100),
      status: () => ++polls % 3 > 0,
      restartPolicy: { healthFailureThreshold: 1, healthCheckIntervalMs: 700, initialBackoffMs: 1, maxBackoffMs: 1 },
    });
    await stage.start();
    for (let time = 0; time < 40; time++) {
      await stage.clock.advance(170);
      void stage.controller.restart('api').catch(() => {});
    }
    expect(stage.trace(/^start/).length).toBeGreaterThan(10);
    expect(most).toBe(1);
    await stage.close();
    expect(live).toBe(0);
    expect(stage.clock.pending).toBe(0);
  });

  it('live at the same time where the old one does not end in its time, which serviceInfo names', async () => {
    const stage = new Stage();
    stage.service('api', {
      start: foreground(never()),
      status: () => stage.trace(/^start/).length > 1,
      restartPolicy: { healthFailureThreshold: 1, healthCheckIntervalMs: 1000 },
      stopTimeoutMs: 300,
    });
    await stage.start();
    await stage.clock.advance(5000);
    expect(life(stage)).toEqual([
      '0 start api',
      '0 api started',
      '1000 api retrying:1',
      '1000 stop api',
      '2300 start api',
      '2300 api started',
    ]);
    expect(infoOf(stage)).toMatchObject({ up: true, abandonedRuns: 1 });
    const outcome = await stage.within(5000, stage.controller.stop());
    expect(outcome).toMatchObject({ unfinished: ['api'], exitCode: 1 });
  });
});

describe('startTimeoutMs', () => {
  it('counts from the call of each start', async () => {
    const stage = new Stage();
    const start = inTurn(
      () => stage.lasting(99).then(failing),
      () => stage.lasting(99),
    );
    stage.service('api', { start, startTimeoutMs: 100, restartPolicy: {} });
    await stage.start();
    await stage.clock.advance(10_000);
    expect(life(stage)).toEqual(['0 start api', '99 api retrying:1', '1099 start api', '1198 api started']);
    await stage.close();
    expect(stage.clock.pending).toBe(0);
  });

  it('keeps the process alive, and the wait for the reset interval does not', async () => {
    const stage = new Stage();
    stage.service('bounded', { start: never, startTimeoutMs: 100 });
    stage.service('pending', { start: never });
    await stage.start();
    expect(stage.clock.timers.map(({ delayMs, keepAlive }) => [delayMs, keepAlive])).toEqual([
      [100, true],
      [30_000, false],
    ]);
    await stage.close();
    expect(stage.clock.pending).toBe(0);
  });
});
