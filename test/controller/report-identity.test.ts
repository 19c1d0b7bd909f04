import { describe, expect, it } from 'vitest';
import { degraded, healthy, type ReportKind } from '../../src/index.js';
import { Deferred, never } from './support/deferred.js';
import { Stage } from './support/stage.js';

const KINDS: readonly ReportKind[] = ['status', 'liveness', 'readiness'];

async function polled(check: () => unknown = () => true): Promise<Stage> {
  const stage = new Stage();
  stage.controller.register('plain');
  stage.controller.registerCheck({ name: 'db', type: 'both', check: check as () => boolean, intervalMs: 1000 });
  await stage.start();
  return stage;
}

describe('a report of cached entries alone', () => {
  it.each(KINDS)('%s is the same object while nothing has changed', async (kind) => {
    const stage = await polled();
    const first = await stage.promptly(stage.controller[kind]());
    expect(await stage.promptly(stage.controller[kind]())).toBe(first);
    await stage.clock.advance(999);
    expect(await stage.promptly(stage.controller[kind]())).toBe(first);
    await stage.close();
  });

  it('is a new one after a poll, even one with the same result', async () => {
    const stage = await polled(() => healthy('fine'));
    const first = await stage.promptly(stage.controller.readiness());
    await stage.clock.advance(1000);
    const second = await stage.promptly(stage.controller.readiness());
    expect(second).not.toBe(first);
    expect(second.services[1]?.checkedAt).not.toBe(first.services[1]?.checkedAt);
    expect(await stage.promptly(stage.controller.readiness())).toBe(second);
    await stage.close();
  });

  it('is a new one after each change of state, of maintenance and of what is registered', async () => {
    const stage = new Stage({ drainDelayMs: 1000 });
    const seen = new Set();
    const changes = [
      () => {},
      () => stage.controller.start(),
      () => stage.controller.setMaintenance('by hand'),
      () => stage.controller.setMaintenance(false),
      () => stage.controller.registerCheck({ name: 'db', check: () => true, intervalMs: 60_000 }),
      () => stage.controller.register('late'),
      () => void stage.controller.stop(),
      () => stage.clock.advance(1000),
    ];
    for (const [i, change] of changes.entries()) {
      await change();
      await stage.settle();
      const report = await stage.promptly(stage.controller.readiness());
      seen.add(report);
      expect(seen.size).toBe(i + 1);
      expect(await stage.promptly(stage.controller.readiness())).toBe(report);
    }
  });

  it('that was asked for before something was registered or dropped is not kept for those who ask after', async () => {
    const stage = await polled();
    const names = async () => (await stage.promptly(stage.controller.status())).services.map(({ name }) => name);
    const before = stage.controller.status();
    const handle = stage.controller.registerCheck({ name: 'disk', check: () => true, intervalMs: 60_000 });
    await stage.promptly(before);
    expect(await names()).toEqual(['plain', 'db', 'disk']);
    const then = stage.controller.status();
    handle.unregister();
    await stage.promptly(then);
    expect(await names()).toEqual(['plain', 'db']);
    const last = stage.controller.status();
    stage.controller.register('late');
    await stage.promptly(last);
    expect(await names()).toEqual(['plain', 'late', 'db']);
    await stage.close();
  });

  it('is a new one once it has grown stale, and the same again from then on', async () => {
    const answers = [() => true, never];
    const stage = await polled(() => (answers.shift() ?? never)());
    await stage.clock.advance(2999);
    const fresh = await stage.promptly(stage.controller.status());
    await stage.clock.advance(1);
    expect(await stage.promptly(stage.controller.status())).toBe(fresh);
    await stage.clock.advance(100);
    const stale = await stage.promptly(stage.controller.status());
    expect(stale.overallHealthy).toBe(false);
    await stage.clock.advance(100);
    expect(await stage.promptly(stage.controller.status())).toBe(stale);
    await stage.close();
  });

  it('is a new one after a service came up, where reports show it', async () => {
    const stage = new Stage({ reportRunState: true });
    const up = new Deferred();
    stage.controller.register('api', { start: () => up.promise });
    await stage.start();
    const first = await stage.promptly(stage.controller.readiness());
    up.resolve();
    await stage.settle();
    const second = await stage.promptly(stage.controller.readiness());
    expect([first.overallHealthy, second.overallHealthy]).toEqual([false, true]);
    await stage.close();
  });

  it('with an inline entry is measured anew', async () => {
    const stage = await polled();
    stage.controller.registerCheck({ name: 'sync', check: () => stage.note('run') });
    await stage.promptly(stage.controller.readiness());
    await stage.promptly(stage.controller.readiness());
    expect(stage.trace(/^run/)).toHaveLength(2);
    await stage.close();
  });

  it('with an inline entry that may be reused for maxAgeMs is the same until then', async () => {
    const stage = new Stage();
    stage.controller.registerCheck({ name: 'sync', check: () => stage.note('run'), maxAgeMs: 500 });
    await stage.start();
    const first = await stage.promptly(stage.controller.readiness());
    await stage.clock.advance(500);
    expect(await stage.promptly(stage.controller.readiness())).toBe(first);
    await stage.clock.advance(1);
    expect(await stage.promptly(stage.controller.readiness())).not.toBe(first);
    expect(stage.trace(/^run/)).toHaveLength(2);
    await stage.close();
  });
});

