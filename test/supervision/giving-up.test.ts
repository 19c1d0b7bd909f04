import { describe, expect, it } from 'vitest';
import { Stage } from '../controller/support/stage.js';
import { failing, infoOf, inTurn, life, Runs } from './support/services.js';

const SICK = { restartPolicy: { maxRestarts: 0, healthFailureThreshold: 1, healthCheckIntervalMs: 1000 } };

describe('giving up', () => {
  it('is told as unable_to_start by one that never was up, and leads to the state of that name', async () => {
    const stage = new Stage();
    const error = new Error('no port');
    stage.service('api', { start: () => Promise.reject(error), restartPolicy: { maxRestarts: 1 } });
    stage.service('other');
    await stage.start();
    await stage.clock.advance(100_000);
    expect(stage.timeline(/^(api|state|stop)/)).toEqual([
      '0 state running',
      '0 api retrying:1',
      '1000 api unable_to_start:1',
      '1000 state unable_to_start',
    ]);
    expect(infoOf(stage)).toMatchObject({ up: false, restartCount: 1 });
    expect(infoOf(stage).error).toBe(error);
    // Nothing is stopped, readiness is false, the process is alive.
    expect(infoOf(stage, 'other').up).toBe(true);
    expect(await stage.controller.readiness()).toMatchObject({ overallHealthy: false, reason: 'unable_to_start' });
    expect((await stage.controller.liveness()).overallHealthy).toBe(true);
    await stage.close();
    expect(stage.clock.pending).toBe(0);
  });

  it('is told as failed by one that had been up, and the controller carries on', async () => {
    const stage = new Stage();
    const runs = new Runs();
    const error = new Error('lost');
    stage.service('api', { start: runs.start, restartPolicy: { maxRestarts: 1 } });
    stage.service('other');
    await stage.start();
    runs.last.ready();
    runs.reject();
    await stage.clock.advance(1000);
    runs.reject(error);
    await stage.clock.advance(100_000);
    expect(stage.timeline(/^(api|state|stop)/)).toEqual([
      '0 state running',
      '0 api started',
      '0 api retrying:1',
      '1000 api failed:1',
    ]);
    expect(infoOf(stage)).toMatchObject({ up: false, restartCount: 1, error });
    expect((await stage.controller.readiness()).overallHealthy).toBe(true);
    await stage.close();
  });

  it('of one that had completed once and fails when it is done anew is told as failed', async () => {
    const stage = new Stage();
    stage.service('job', { start: inTurn(() => {}, failing), runToCompletion: true });
    await stage.start();
    const restarted = stage.watch(stage.controller.restart('job'));
    await stage.settle();
    expect(stage.trace(/^(job|state)/)).toEqual(['state running', 'job completed', 'job failed:0']);
    expect(restarted.error).toMatchObject({ code: 'restart_failed' });
    await stage.close();
  });

  it('tells the error of its last run, and the event comes before the state', async () => {
    const stage = new Stage();
    const errors: unknown[] = [];
    stage.controller.on('service', ({ error }) => errors.push(error));
    stage.controller.on('service', () => stage.note(`in ${stage.controller.state}`));
    const start = inTurn(
      () => Promise.reject(new Error('first')),
      () => Promise.reject(new Error('second')),
    );
    stage.service('api', { start, restartPolicy: { maxRestarts: 1 } });
    await stage.start();
    await stage.clock.advance(1000);
    expect(errors).toEqual([new Error('first'), new Error('second')]);
    expect(stage.trace(/^(in|state)/)).toEqual(['state running', 'in running', 'in running', 'state unable_to_start']);
    await stage.close();
  });

  it('after a breach stops the service and waits for it within its bound', async () => {
    const stage = new Stage();
    stage.service('api', { ...SICK, status: () => false, stop: () => stage.lasting(2000), stopTimeoutMs: 5000 });
    await stage.start();
    await stage.clock.advance(50_000);
    expect(life(stage)).toEqual(['0 start api', '0 api started', '1000 stop api', '1000 api failed:0']);
    expect(infoOf(stage).up).toBe(false);
    expect(stage.clock.pending).toBe(0);
    await stage.close();
    expect(stage.trace(/^stop/)).toHaveLength(1);
  });

  it('after a breach whose stop fails keeps what it threw, which is no stop error of the shutdown', async () => {
    const stage = new Stage();
    const error = new Error('no stop');
    stage.service('api', { ...SICK, status: () => false, stop: () => Promise.reject(error) });
    await stage.start();
    await stage.clock.advance(5000);
    expect(infoOf(stage).stopError).toBe(error);
    expect(await stage.promptly(stage.controller.stop())).toMatchObject({ stopErrors: [], exitCode: 0 });
  });

  it('leaves the other services alone, and the shutdown does not stop it', async () => {
    const stage = new Stage();
    stage.service('api', { start: failing });
    stage.service('other');
    await stage.start();
    expect(await stage.promptly(stage.controller.stop())).toMatchObject({ cause: 'stop', exitCode: 0 });
    expect(stage.trace(/^stop/)).toEqual(['stop other']);
  });

  it('of one does not end the restarts of another, and unable_to_start is told once for both', async () => {
    const stage = new Stage();
    stage.service('a', { start: failing });
    stage.service('b', { start: failing, restartPolicy: { maxRestarts: 2 } });
    await stage.start();
    await stage.clock.advance(10_000);
    expect(stage.timeline(/^(a|b|state) /)).toEqual([
      '0 state running',
      '0 a unable_to_start:0',
      '0 state unable_to_start',
      '0 b retrying:1',
      '1000 b retrying:2',
      '3000 b unable_to_start:2',
    ]);
    await stage.close();
  });

  it('is for good: nothing is tried again, however long', async () => {
    const stage = new Stage();
    stage.service('api', { start: failing, restartPolicy: { maxRestarts: 3 } });
    await stage.start();
    await stage.clock.advance(7 * 86_400_000);
    expect(stage.trace(/^start/)).toHaveLength(4);
    expect(stage.clock.pending).toBe(0);
    await stage.close();
  });

  it('is undone by a restart by hand once the cause has healed', async () => {
    // Case 104: dead for ever after the budget is spent.
    const stage = new Stage();
    stage.service('api', {
      start: () => (stage.atMs < 60_000 ? failing() : undefined),
      restartPolicy: { maxRestarts: 3 },
    });
    await stage.start();
    await stage.clock.advance(60_000);
    expect(stage.controller.state).toBe('unable_to_start');
    expect(infoOf(stage)).toMatchObject({ restartCount: 3, error: new Error('no port') });
    await stage.promptly(stage.controller.restart('api'));
    expect(infoOf(stage)).toMatchObject({ up: true, restartCount: 0 });
    expect(stage.trace(/^state/)).toEqual(['state running', 'state unable_to_start', 'state running']);
    expect((await stage.controller.readiness()).overallHealthy).toBe(true);
    await stage.close();
  });

  it('by all is undone only when the last has come back', async () => {
    const stage = new Stage();
    const start = () => (stage.atMs < 1000 ? failing() : undefined);
    for (const name of ['a', 'b']) stage.service(name, { start });
    await stage.start();
    await stage.clock.advance(1000);
    await stage.promptly(stage.controller.restart('a'));
    expect(stage.controller.state).toBe('unable_to_start');
    await stage.promptly(stage.controller.restart('b'));
    expect(stage.trace(/^(state|a|b) /)).toEqual([
      'state running',
      'a unable_to_start:0',
      'state unable_to_start',
      'b unable_to_start:0',
      'a started',
      'b started',
      'state running',
    ]);
    await stage.close();
  });

  it('is not undone by a restart by hand that fails', async () => {
    const stage = new Stage();
    stage.service('api', { start: failing });
    await stage.start();
    const restarted = stage.watch(stage.controller.restart('api'));
    await stage.settle();
    expect(restarted.error).toMatchObject({ code: 'restart_failed', cause: new Error('no port') });
    expect(stage.trace(/^(state|api)/)).toEqual([
      'state running',
      'api unable_to_start:0',
      'state unable_to_start',
      'api unable_to_start:0',
    ]);
    await stage.close();
  });

  it('leads back to running also by a restart that completes, and by one that is retried first', async () => {
    const stage = new Stage();
    stage.service('job', { start: inTurn(failing, () => {}), runToCompletion: true });
    stage.service('api', { start: inTurn(failing, failing, failing, () => {}), restartPolicy: { maxRestarts: 1 } });
    await stage.start();
    await stage.clock.advance(1000);
    await stage.promptly(stage.controller.restart('job'));
    const restarted = stage.watch(stage.controller.restart('api'));
    await stage.clock.advance(1000);
    expect(restarted.error).toMatchObject({ code: 'restart_failed' });
    expect(stage.controller.state).toBe('running');
    expect(infoOf(stage).up).toBe(true);
    await stage.close();
    expect(stage.clock.pending).toBe(0);
  });
});

