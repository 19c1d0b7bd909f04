import { describe, expect, it } from 'vitest';
import { Controller } from '../../src/index.js';
import { Deferred, never } from '../controller/support/deferred.js';
import { foreground, Stage, untilAborted } from '../controller/support/stage.js';
import { failing, infoOf, inTurn, life, Runs } from './support/services.js';

describe('restart(name)', () => {
  it('of one that is up stops it, starts it at once and resolves when it is up', async () => {
    const stage = new Stage();
    const up = new Deferred();
    stage.service('api', {
      start: inTurn(
        () => {},
        () => up.promise,
      ),
      stop: () => stage.lasting(200),
      restartPolicy: {},
    });
    await stage.start();
    const restarted = stage.watch(stage.controller.restart('api'));
    await stage.clock.advance(500);
    expect(restarted.settled).toBe(false);
    expect(infoOf(stage).up).toBe(false);
    up.resolve();
    await stage.settle();
    expect(restarted).toMatchObject({ settled: true, error: undefined, value: undefined });
    expect(life(stage)).toEqual(['0 start api', '0 api started', '0 stop api', '200 start api', '500 api started']);
    await stage.close();
    expect(stage.clock.pending).toBe(0);
  });

  it('of one in the foreground aborts its run and resolves when the new one says ready', async () => {
    const stage = new Stage();
    const runs = new Runs();
    stage.service('api', { start: runs.start });
    await stage.start();
    runs.last.ready();
    const restarted = stage.watch(stage.controller.restart('api'));
    await stage.settle();
    expect(runs.last.signal.reason).toMatchObject({ code: 'restart' });
    expect(runs.count).toBe(1);
    runs.reject();
    await stage.clock.advance(100);
    expect(runs.count).toBe(2);
    expect(restarted.settled).toBe(false);
    runs.last.ready();
    await stage.settle();
    expect(restarted.settled).toBe(true);
    expect(stage.trace(/^api/)).toEqual(['api started', 'api started']);
    runs.resolve();
    await stage.close();
  });

  it('of one that starts brings that start down and starts anew', async () => {
    const stage = new Stage();
    stage.service('api', { start: inTurn(untilAborted, () => {}) });
    await stage.start();
    await stage.promptly(stage.controller.restart('api'));
    expect(life(stage)).toEqual(['0 start api', '0 stop api', '0 start api', '0 api started']);
    await stage.close();
  });

  it('during a backoff does not wait for it, and the count begins anew', async () => {
    const stage = new Stage();
    stage.service('api', { start: inTurn(failing, failing, () => {}), restartPolicy: { initialBackoffMs: 1000 } });
    await stage.start();
    await stage.clock.advance(1000);
    expect(infoOf(stage).restartCount).toBe(2);
    await stage.promptly(stage.controller.restart('api'));
    expect(life(stage).slice(-2)).toEqual(['1000 start api', '1000 api started']);
    expect(infoOf(stage)).toMatchObject({ restartCount: 0, up: true });
    expect(infoOf(stage)).not.toHaveProperty('nextRestartAt');
    expect(stage.trace(/^stop/)).toEqual([]);
    await stage.clock.advance(10_000);
    expect(stage.trace(/^start/)).toHaveLength(3);
    await stage.close();
  });

  it('while a breach is bringing it down waits for that, then starts without a backoff', async () => {
    const stage = new Stage();
    const stopped = new Deferred();
    stage.service('api', {
      stop: () => stopped.promise,
      status: () => stage.trace(/^start/).length > 1,
      restartPolicy: { healthFailureThreshold: 1, healthCheckIntervalMs: 1000, initialBackoffMs: 30_000 },
    });
    await stage.start();
    await stage.clock.advance(1000);
    const restarted = stage.watch(stage.controller.restart('api'));
    await stage.clock.advance(500);
    expect(restarted.settled).toBe(false);
    stopped.resolve();
    await stage.settle();
    expect(restarted).toMatchObject({ settled: true, error: undefined });
    expect(life(stage)).toEqual([
      '0 start api',
      '0 api started',
      '1000 api retrying:1',
      '1000 stop api',
      '1500 start api',
      '1500 api started',
    ]);
    await stage.close();
  });

  it('of one that gave up while up waits for its stop before it starts anew', async () => {
    const stage = new Stage();
    const stopped = new Deferred();
    stage.service('api', {
      stop: () => stopped.promise,
      status: () => stage.trace(/^start/).length > 1,
      restartPolicy: { maxRestarts: 0, healthFailureThreshold: 1, healthCheckIntervalMs: 1000 },
    });
    await stage.start();
    await stage.clock.advance(1000);
    const restarted = stage.watch(stage.controller.restart('api'));
    await stage.clock.advance(500);
    expect(stage.trace(/^start/)).toHaveLength(1);
    stopped.resolve();
    await stage.settle();
    expect(restarted.settled).toBe(true);
    expect(life(stage).slice(-3)).toEqual(['1000 api failed:0', '1500 start api', '1500 api started']);
    await stage.close();
  });

  it('of one that waits for its dependencies resolves when it has come up after them', async () => {
    const stage = new Stage();
    const up = new Deferred();
    stage.service('db', { start: () => up.promise });
    stage.service('api', { dependsOn: 'db' });
    await stage.start();
    const restarted = stage.watch(stage.controller.restart('api'));
    await stage.clock.advance(1000);
    expect(restarted.settled).toBe(false);
    expect(stage.trace(/^start/)).toEqual(['start db']);
    up.resolve();
    await stage.settle();
    expect(restarted.settled).toBe(true);
    expect(stage.trace(/^(start|stop)/)).toEqual(['start db', 'start api']);
    await stage.close();
  });

  it('of one that has ended as expected starts it again', async () => {
    const stage = new Stage({ validError: () => true });
    stage.service('api', { start: inTurn(failing, () => {}) });
    await stage.start();
    await stage.promptly(stage.controller.restart('api'));
    expect(stage.trace(/^api/)).toEqual(['api ended', 'api started']);
    await stage.close();
  });

  it('of a completed one with a stop does not call it', async () => {
    const stage = new Stage();
    stage.service('job', { runToCompletion: true });
    await stage.start();
    await stage.promptly(stage.controller.restart('job'));
    expect(stage.trace(/^(start|stop)/)).toEqual(['start job', 'start job']);
    await stage.close();
  });

  it('asked for by several is done once for all', async () => {
    const stage = new Stage();
    stage.service('api', { stop: () => stage.lasting(100) });
    await stage.start();
    const all = [1, 2, 3].map(() => stage.watch(stage.controller.restart('api')));
    await stage.clock.advance(50);
    const late = stage.watch(stage.controller.restart('api'));
    await stage.clock.advance(50);
    expect([...all, late].map(({ settled }) => settled)).toEqual([true, true, true, true]);
    expect(stage.trace(/^(start|stop)/)).toEqual(['start api', 'stop api', 'start api']);
    await stage.close();
  });

  it('of one leaves the others alone, also those that depend on it', async () => {
    const stage = new Stage();
    stage.service('db');
    stage.service('api', { dependsOn: 'db' });
    await stage.start();
    await stage.promptly(stage.controller.restart('db'));
    expect(stage.trace(/^(start|stop)/)).toEqual(['start db', 'start api', 'stop db', 'start db']);
    await stage.close();
  });

  it('whose stop fails or hangs starts anew all the same', async () => {
    const stage = new Stage();
    stage.service('failing', {
      stop: inTurn(
        () => failing(),
        () => {},
      ),
    });
    stage.service('hanging', { stop: never, stopTimeoutMs: 300 });
    await stage.start();
    const restarted = ['failing', 'hanging'].map((name) => stage.watch(stage.controller.restart(name)));
    await stage.clock.advance(300);
    expect(restarted.map(({ atMs, error }) => [atMs, error])).toEqual([
      [0, undefined],
      [300, undefined],
    ]);
    expect(infoOf(stage, 'failing').stopError).toEqual(new Error('no port'));
    await stage.close();
  });

  it('keeps the process alive while it is awaited', async () => {
    const stage = new Stage();
    const runs = new Runs();
    stage.service('api', { start: runs.start, restartResetIntervalMs: 1_000_000 });
    await stage.start();
    expect(stage.clock.timers.filter(({ keepAlive }) => keepAlive)).toEqual([]);
    runs.last.ready();
    void stage.controller.restart('api');
    runs.reject();
    await stage.clock.advance(500_000);
    expect(stage.clock.timers.filter(({ keepAlive }) => keepAlive)).toHaveLength(1);
    runs.last.ready();
    await stage.settle();
    expect(stage.clock.timers.filter(({ keepAlive }) => keepAlive)).toEqual([]);
    runs.resolve();
    await stage.close();
    expect(stage.clock.pending).toBe(0);
  });
});

