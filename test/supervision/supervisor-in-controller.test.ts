import { describe, expect, it } from 'vitest';
import { type StopContext, Supervisor } from '../../src/index.js';
import { never } from '../controller/support/deferred.js';
import { Stage, untilAborted } from '../controller/support/stage.js';
import { failing, infoOf } from './support/services.js';

describe('a supervisor that is registered as a service', () => {
  it('starts and stops with the controller, and is in its reports', async () => {
    const stage = new Stage();
    const jobs = new Supervisor({ clock: stage.clock });
    jobs.attach({ name: 'mailer', start: untilAborted, stop: () => stage.note('stop mailer') });
    stage.controller.register('jobs', jobs);
    expect(jobs.readiness().status).toBe('unhealthy');
    await stage.start();
    expect(jobs.health()).toMatchObject({ mailer: { state: 'running' } });
    expect((await stage.controller.readiness()).services).toMatchObject([{ name: 'jobs', status: 'OK' }]);
    expect(await stage.within(1000, stage.controller.stop())).toMatchObject({ unfinished: [], stopErrors: [] });
    expect(stage.trace(/stop/)).toEqual(['state stopping', 'stop mailer', 'state stopped']);
    expect(jobs.health()).toMatchObject({ mailer: { state: 'stopped' } });
    expect(stage.clock.pending).toBe(0);
  });

  it('whose child fails takes nothing out of rotation: its check is degraded and names the child', async () => {
    const stage = new Stage();
    const jobs = new Supervisor({ clock: stage.clock });
    jobs.attach({ name: 'mailer', start: failing });
    jobs.attach({ name: 'importer', start: untilAborted });
    stage.controller.register('jobs', jobs);
    stage.controller.registerCheck(jobs.healthCheck('children'));
    await stage.start();
    const report = await stage.controller.readiness();
    expect(report.overallHealthy).toBe(true);
    expect(report.services).toMatchObject([
      { name: 'jobs', status: 'OK' },
      {
        name: 'children',
        status: 'DEGRADED',
        reason: 'failed',
        error: 'a child has failed: mailer',
        data: { failed: ['mailer'] },
      },
    ]);
    expect((await stage.controller.liveness()).services.map(({ name }) => name)).toEqual(['jobs']);
    jobs.attach({ name: 'cleaner', start: failing });
    await stage.settle();
    expect((await stage.controller.status()).services[1]?.error).toBe('2 children have failed: mailer, cleaner');
    await jobs.detach('mailer');
    await jobs.detach('cleaner');
    expect((await stage.controller.status()).services[1]).toMatchObject({ name: 'children', status: 'OK' });
    await stage.close();
    expect(stage.clock.pending).toBe(0);
  });

  it('has a healthy check while children back off, are finished or not yet started', async () => {
    const stage = new Stage();
    const jobs = new Supervisor({ clock: stage.clock });
    jobs.attach({ name: 'retried', start: failing, restartPolicy: {} });
    jobs.attach({ name: 'done', start: () => {} });
    const check = jobs.healthCheck('children');
    expect(check).toMatchObject({ name: 'children', type: 'readiness' });
    expect(await check.check({ signal: new AbortController().signal })).toMatchObject({ status: 'healthy' });
    jobs.start();
    await stage.settle();
    expect(await check.check({ signal: new AbortController().signal })).toMatchObject({ status: 'healthy' });
    await jobs.stop();
    expect(stage.clock.pending).toBe(0);
  });

  it('stops its children within what is left of the budget, and what did not finish is named in the outcome', async () => {
    const stage = new Stage({ shutdownTimeoutMs: 2000 });
    const jobs = new Supervisor({ clock: stage.clock, stopTimeoutMs: 60_000 });
    const contexts: StopContext[] = [];
    jobs.attach({ name: 'stubborn', start: never, stop: (context) => void contexts.push(context) });
    stage.controller.register('jobs', jobs);
    await stage.start();
    const outcome = await stage.within(2000, stage.controller.stop());
    expect(contexts[0]?.deadlineMs).toBe(2000);
    expect(outcome.exitCode).toBe(1);
    expect([...outcome.unfinished, ...outcome.stopErrors.map(({ service }) => service)]).toEqual(['jobs']);
    expect(stage.clock.pending).toBe(0);
  });

  it('whose child does not stop well is a stop error of the service, naming the child', async () => {
    const stage = new Stage();
    const jobs = new Supervisor({ clock: stage.clock });
    jobs.attach({ name: 'mailer', start: untilAborted, stop: failing });
    stage.controller.register('jobs', jobs);
    await stage.start();
    const { stopErrors } = await stage.promptly(stage.controller.stop());
    expect(stopErrors).toMatchObject([{ service: 'jobs', error: { message: 'children whose stop failed: mailer' } }]);
  });
});

describe('a service that owns a supervisor', () => {
  /** Its start builds what it needs, its stop releases it. */
  class Jobs {
    readonly #stage: Stage;
    #supervisor: Supervisor | undefined;
    sick = false;

    constructor(stage: Stage) {
      this.#stage = stage;
    }

    start() {
      this.#supervisor = new Supervisor({ clock: this.#stage.clock });
      for (const name of ['a', 'b']) {
        this.#supervisor.attach({
          name,
          start: (context) => {
            this.#stage.note(`start child ${name}`);
            return untilAborted(context);
          },
          stop: () => this.#stage.note(`stop child ${name}`),
        });
      }
      this.#supervisor.start();
    }

    stop(context: StopContext) {
      return this.#supervisor?.stop(context);
    }

    status() {
      return !this.sick;
    }
  }

  it('survives its own restart, for health and by hand, with a new one each time', async () => {
    const stage = new Stage();
    const jobs = new Jobs(stage);
    stage.controller.register('jobs', jobs, {
      restartPolicy: { healthFailureThreshold: 1, healthCheckIntervalMs: 1000 },
    });
    await stage.start();
    jobs.sick = true;
    await stage.clock.advance(1000);
    jobs.sick = false;
    await stage.clock.advance(1000);
    await stage.promptly(stage.controller.restart('jobs'));
    const once = ['start child a', 'start child b'];
    const stops = ['stop child b', 'stop child a'];
    expect(stage.trace(/child/)).toEqual([...once, ...stops, ...once, ...stops, ...once]);
    expect(infoOf(stage, 'jobs')).toMatchObject({ up: true, abandonedRuns: 0 });
    await stage.close();
    expect(stage.trace(/child/)).toHaveLength(12);
    expect(stage.clock.pending).toBe(0);
  });

  it('that registers one supervisor for good fails its restart in words: it is used once', async () => {
    const stage = new Stage();
    stage.controller.register('jobs', new Supervisor({ clock: stage.clock }));
    await stage.start();
    const restarted = stage.watch(stage.controller.restart('jobs'));
    await stage.settle();
    expect(restarted.error).toMatchObject({ code: 'restart_failed', cause: { code: 'stopped' } });
    await stage.close();
  });
});
