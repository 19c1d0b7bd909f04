import { describe, expect, it } from 'vitest';
import { Controller, withDependsOn } from '../../src/index.js';
import { Deferred } from '../controller/support/deferred.js';
import { Stage } from '../controller/support/stage.js';
import { failing, infoOf, inTurn, Runs } from './support/services.js';

describe('a service that depends on others', () => {
  it('starts once they are up, each in its time, and the rest start at once', async () => {
    const stage = new Stage();
    stage.service('api', { dependsOn: ['db', 'cache'] });
    stage.service('other');
    stage.service('db', { start: () => stage.lasting(1000) });
    stage.service('cache', { start: () => stage.lasting(300) });
    await stage.start();
    expect(infoOf(stage)).toMatchObject({ up: false, supervised: true, waitingFor: ['db', 'cache'] });
    await stage.clock.advance(300);
    expect(infoOf(stage).waitingFor).toEqual(['db']);
    await stage.clock.advance(700);
    expect(infoOf(stage)).not.toHaveProperty('waitingFor');
    expect(stage.timeline(/^start|started/)).toEqual([
      '0 start other',
      '0 other started',
      '0 start db',
      '0 start cache',
      '300 cache started',
      '1000 db started',
      '1000 start api',
      '1000 api started',
    ]);
    await stage.close();
    expect(stage.clock.pending).toBe(0);
  });

  it('waits for one in the foreground until it says ready, and for work until it is completed', async () => {
    const stage = new Stage();
    const db = new Runs();
    const migration = new Runs();
    stage.service('db', { start: db.start });
    stage.service('migration', { start: migration.start, runToCompletion: true, dependsOn: 'db' });
    stage.service('api', { dependsOn: 'migration' });
    await stage.start();
    await stage.clock.advance(1000);
    db.last.ready();
    await stage.clock.advance(1000);
    migration.resolve();
    await stage.settle();
    expect(stage.timeline(/^(start|db|mig|api)/)).toEqual([
      '0 start db',
      '1000 db started',
      '1000 start migration',
      '2000 migration completed',
      '2000 start api',
      '2000 api started',
    ]);
    db.resolve();
    await stage.close();
  });

  it('waits through the retries of what it depends on', async () => {
    const stage = new Stage();
    stage.service('db', { start: inTurn(failing, failing, () => {}), restartPolicy: {} });
    stage.service('api', { dependsOn: 'db' });
    await stage.start();
    await stage.clock.advance(3000);
    expect(stage.timeline(/api/)).toEqual(['3000 start api', '3000 api started']);
    await stage.close();
  });

  it('waits on when one gives up, says so, and starts when that has been restarted by hand', async () => {
    const stage = new Stage({ reportRunState: true });
    stage.service('db', { start: inTurn(failing, () => {}) });
    stage.service('api', { dependsOn: 'db' });
    await stage.start();
    await stage.clock.advance(1_000_000);
    expect(infoOf(stage).waitingFor).toEqual(['db']);
    const report = await stage.controller.readiness();
    expect(report.services.map(({ name, status, reason, error }) => [name, status, reason, error])).toEqual([
      ['db', 'ERROR', 'gave_up', 'service has failed and is not restarted'],
      ['api', 'ERROR', 'waiting', 'service waits for "db"'],
    ]);
    await stage.promptly(stage.controller.restart('db'));
    expect(stage.trace(/^(start|api|state)/)).toEqual([
      'state running',
      'start db',
      'state unable_to_start',
      'start db',
      'state running',
      'start api',
      'api started',
    ]);
    expect((await stage.controller.readiness()).overallHealthy).toBe(true);
    await stage.close();
  });

  it('waits on when one has ended as expected: that is neither up nor done', async () => {
    const stage = new Stage({ validError: () => true });
    stage.service('db', { start: failing });
    stage.service('api', { dependsOn: 'db' });
    await stage.start();
    expect(stage.trace(/^(start|db)/)).toEqual(['start db', 'db ended']);
    expect(infoOf(stage).waitingFor).toEqual(['db']);
    await stage.close();
  });

  it('is not brought down when what it depends on fails later, and does not wait for it when it is restarted', async () => {
    const stage = new Stage();
    const db = new Runs();
    stage.service('db', { start: db.start });
    stage.service('api', { dependsOn: 'db' });
    await stage.start();
    db.last.ready();
    await stage.settle();
    db.reject();
    await stage.settle();
    expect(stage.trace(/^(db|api|stop)/)).toEqual(['db started', 'api started', 'db failed:0']);
    await stage.promptly(stage.controller.restart('api'));
    expect(infoOf(stage).up).toBe(true);
    await stage.close();
  });

  it('starts once, however often what it depends on comes up', async () => {
    const stage = new Stage();
    stage.service('db');
    stage.service('api', { dependsOn: 'db' });
    await stage.start();
    await stage.promptly(stage.controller.restart('db'));
    await stage.promptly(stage.controller.restart('db'));
    expect(stage.trace(/^start api/)).toHaveLength(1);
    await stage.close();
  });

  it('starts in the order of registration where several have waited for the same one', async () => {
    const stage = new Stage();
    for (const name of ['c', 'a', 'b']) stage.service(name, { dependsOn: 'db' });
    stage.service('db');
    await stage.start();
    expect(stage.trace(/^start/)).toEqual(['start db', 'start c', 'start a', 'start b']);
    await stage.close();
  });

  it('may name one twice, or as a fragment with several', async () => {
    const stage = new Stage();
    stage.controller.register('api', withDependsOn('db', 'db', 'cache'));
    stage.service('db', { start: failing });
    stage.service('cache', { start: failing });
    await stage.start();
    expect(infoOf(stage).waitingFor).toEqual(['db', 'cache']);
    await stage.close();
  });

  it('stops before what it depends on', async () => {
    const stage = new Stage();
    stage.service('api', { dependsOn: ['cache', 'db'], stop: () => stage.lasting(100) });
    stage.service('db');
    stage.service('cache', { dependsOn: 'db', stop: () => stage.lasting(100) });
    stage.service('last');
    await stage.start();
    await stage.close();
    expect(stage.timeline(/^stop/)).toEqual(['0 stop last', '0 stop api', '100 stop cache', '200 stop db']);
  });
});

