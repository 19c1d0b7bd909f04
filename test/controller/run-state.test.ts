import { describe, expect, it } from 'vitest';
import type { ControllerOptions, HealthReport, ReportKind, ServiceDescription } from '../../src/index.js';
import { Deferred, never } from './support/deferred.js';
import { foreground, Stage } from './support/stage.js';

const KINDS: readonly ReportKind[] = ['status', 'liveness', 'readiness'];

/** What each report says of `api`: `OK`, or `ERROR reason`. */
async function read(stage: Stage): Promise<Record<string, string>> {
  const said: Record<string, string> = {};
  for (const kind of KINDS) {
    const report: HealthReport = await stage.promptly(stage.controller[kind]());
    const { status, reason } = report.services[0] ?? {};
    said[kind] = status === 'OK' ? 'OK' : `${status} ${reason}`;
  }
  return said;
}

async function staged(
  description: ServiceDescription,
  options: ControllerOptions = { reportRunState: true },
): Promise<Stage> {
  const stage = new Stage(options);
  stage.service('api', description);
  await stage.start();
  return stage;
}

const OK = { status: 'OK', liveness: 'OK', readiness: 'OK' };
const STARTING = { status: 'ERROR starting', liveness: 'OK', readiness: 'ERROR starting' };
const GAVE_UP = { status: 'ERROR gave_up', liveness: 'OK', readiness: 'ERROR gave_up' };

const refuse = () => Promise.reject(new Error('no port'));

describe('without reportRunState', () => {
  it.each([{}, { reportRunState: false }])('%j: a report is the aggregate of the probes given', async (options) => {
    for (const start of [refuse, never]) {
      const stage = await staged({ start }, options);
      expect(await read(stage)).toEqual(OK);
      await stage.close();
    }
  });
});

describe('with reportRunState', () => {
  it('a service without a probe is an error until it is up', async () => {
    const up = new Deferred();
    const stage = await staged({ start: () => up.promise });
    expect(await read(stage)).toEqual(STARTING);
    up.resolve();
    await stage.settle();
    expect(await read(stage)).toEqual(OK);
    await stage.close();
  });

  it('a foreground service is up once it says so', async () => {
    const gate = new Deferred();
    const stage = await staged({
      start: async (context) => {
        await gate.promise;
        return foreground(never())(context);
      },
    });
    expect(await read(stage)).toEqual(STARTING);
    gate.resolve();
    await stage.settle();
    expect(await read(stage)).toEqual(OK);
    await stage.close();
  });

  it('a foreground service that never says so is up after thirty seconds', async () => {
    const stage = await staged({ start: never });
    await stage.clock.advance(29_999);
    expect(await read(stage)).toEqual(STARTING);
    expect(stage.trace(/started/)).toEqual([]);
    await stage.clock.advance(1);
    expect(await read(stage)).toEqual(OK);
    expect(stage.timeline(/started/)).toEqual(['30000 api started']);
    await stage.close();
  });

  it('a probe for a report decides it while the service is starting', async () => {
    const stage = await staged({ start: never, readiness: () => true });
    expect(await read(stage)).toEqual({ ...STARTING, readiness: 'OK' });
    await stage.close();

    const both = await staged({ start: never, status: () => true });
    expect(await read(both)).toEqual(OK);
    await both.close();

    const liveness = await staged({ start: never, liveness: () => false });
    expect(await read(liveness)).toEqual({ ...STARTING, liveness: 'ERROR failed' });
    await liveness.close();
  });

  it('a service that has given up is an error, probe or not, but not in liveness', async () => {
    for (const probes of [{}, { status: () => true }, { readiness: () => true, status: () => true }]) {
      const stage = await staged({ start: refuse, ...probes });
      expect(await read(stage)).toEqual(GAVE_UP);
      await stage.close();
    }
  });

  it('one that had been up and failed for good is an error, which closes readiness', async () => {
    const run = new Deferred();
    const stage = await staged({ start: foreground(run.promise), status: () => true });
    expect(await read(stage)).toEqual(OK);
    run.reject(new Error('lost'));
    await stage.settle();
    expect(stage.controller.state).toBe('running');
    expect(await read(stage)).toEqual(GAVE_UP);
    expect((await stage.promptly(stage.controller.readiness())).overallHealthy).toBe(false);
    await stage.close();
  });

  it('one that has completed is fine', async () => {
    const work = new Deferred();
    const stage = await staged({ start: () => work.promise, runToCompletion: true });
    expect(await read(stage)).toEqual(STARTING);
    work.resolve();
    await stage.settle();
    expect(stage.trace(/^api/)).toEqual(['api completed']);
    expect(await read(stage)).toEqual(OK);
    await stage.close();
  });

  it('one that is working towards its completion is not taken for up after thirty seconds', async () => {
    const stage = await staged({ start: never, runToCompletion: true });
    await stage.clock.advance(60_000);
    expect(await read(stage)).toEqual(STARTING);
    await stage.close();
  });

  it('a late registration is not waited for', async () => {
    const stage = new Stage({ reportRunState: true });
    await stage.start();
    stage.service('api');
    expect(await read(stage)).toEqual(OK);
    await stage.close();
  });

  it('a service whose stop has been called while it was starting is OK, reason stopped', async () => {
    const stage = await staged({ start: never, stop: never });
    void stage.controller.stop();
    await stage.settle();
    expect(stage.trace(/^stop/)).toEqual(['stop api']);
    for (const state of ['stopping', 'stopped']) {
      for (const kind of KINDS) {
        const report = await stage.promptly(stage.controller[kind]());
        expect(report).toMatchObject({ state, services: [{ status: 'OK', reason: 'stopped' }] });
      }
      await stage.clock.advance(5000);
    }
  });

  it('a service that has given up stays an error when the controller stops', async () => {
    const stage = await staged({ start: refuse });
    await stage.close();
    expect(await read(stage)).toEqual(GAVE_UP);
  });

  it('the entry says why in words', async () => {
    const stage = await staged({ start: refuse });
    const { services } = await stage.promptly(stage.controller.status());
    expect(services[0]?.error).toMatch(/\w+ \w+/);
    await stage.close();
  });
});
