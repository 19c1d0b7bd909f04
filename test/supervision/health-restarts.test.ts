import { describe, expect, it } from 'vitest';
import { degraded, isHealthControllerError, type StopContext, unhealthy } from '../../src/index.js';
import { Deferred, never } from '../controller/support/deferred.js';
import { foreground, Stage, untilAborted } from '../controller/support/stage.js';
import { infoOf, inTurn, life } from './support/services.js';

const EVERY_SECOND = { healthFailureThreshold: 2, healthCheckIntervalMs: 1000 };

describe('polling the status probe', () => {
  it('begins an interval after the service has come up, and goes on at the interval', async () => {
    const stage = new Stage();
    const up = new Deferred();
    stage.service('api', { start: () => up.promise, status: () => true, restartPolicy: EVERY_SECOND });
    await stage.start();
    await stage.clock.advance(1500);
    up.resolve();
    await stage.clock.advance(3500);
    expect(stage.timeline(/^status/)).toEqual(['2500 status api', '3500 status api', '4500 status api']);
    await stage.close();
    expect(stage.clock.pending).toBe(0);
  });

  it('does not take place without a threshold or without a status probe, whatever other probes there are', async () => {
    const stage = new Stage();
    stage.service('none', { status: () => false, restartPolicy: { healthCheckIntervalMs: 1000 } });
    stage.service('other', { liveness: () => false, readiness: () => false, restartPolicy: EVERY_SECOND });
    stage.service('plain', { status: () => false });
    await stage.start();
    await stage.clock.advance(100_000);
    expect(stage.trace(/^(status|liveness|readiness)/)).toEqual([]);
    expect(stage.clock.pending).toBe(0);
    await stage.close();
  });

  it('polls the status probe even where there are others for the reports', async () => {
    const stage = new Stage();
    stage.service('api', {
      status: () => true,
      liveness: () => false,
      readiness: () => false,
      restartPolicy: EVERY_SECOND,
    });
    await stage.start();
    await stage.clock.advance(5500);
    expect(stage.trace(/^(status|liveness|readiness|api r)/)).toEqual(Array.from({ length: 5 }, () => 'status api'));
    await stage.close();
  });

  it('never keeps the process alive', async () => {
    const stage = new Stage();
    stage.service('api', { status: () => true, restartPolicy: EVERY_SECOND });
    stage.service('watched', { status: () => true, stopOnGiveUp: true });
    await stage.start();
    await stage.clock.advance(1000);
    expect(stage.clock.timers.map(({ keepAlive }) => keepAlive)).toEqual([false, false]);
    await stage.close();
  });

  it('never has two polls at a time: a slow one makes ticks skip, without catching up', async () => {
    const stage = new Stage();
    const status = inTurn(
      () => stage.lasting(2500).then(() => true),
      () => true,
    );
    stage.service('api', { status: status as () => true, restartPolicy: EVERY_SECOND });
    await stage.start();
    await stage.clock.advance(6000);
    expect(stage.timeline(/^status/)).toEqual([
      '1000 status api',
      '4000 status api',
      '5000 status api',
      '6000 status api',
    ]);
    await stage.close();
  });

  it('shares a run with a report that is under way', async () => {
    const stage = new Stage();
    const answer = new Deferred<boolean>();
    stage.service('api', {
      status: () => answer.promise,
      restartPolicy: { ...EVERY_SECOND, healthFailureThreshold: 1 },
    });
    await stage.start();
    await stage.clock.advance(999);
    const report = stage.controller.status();
    await stage.clock.advance(1);
    expect(stage.trace(/^status/)).toEqual(['status api']);
    answer.resolve(false);
    expect((await report).overallHealthy).toBe(false);
    await stage.settle();
    expect(stage.trace(/^api/)).toEqual(['api started', 'api retrying:1']);
    await stage.close();
  });

  it('goes on while the controller drains, and ends with it', async () => {
    const stage = new Stage({ drainDelayMs: 3000 });
    stage.service('api', { status: () => true, restartPolicy: EVERY_SECOND, stop: () => stage.lasting(4000) });
    await stage.start();
    void stage.controller.stop();
    await stage.clock.advance(10_000);
    const at = stage.timeline(/^(status|stop)/);
    expect(at.slice(0, 2)).toEqual(['1000 status api', '2000 status api']);
    expect(at.at(-1)).toBe('3000 stop api');
    expect(stage.clock.pending).toBe(0);
  });

  it('of a completed service does not take place, but its probes count in reports', async () => {
    const stage = new Stage();
    stage.service('job', { runToCompletion: true, status: () => false, restartPolicy: EVERY_SECOND });
    stage.service('other', { runToCompletion: true, status: () => false, stopOnGiveUp: true });
    await stage.start();
    await stage.clock.advance(100_000);
    expect(stage.trace(/^(status|job r|other f)/)).toEqual([]);
    expect((await stage.controller.readiness()).overallHealthy).toBe(false);
    expect(stage.controller.state).toBe('running');
    await stage.close();
  });

  it('of a completed service that had said ready ends when it completes', async () => {
    const stage = new Stage();
    stage.service('job', {
      runToCompletion: true,
      start: ({ ready }) => {
        ready();
        return stage.lasting(2500);
      },
      status: () => true,
      restartPolicy: EVERY_SECOND,
    });
    await stage.start();
    await stage.clock.advance(10_000);
    expect(stage.timeline(/^(status|job)/)).toEqual([
      '0 job started',
      '1000 status job',
      '2000 status job',
      '2500 job completed',
    ]);
    await stage.close();
  });
});