describe('start() with dependencies that cannot be', () => {
  it.each([
    ['an unknown one', { api: 'redis' }, 'unknown_dependency', /"api" depends on "redis"/],
    ['itself', { api: 'api' }, 'dependency_cycle', /"api" -> "api"$/],
    ['a cycle', { api: 'db', db: 'cache', cache: 'api' }, 'dependency_cycle', /"api" -> "db" -> "cache" -> "api"$/],
  ])('throws for %s and leaves the controller startable, with nothing started', async (_, graph, code, message) => {
    const stage = new Stage();
    for (const [name, dependsOn] of Object.entries(graph)) stage.service(name, { dependsOn });
    expect(() => stage.controller.start()).toThrow(
      expect.objectContaining({ code, message: expect.stringMatching(message) }),
    );
    expect(stage.controller.state).toBe('never_started');
    expect(stage.clock.pending).toBe(0);
    expect(stage.trace()).toEqual([]);
    expect(await stage.controller.stop()).toMatchObject({ cause: 'not_started' });
    if (code !== 'unknown_dependency') return;
    stage.service('redis');
    await stage.start();
    expect(stage.trace(/^start/)).toEqual(['start redis', 'start api']);
    await stage.close();
  });

  it('does not take a check for a service', () => {
    const controller = new Controller();
    controller.registerCheck({ name: 'db', check: () => true });
    controller.register('api', withDependsOn('db'));
    expect(() => controller.start()).toThrow(expect.objectContaining({ code: 'unknown_dependency' }));
  });

  it('finds the cycle at the end of a chain of ten thousand without overflowing the stack', () => {
    const controller = new Controller();
    for (let index = 0; index < 10_000; index++) {
      controller.register(`s${index}`, withDependsOn(`s${Math.min(index + 1, 9999)}`));
    }
    expect(() => controller.start()).toThrow(/each other: "s9999" -> "s9999"$/);
  });

  // Each called the next, which overflowed the stack.
  it('starts a chain of a thousand one after the other, and stops it the other way round', async () => {
    const stage = new Stage();
    for (let index = 0; index < 1000; index++) {
      stage.controller.register(`s${index}`, {
        start: () => stage.note(`start s${index}`),
        stop: () => stage.note(`stop s${index}`),
        ...(index < 999 ? { dependsOn: `s${index + 1}` } : undefined),
      });
    }
    await stage.start();
    await stage.close();
    const names = Array.from({ length: 1000 }, (_, index) => `s${index}`);
    expect(stage.trace(/^start/)).toEqual([...names].reverse().map((name) => `start ${name}`));
    expect(stage.trace(/^stop/)).toEqual(names.map((name) => `stop ${name}`));
  });
});