describe('withStopOnGiveUp', () => {
  it('without a policy shuts down at the first failure, naming service and error', async () => {
    const stage = new Stage();
    const error = new Error('no port');
    stage.service('api', { start: () => Promise.reject(error), stopOnGiveUp: true });
    stage.service('other');
    await stage.start();
    const outcome = await stage.promptly(stage.controller.wait());
    expect(outcome).toEqual({
      cause: 'gave_up',
      service: 'api',
      error,
      unfinished: [],
      stopErrors: [],
      exitCode: 1,
      durationMs: 0,
    });
    expect(outcome.error).toBe(error);
    expect(stage.trace(/^(state|stop|api)/)).toEqual([
      'state running',
      'api unable_to_start:0',
      'state unable_to_start',
      'state stopping',
      'stop other',
      'state stopped',
    ]);
  });

  it('with a policy shuts down once that has given up, not before', async () => {
    const stage = new Stage();
    const runs = new Runs();
    stage.service('api', { start: runs.start, stopOnGiveUp: true, restartPolicy: { maxRestarts: 1 } });
    await stage.start();
    runs.last.ready();
    runs.reject();
    await stage.clock.advance(1000);
    expect(stage.controller.state).toBe('running');
    runs.reject(new Error('again'));
    expect(await stage.promptly(stage.controller.wait())).toMatchObject({
      cause: 'gave_up',
      service: 'api',
      error: new Error('again'),
      exitCode: 1,
    });
    expect(stage.trace(/^(state|stop|api)/)).toEqual([
      'state running',
      'api started',
      'api retrying:1',
      'api failed:1',
      'state stopping',
      'state stopped',
    ]);
  });

  it('after a breach leaves the stop to the shutdown, which stops it after what depends on it', async () => {
    const stage = new Stage({ drainDelayMs: 500 });
    stage.service('db', { ...SICK, status: () => false, stopOnGiveUp: true });
    stage.service('api', { dependsOn: 'db' });
    await stage.start();
    await stage.clock.advance(10_000);
    expect(stage.timeline(/^(stop|db)/)).toEqual(['0 db started', '1000 db failed:0', '1500 stop api', '1500 stop db']);
    expect(stage.clock.pending).toBe(0);
  });

  it.each([
    ['without figures', {}, 30_000, 3],
    ['with a threshold', { healthFailureThreshold: 2 }, 20_000, 2],
    ['with an interval', { healthCheckIntervalMs: 500 }, 1500, 3],
  ])(
    '%s watches the status probe of a service without a policy: the death watch',
    async (_, stopOnGiveUp, at, polls) => {
      const stage = new Stage();
      stage.service('api', { status: () => false, stopOnGiveUp });
      await stage.start();
      await stage.clock.advance(at - 1);
      expect(stage.controller.state).toBe('running');
      await stage.clock.advance(1);
      expect(stage.timeline(/^(api|state)/)).toEqual([
        '0 state running',
        '0 api started',
        `${at} api failed:0`,
        `${at} state stopping`,
        `${at} state stopped`,
      ]);
      expect(stage.trace(/^status/)).toHaveLength(polls);
      expect(await stage.controller.wait()).toMatchObject({ cause: 'gave_up', service: 'api', exitCode: 1 });
    },
  );

  it('does not watch where the policy has no threshold: the policy says what is polled', async () => {
    const stage = new Stage();
    stage.service('api', { status: () => false, stopOnGiveUp: true, restartPolicy: {} });
    await stage.start();
    await stage.clock.advance(1_000_000);
    expect(stage.trace(/^status/)).toEqual([]);
    expect(stage.controller.state).toBe('running');
    await stage.close();
  });

  it('false, or absent, stops nothing', async () => {
    const stage = new Stage();
    stage.service('api', { start: failing, stopOnGiveUp: false, status: () => false });
    stage.service('other', { start: failing, status: () => false });
    await stage.start();
    await stage.clock.advance(1_000_000);
    expect(stage.controller.state).toBe('unable_to_start');
    await stage.close();
  });

  it('does nothing for an expected end, a completed run or a clean start', async () => {
    const stage = new Stage({ validError: () => true });
    stage.service('ended', { start: failing, stopOnGiveUp: true });
    stage.service('done', { runToCompletion: true, stopOnGiveUp: true });
    stage.service('up', { stopOnGiveUp: true });
    await stage.start();
    await stage.clock.advance(1_000_000);
    expect(stage.controller.state).toBe('running');
    await stage.close();
  });

  it('during a shutdown that has another cause does not change that', async () => {
    const stage = new Stage({ drainDelayMs: 1000 });
    const runs = new Runs();
    stage.service('api', { start: runs.start, stopOnGiveUp: true });
    await stage.start();
    const outcome = stage.controller.stop('by hand');
    runs.reject();
    expect(await stage.within(1000, outcome)).toMatchObject({ cause: 'stop', reason: 'by hand', exitCode: 0 });
  });

  it('that a listener answers with a restart by hand still shuts down, with nothing started', async () => {
    const stage = new Stage();
    let asked: Promise<unknown> | undefined;
    stage.service('api', { start: failing, stopOnGiveUp: true });
    stage.controller.on('state', ({ to }) => {
      if (to === 'stopping') asked = stage.controller.restart('api').catch((error: unknown) => error);
    });
    await stage.start();
    expect(await stage.promptly(stage.controller.wait())).toMatchObject({ cause: 'gave_up' });
    expect(await asked).toMatchObject({ code: 'not_running' });
    expect(stage.trace(/^start/)).toHaveLength(1);
  });
});