describe('a breach', () => {
  it('comes at the threshold of failed polls in a row: degraded is no failure', async () => {
    const stage = new Stage();
    const polls = [false, degraded('slow'), false, unhealthy('no'), true];
    let poll = 0;
    stage.service('api', { status: () => polls[poll++] ?? true, restartPolicy: EVERY_SECOND });
    await stage.start();
    await stage.clock.advance(6000);
    expect(stage.timeline(/^(api|stop|start)/)).toEqual([
      '0 start api',
      '0 api started',
      '4000 api retrying:1',
      '4000 stop api',
      '5000 start api',
      '5000 api started',
    ]);
    expect(infoOf(stage).error).toEqual(new Error('status probe failed 2 times in a row: no'));
    await stage.close();
  });

  it('comes at once when the probe panics, not when it throws an Error', async () => {
    for (const [thrown, at] of [
      ['kaput', '1000 api retrying:1'],
      [new Error('no'), '2000 api retrying:1'],
    ] as const) {
      const stage = new Stage();
      stage.service('api', {
        status: () => {
          throw thrown;
        },
        restartPolicy: EVERY_SECOND,
      });
      await stage.start();
      await stage.clock.advance(2500);
      expect(stage.timeline(/retrying/)[0]).toBe(at);
      await stage.close();
    }
  });

  it('comes of a probe that hangs: each poll that outlives the probe timeout is a failed one', async () => {
    const stage = new Stage();
    stage.service('api', {
      status: () => (stage.trace(/^start/).length === 1 ? never() : true),
      probeTimeoutMs: 500,
      restartPolicy: EVERY_SECOND,
    });
    await stage.start();
    await stage.clock.advance(2500);
    expect(stage.timeline(/retrying/)).toEqual(['2500 api retrying:1']);
    expect(infoOf(stage).error).toEqual(new Error('status probe failed 2 times in a row: probe timed out'));
    await stage.close();
    expect(stage.clock.pending).toBe(0);
  });

  it('does not come of reports, however many: only polls are counted', async () => {
    const stage = new Stage();
    stage.service('api', { status: () => false, restartPolicy: EVERY_SECOND });
    await stage.start();
    for (let time = 0; time < 10; time++) await stage.promptly(stage.controller.status());
    expect(stage.trace(/retrying/)).toEqual([]);
    await stage.close();
  });

  it('begins to count anew with each run', async () => {
    const stage = new Stage();
    let sick = true;
    stage.service('api', { status: () => !sick, restartPolicy: EVERY_SECOND });
    await stage.start();
    await stage.clock.advance(1000);
    await stage.promptly(stage.controller.restart('api'));
    await stage.clock.advance(1000);
    sick = false;
    await stage.clock.advance(1000);
    expect(stage.trace(/retrying/)).toEqual([]);
    await stage.close();
  });

  it('whose poll answers after the run has ended changes nothing', async () => {
    const stage = new Stage();
    const answer = new Deferred<boolean>();
    stage.service('api', {
      status: () => answer.promise,
      restartPolicy: { ...EVERY_SECOND, healthFailureThreshold: 1 },
    });
    await stage.start();
    await stage.clock.advance(1000);
    await stage.promptly(stage.controller.restart('api'));
    answer.resolve(false);
    await stage.settle();
    expect(stage.trace(/^(api|start|stop)/)).toEqual([
      'start api',
      'api started',
      'stop api',
      'start api',
      'api started',
    ]);
    await stage.close();
  });

  it('counts for the reset to the first failed poll of its streak', async () => {
    // Counted to the breach, three polls of 10 s would reset the count each time, and giving up would never come.
    const stage = new Stage();
    stage.service('api', {
      status: () => false,
      restartPolicy: { maxRestarts: 1, healthFailureThreshold: 3, restartResetIntervalMs: 30_000 },
    });
    await stage.start();
    await stage.clock.advance(100_000);
    expect(stage.timeline(/^api/)).toEqual([
      '0 api started',
      '30000 api retrying:1',
      '31000 api started',
      '61000 api failed:1',
    ]);
    await stage.close();
  });
});