describe('a shutdown while services wait', () => {
  it('never starts and never stops them', async () => {
    const stage = new Stage();
    const up = new Deferred();
    stage.service('db', { start: () => up.promise });
    stage.service('api', { dependsOn: 'db' });
    await stage.start();
    const outcome = stage.controller.stop();
    up.resolve();
    expect(await stage.within(1000, outcome)).toMatchObject({ unfinished: [], exitCode: 0 });
    expect(stage.trace(/^(start|stop)/)).toEqual(['start db', 'stop db']);
    expect(stage.clock.pending).toBe(0);
  });

  it('does not start them in the drain either, where what they wait for comes up then', async () => {
    const stage = new Stage({ drainDelayMs: 1000 });
    const up = new Deferred();
    stage.service('db', { start: () => up.promise });
    stage.service('api', { dependsOn: 'db' });
    await stage.start();
    const outcome = stage.controller.stop();
    await stage.clock.advance(100);
    up.resolve();
    await stage.clock.advance(900);
    expect(await outcome).toMatchObject({ unfinished: [] });
    expect(stage.timeline(/^(start|stop|db)/)).toEqual(['0 start db', '100 db started', '1000 stop db']);
  });
});

describe('a late registration', () => {
  it('with dependencies is never started, and waits for nothing', async () => {
    const stage = new Stage();
    stage.service('db');
    await stage.start();
    stage.service('late', { dependsOn: ['db', 'nope'], restartPolicy: {}, status: () => true });
    await stage.clock.advance(100_000);
    expect(stage.trace(/late/)).toEqual(['late late_registration']);
    expect(infoOf(stage, 'late')).toEqual({
      name: 'late',
      supervised: false,
      up: false,
      restartCount: 0,
      abandonedRuns: 0,
    });
    expect((await stage.controller.readiness()).services.map(({ name, status }) => [name, status])).toEqual([
      ['db', 'OK'],
      ['late', 'OK'],
    ]);
    await stage.close();
    expect(stage.trace(/^stop/)).toEqual(['stop db']);
  });

  it('serviceInfo of a name that is none is undefined', () => {
    expect(new Controller().serviceInfo('nope')).toBeUndefined();
    expect(new Controller().serviceInfo('__proto__')).toBeUndefined();
  });
});

describe('reportRunState', () => {
  const reasons = async (stage: Stage) =>
    (await stage.controller.readiness()).services.map(({ reason, status }) => reason ?? status);

  it('shows a service on its way: starting, up, backing off, failed for good', async () => {
    const stage = new Stage({ reportRunState: true });
    const runs = new Runs();
    stage.service('api', { start: runs.start, restartPolicy: { maxRestarts: 1 } });
    const seen: string[][] = [];
    const look = async () => seen.push(await reasons(stage));
    await stage.start();
    await look();
    runs.last.ready();
    await look();
    runs.reject();
    await stage.settle();
    await look();
    await stage.clock.advance(1000);
    await look();
    runs.reject();
    await stage.settle();
    await look();
    expect(seen.flat()).toEqual(['starting', 'OK', 'backing_off', 'starting', 'gave_up']);
    await stage.close();
  });

  it('shows one that is brought down for a restart as backing off, also where its probe is content', async () => {
    const stage = new Stage({ reportRunState: true });
    let well = true;
    stage.service('api', {
      stop: () => stage.lasting(500),
      status: () => well,
      restartPolicy: { healthFailureThreshold: 1, healthCheckIntervalMs: 1000 },
    });
    await stage.start();
    await stage.clock.advance(1000);
    expect(await reasons(stage)).toEqual(['OK']);
    well = false;
    await stage.clock.advance(1000);
    well = true;
    expect(await reasons(stage)).toEqual(['backing_off']);
    await stage.clock.advance(600);
    expect(await reasons(stage)).toEqual(['backing_off']);
    await stage.clock.advance(900);
    expect(await reasons(stage)).toEqual(['OK']);
    await stage.close();
  });

  it('false shows none of it: a service without a probe is fine whatever becomes of it', async () => {
    const stage = new Stage();
    stage.service('api', { start: failing, restartPolicy: {} });
    stage.service('other', { dependsOn: 'api' });
    await stage.start();
    expect(await reasons(stage)).toEqual(['OK', 'OK']);
    await stage.close();
  });
});
