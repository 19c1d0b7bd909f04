import { describe, expect, it } from 'vitest';
import type { HealthReport, ReportOptions } from '../../src/index.js';
import { never } from './support/deferred.js';
import { Stage } from './support/stage.js';

async function staged(): Promise<Stage> {
  const stage = new Stage();
  stage.service('api', { status: () => false });
  stage.service('plain');
  stage.controller.registerCheck({
    name: 'sync',
    check: () => {
      stage.note('run sync');
      return false;
    },
  });
  stage.controller.registerCheck({ name: 'hung', check: never });
  stage.controller.registerCheck({ name: 'polled', check: never, intervalMs: 1000, timeoutMs: 60_000 });
  await stage.start();
  return stage;
}

const names = ({ services }: HealthReport) => services.map(({ name }) => name);

describe('only and exclude', () => {
  it.each<[ReportOptions, string[], boolean]>([
    [{ only: ['plain'] }, ['plain'], true],
    [{ only: ['sync', 'plain'] }, ['plain', 'sync'], false],
    [{ only: [] }, [], true],
    [{ only: ['nobody'] }, [], true],
    [{ exclude: ['api', 'sync', 'hung', 'polled'] }, ['plain'], true],
    [{ exclude: ['hung', 'sync', 'polled', 'nobody', 'toString'] }, ['api', 'plain'], false],
    [{ only: ['api', 'plain'], exclude: ['api'] }, ['plain'], true],
    [{ only: ['polled'] }, ['polled'], false],
  ])('%j', async (options, expected, overallHealthy) => {
    const stage = await staged();
    const report = await stage.promptly(stage.controller.readiness(options));
    expect(names(report)).toEqual(expected);
    expect(report.overallHealthy).toBe(overallHealthy);
    // What is left out is not run.
    expect(stage.trace(/^run/)).toHaveLength(expected.includes('sync') ? 1 : 0);
    expect(stage.trace(/^status/)).toHaveLength(expected.includes('api') ? 1 : 0);
    await stage.close();
  });

  it('leave everything in when nothing is said', async () => {
    const stage = await staged();
    for (const options of [undefined, {}, { only: undefined }, { exclude: [] }]) {
      const report = await stage.within(5000, stage.controller.readiness(options));
      expect(names(report)).toEqual(['api', 'plain', 'sync', 'hung', 'polled']);
    }
    await stage.close();
  });

  it('do not open the gate', async () => {
    const stage = new Stage({ drainDelayMs: 1000 });
    const read = () => stage.promptly(stage.controller.readiness({ only: [] }));
    expect(await read()).toMatchObject({ overallHealthy: false, reason: 'not_started' });
    await stage.start();
    expect((await read()).overallHealthy).toBe(true);
    const report = stage.controller.readiness({ only: [] });
    stage.controller.stop();
    expect(await stage.promptly(report)).toMatchObject({ overallHealthy: false, reason: 'draining' });
    await stage.close();
  });

  it('route as the report does: what is not part of it is not brought in', async () => {
    const stage = await staged();
    const report = await stage.promptly(stage.controller.liveness({ only: ['sync', 'plain'] }));
    expect(names(report)).toEqual(['plain']);
    await stage.close();
  });

  it.each([{ only: 'db' }, { exclude: 'db' }, { only: [7] }, { exclude: null }, { names: [] }, 'db', null])(
    'refuses %j',
    (options) => {
      const { controller } = new Stage();
      for (const kind of ['status', 'liveness', 'readiness'] as const) {
        expect(() => controller[kind](options as ReportOptions)).toThrow(
          expect.objectContaining({ code: 'invalid_option' }),
        );
      }
    },
  );
});