describe('a health restart', () => {
  it('aborts the run, calls stop, waits for both, then for its backoff', async () => {
    const stage = new Stage();
    stage.service('api', {
      start: async (context) => {
        context.ready();
        await untilAborted(context).catch(() => {});
        stage.note('abort api');
        await stage.lasting(700);
        throw new Error('brought down');
      },
      stop: () => stage.lasting(400),
      status: () => stage.trace(/^start/).length > 1,
      restartPolicy: EVERY_SECOND,
    });
    await stage.start();
    await stage.clock.advance(5000);
    expect(life(stage)).toEqual([
      '0 start api',
      '0 api started',
      '2000 api retrying:1',
      '2000 stop api',
      '2000 abort api',
      '3700 start api',
      '3700 api started',
    ]);
    // What it ended with is not a failure of its own.
    expect(infoOf(stage)).toMatchObject({ restartCount: 1, up: true, abandonedRuns: 0 });
    await stage.close();
    expect(stage.clock.pending).toBe(0);
  });

  it('waits for the stop no longer than stopTimeoutMs, and aborts its signal then', async () => {
    const stage = new Stage();
    const contexts: StopContext[] = [];
    stage.service('api', {
      stop: (context) => {
        contexts.push(context);
        return stage.trace(/^stop/).length === 1 ? never() : undefined;
      },
      status: () => stage.trace(/^start/).length > 1,
      stopTimeoutMs: 300,
      restartPolicy: EVERY_SECOND,
    });
    await stage.start();
    await stage.clock.advance(2299);
    expect(contexts[0]).toMatchObject({ deadlineMs: 300 });
    expect(contexts[0]?.signal.aborted).toBe(false);
    await stage.clock.advance(1);
    expect(isHealthControllerError(contexts[0]?.signal.reason, 'stop_timeout')).toBe(true);
    await stage.clock.advance(1000);
    expect(stage.timeline(/^start/)).toEqual(['0 start api', '3300 start api']);
    expect(isHealthControllerError(infoOf(stage).stopError, 'stop_timeout')).toBe(true);
    expect(await stage.promptly(stage.controller.stop())).toMatchObject({ unfinished: ['api'] });
    expect(stage.clock.pending).toBe(0);
  });

  it('waits by default as long as the shutdown would', async () => {
    const stage = new Stage({ shutdownTimeoutMs: 1234 });
    stage.service('api', { stop: never, status: () => stage.trace(/^start/).length > 1, restartPolicy: EVERY_SECOND });
    await stage.start();
    await stage.clock.advance(10_000);
    expect(stage.timeline(/^start/)).toEqual(['0 start api', '4234 start api']);
    await stage.close();
  });

  it('waits one turn of the loop with a shutdownTimeoutMs of 0', async () => {
    const stage = new Stage({ shutdownTimeoutMs: 0 });
    stage.service('api', { stop: never, status: () => stage.trace(/^start/).length > 1, restartPolicy: EVERY_SECOND });
    await stage.start();
    await stage.clock.advance(10_000);
    expect(stage.timeline(/^start/)).toEqual(['0 start api', '3000 start api']);
    await stage.close();
  });

  it.each([
    [
      'throws',
      (error: Error) => () => {
        throw error;
      },
    ],
    ['rejects', (error: Error) => () => Promise.reject(error)],
  ])('goes on when stop %s, and serviceInfo keeps what it threw', async (_, failing) => {
    const stage = new Stage();
    const error = new Error('no stop');
    stage.service('api', {
      stop: inTurn(failing(error), () => {}),
      status: () => stage.trace(/^start/).length > 1,
      restartPolicy: EVERY_SECOND,
    });
    await stage.start();
    await stage.clock.advance(3000);
    expect(infoOf(stage)).toMatchObject({ up: true, restartCount: 1 });
    expect(infoOf(stage).stopError).toBe(error);
    expect(stage.lines.filter(({ level }) => level === 'error').map(({ message }) => message)).toEqual([
      'service "api" failed: status probe failed 2 times in a row: check returned false; restart 1 in 1000 ms',
      'the stop of service "api" failed',
    ]);
    // It was no stop of the shutdown.
    expect(await stage.promptly(stage.controller.stop())).toMatchObject({ stopErrors: [], exitCode: 0 });
  });

  it('of a service without a stop aborts its run only', async () => {
    const stage = new Stage();
    stage.controller.register('api', {
      start: (context) => foreground(untilAborted(context))(context),
      status: () => false,
      restartPolicy: { ...EVERY_SECOND, maxRestarts: 1 },
    });
    await stage.start();
    await stage.clock.advance(10_000);
    expect(stage.timeline(/^api/)).toEqual([
      '0 api started',
      '2000 api retrying:1',
      '3000 api started',
      '5000 api failed:1',
    ]);
    await stage.close();
    expect(stage.clock.pending).toBe(0);
  });

  it('that a shutdown overtakes is finished by it: stop is called once, nothing is started', async () => {
    const stage = new Stage();
    const stopped = new Deferred();
    stage.service('api', { stop: () => stopped.promise, status: () => false, restartPolicy: EVERY_SECOND });
    await stage.start();
    await stage.clock.advance(2000);
    const outcome = stage.watch(stage.controller.stop());
    await stage.clock.advance(100);
    expect(outcome.settled).toBe(false);
    stopped.resolve();
    await stage.clock.advance(10_000);
    expect(outcome.value).toMatchObject({ unfinished: [], durationMs: 100 });
    expect(stage.trace(/^(start|stop)/)).toEqual(['start api', 'stop api']);
    expect(stage.clock.pending).toBe(0);
  });

  it('that a shutdown overtakes in its backoff starts nothing and stops nothing twice', async () => {
    const stage = new Stage();
    stage.service('api', { status: () => false, restartPolicy: EVERY_SECOND });
    await stage.start();
    await stage.clock.advance(2500);
    expect(await stage.promptly(stage.controller.stop())).toMatchObject({ unfinished: [], durationMs: 0 });
    expect(stage.trace(/^(start|stop)/)).toEqual(['start api', 'stop api']);
  });
});