describe('restart(name) rejects', () => {
  it('with unknown_service for a name that is none, also that of a check', async () => {
    const stage = new Stage();
    stage.controller.registerCheck({ name: 'cpu', check: () => true });
    await stage.start();
    for (const name of ['nope', 'cpu', '__proto__', undefined as unknown as string]) {
      await expect(stage.controller.restart(name)).rejects.toMatchObject({ code: 'unknown_service' });
    }
    await stage.close();
  });

  it('with not_running before start, while stopping and after', async () => {
    const stage = new Stage({ drainDelayMs: 1000 });
    stage.service('api');
    const states: string[] = [];
    const ask = async () => {
      states.push(stage.controller.state);
      await expect(stage.controller.restart('api')).rejects.toMatchObject({ code: 'not_running' });
    };
    await ask();
    await stage.start();
    void stage.controller.stop();
    await ask();
    await stage.clock.advance(1000);
    await ask();
    expect(states).toEqual(['never_started', 'stopping', 'stopped']);
    expect(stage.trace(/^start/)).toEqual(['start api']);
  });

  it('with not_running when the shutdown overtakes it', async () => {
    const stage = new Stage();
    const runs = new Runs();
    stage.service('api', { start: inTurn(() => {}, runs.start) });
    await stage.start();
    const restarted = stage.watch(stage.controller.restart('api'));
    await stage.settle();
    void stage.controller.stop();
    await stage.settle();
    expect(restarted.error).toMatchObject({ code: 'not_running' });
    runs.resolve();
    await stage.close();
    expect(stage.clock.pending).toBe(0);
  });

  it('with not_running, and starts nothing, when its stop ends while the shutdown is busy with another', async () => {
    const stage = new Stage();
    stage.service('api', { stop: () => stage.lasting(100) });
    stage.service('slow', { stop: () => stage.lasting(1000) });
    await stage.start();
    const restarted = stage.watch(stage.controller.restart('api'));
    await stage.clock.advance(50);
    const outcome = stage.controller.stop();
    expect(await stage.within(5000, outcome)).toMatchObject({ unfinished: [] });
    expect(restarted.error).toMatchObject({ code: 'not_running' });
    expect(stage.timeline(/^(start|stop)/)).toEqual(['0 start api', '0 start slow', '0 stop api', '50 stop slow']);
    expect(stage.clock.pending).toBe(0);
  });

  it('with not_running when the shutdown overtakes one that waits', async () => {
    const stage = new Stage();
    stage.service('db', { start: failing });
    stage.service('api', { dependsOn: 'db' });
    await stage.start();
    const restarted = stage.watch(stage.controller.restart('api'));
    await stage.close();
    expect(restarted.error).toMatchObject({ code: 'not_running' });
    expect(stage.trace(/^start/)).toEqual(['start db']);
  });

  it('with restart_failed and the error as thrown when the new run fails, also where it is retried', async () => {
    const stage = new Stage();
    const error = new Error('no port');
    stage.service('api', {
      start: inTurn(
        () => {},
        () => Promise.reject(error),
        () => {},
      ),
      restartPolicy: {},
    });
    await stage.start();
    const restarted = stage.watch(stage.controller.restart('api'));
    await stage.settle();
    expect(restarted.error).toMatchObject({ code: 'restart_failed', cause: error });
    expect(String(restarted.error)).toContain('"api"');
    expect(stage.trace(/^api/)).toEqual(['api started', 'api retrying:1']);
    await stage.close();
  });

  it('with restart_failed when the new run times out, or ends as expected', async () => {
    const stage = new Stage({ validError: () => true });
    stage.service('slow', { start: inTurn(() => {}, untilAborted), startTimeoutMs: 100 });
    stage.service('ended', { start: inTurn(() => {}, failing) });
    await stage.start();
    const restarted = ['slow', 'ended'].map((name) => stage.watch(stage.controller.restart(name)));
    await stage.clock.advance(100);
    expect(restarted.map(({ error }) => error)).toMatchObject([
      { code: 'restart_failed', cause: { code: 'start_timeout' } },
      { code: 'restart_failed', cause: new Error('no port') },
    ]);
    await stage.close();
  });

  it('with restart_failed for a late registration', async () => {
    const stage = new Stage();
    await stage.start();
    stage.service('late');
    await expect(stage.controller.restart('late')).rejects.toMatchObject({ code: 'restart_failed' });
    expect(stage.trace(/^start/)).toEqual([]);
    await stage.close();
  });

  it('without an unhandled rejection only where it is caught: it is a promise like any other', async () => {
    await expect(new Controller().restart('api')).rejects.toMatchObject({ code: 'unknown_service' });
  });
});