describe('a report', () => {
  it('is frozen to the bottom, and what was passed in is not', async () => {
    const data = { pool: { idle: 3, names: ['a'] } };
    const result = degraded('slow', data);
    const stage = await polled(() => result);
    const report = await stage.promptly(stage.controller.status());
    expect(everything(report).filter((value) => !Object.isFrozen(value))).toEqual([]);
    expect(report.services[1]?.data).toEqual({ pool: { idle: 3, names: ['a'] } });
    expect(Object.isFrozen(data) || Object.isFrozen(data.pool)).toBe(false);
    data.pool.idle = 99;
    expect((await stage.promptly(stage.controller.status())).services[1]?.data).toEqual({
      pool: { idle: 3, names: ['a'] },
    });
    await stage.close();
  });

  it('of one kind that is in flight is shared by all who ask for it', async () => {
    // Case 36: fifty requests opened fifty probes.
    const stage = new Stage();
    stage.service('api', { status: () => stage.lasting(50).then(() => true) });
    const check = () => {
      stage.note('run db');
      return stage.lasting(100).then(() => true);
    };
    stage.controller.registerCheck({ name: 'db', type: 'both', check });
    await stage.start();
    const asked = Array.from({ length: 50 }, () => stage.controller.readiness());
    await stage.clock.advance(60);
    asked.push(stage.controller.readiness());
    const reports = await stage.within(40, Promise.all(asked));
    expect(new Set(reports).size).toBe(1);
    expect(stage.trace(/^(run|status)/)).toEqual(['status api', 'run db']);
    await stage.within(100, stage.controller.readiness());
    expect(stage.trace(/^run/)).toHaveLength(2);
    await stage.close();
  });

  it('of another kind at the same time shares the runs of checks', async () => {
    const stage = new Stage();
    const check = () => {
      stage.note('run db');
      return stage.lasting(100).then(() => true);
    };
    stage.controller.registerCheck({ name: 'db', type: 'both', check });
    await stage.start();
    const asked = KINDS.map((kind) => stage.controller[kind]());
    const filtered = stage.controller.readiness({ only: ['db'] });
    const reports = await stage.within(100, Promise.all([...asked, filtered]));
    expect(reports.map(({ services }) => services[0]?.status)).toEqual(['OK', 'OK', 'OK', 'OK']);
    expect(stage.trace(/^run/)).toEqual(['run db']);
    await stage.close();
  });
});

function everything(value: unknown): object[] {
  if (typeof value !== 'object' || value === null) return [];
  return [value, ...Object.values(value).flatMap(everything)];
}