describe('restart(name) inside a listener', () => {
  it.each(['retrying', 'unable_to_start', 'started'] as const)(
    'of %s takes effect when the dispatch has ended',
    async (kind) => {
      const stage = new Stage();
      let restarts = 0;
      stage.controller.on('service', (event) => {
        if (event.kind !== kind || restarts++ > 0) return;
        void stage.controller.restart('api').then(() => stage.note('restarted'));
        stage.note(`asked ${stage.controller.state}`);
      });
      stage.controller.on('service', (event) => stage.note(`second listener ${event.kind}`));
      stage.service('api', {
        start: kind === 'started' ? () => {} : inTurn(failing, () => {}),
        ...(kind === 'retrying' ? { restartPolicy: {} } : undefined),
      });
      await stage.start();
      expect(stage.timeline()).toEqual(
        {
          retrying: [
            '0 state running',
            '0 start api',
            '0 api retrying:1',
            '0 asked running',
            '0 second listener retrying',
            '0 start api',
            '0 api started',
            '0 second listener started',
            '0 restarted',
          ],
          unable_to_start: [
            '0 state running',
            '0 start api',
            '0 api unable_to_start:0',
            '0 asked running',
            '0 second listener unable_to_start',
            '0 start api',
            '0 api started',
            '0 second listener started',
            '0 restarted',
          ],
          started: [
            '0 state running',
            '0 start api',
            '0 api started',
            '0 asked running',
            '0 second listener started',
            '0 stop api',
            '0 start api',
            '0 api started',
            '0 second listener started',
            '0 restarted',
          ],
        }[kind],
      );
      expect(stage.controller.state).toBe('running');
      await stage.close();
      expect(stage.clock.pending).toBe(0);
    },
  );

  it('of one that has just come up restarts it, and those that wait for it start once', async () => {
    const stage = new Stage();
    let asked = false;
    stage.service('db');
    stage.service('api', { dependsOn: 'db' });
    stage.controller.on('service', ({ service }) => {
      if (service !== 'db' || asked) return;
      asked = true;
      void stage.controller.restart('db');
    });
    await stage.start();
    expect(stage.trace(/^start api/)).toHaveLength(1);
    expect(stage.trace(/^(start|stop) db/)).toEqual(['start db', 'stop db', 'start db']);
    expect(infoOf(stage).up).toBe(true);
    await stage.close();
  });

  it('of the state running is refused by nobody and starts the service once', async () => {
    const stage = new Stage();
    let restarted: Promise<void> | undefined;
    stage.controller.on('state', ({ to }) => {
      if (to === 'running') restarted = stage.controller.restart('api');
    });
    stage.service('api', { start: foreground(never()), stopTimeoutMs: 1 });
    await stage.start();
    await restarted;
    expect(infoOf(stage).up).toBe(true);
    await stage.close();
  });

  it.each([
    ['at once', 0],
    ['after a while', 200],
  ])(
    'of a breach that was to stop the controller keeps it running, with a stop that takes effect %s',
    async (_, ms) => {
      // The shutdown won where the stop took its time, and lost where it did not.
      const stage = new Stage();
      let sick = true;
      stage.controller.on('service', ({ kind }) => {
        sick = false;
        if (kind === 'failed') void stage.controller.restart('api');
      });
      stage.service('api', {
        stop: () => (ms === 0 ? undefined : stage.lasting(ms)),
        status: () => !sick,
        stopOnGiveUp: { healthFailureThreshold: 1, healthCheckIntervalMs: 1000 },
      });
      await stage.start();
      sick = true;
      await stage.clock.advance(10_000);
      expect(stage.timeline(/^(start|stop|api|state)/)).toEqual([
        '0 state running',
        '0 start api',
        '0 api started',
        '1000 api failed:0',
        '1000 stop api',
        `${1000 + ms} start api`,
        `${1000 + ms} api started`,
      ]);
      expect(infoOf(stage).up).toBe(true);
      await stage.close();
      expect(stage.clock.pending).toBe(0);
    },
  );

  it('of a breach that was to stop the controller, failing at once, leaves nothing for the shutdown to stop', async () => {
    const stage = new Stage();
    let asked: Promise<unknown> | undefined;
    stage.controller.on('service', ({ kind }) => {
      if (kind === 'failed') asked ??= stage.controller.restart('api').catch((error: unknown) => error);
    });
    stage.service('api', {
      start: inTurn(() => {}, failing),
      status: () => false,
      stopOnGiveUp: { healthFailureThreshold: 1, healthCheckIntervalMs: 1000 },
    });
    await stage.start();
    await stage.clock.advance(1000);
    expect(await asked).toMatchObject({ code: 'restart_failed' });
    expect(await stage.promptly(stage.controller.wait())).toMatchObject({ cause: 'gave_up', service: 'api' });
    expect(stage.trace(/^(start|stop)/)).toEqual(['start api', 'stop api', 'start api']);
  });
});
