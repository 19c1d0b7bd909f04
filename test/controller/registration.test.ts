import { describe, expect, it } from 'vitest';
import {
  degraded,
  type HealthCheck,
  isHealthControllerError,
  type ServiceDescription,
  withLiveness,
  withProbeTimeout,
  withReadiness,
  withRunToCompletion,
  withStart,
  withStartTimeout,
  withStatus,
  withStop,
  withStopTimeout,
} from '../../src/index.js';
import { Deferred, never } from './support/deferred.js';
import { Stage, untilAborted } from './support/stage.js';

function refusal(call: () => unknown): { code: string; message: string } {
  try {
    call();
  } catch (error) {
    if (isHealthControllerError(error)) return { code: error.code, message: error.message };
    throw error;
  }
  throw new Error('nothing was thrown');
}

const BAD_NAMES: readonly unknown[] = ['', undefined, null, 7, {}, 'a\nb', 'a\u0000', 'a\u007f', 'x'.repeat(257)];
const ODD_NAMES = [
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  ' ',
  'ünïcødé 🐙',
  '../..',
  'x'.repeat(256),
];

describe('names', () => {
  it.each(BAD_NAMES)('%j is refused when it is registered', (name) => {
    // Case 28: it blew up only when reporting.
    const { controller } = new Stage();
    expect(refusal(() => controller.register(name as string)).code).toBe('invalid_option');
    expect(refusal(() => controller.registerCheck({ name: name as string, check: () => true })).code).toBe(
      'invalid_option',
    );
    expect(controller.names('status')).toEqual([]);
  });

  it('that look dangerous are plain names', async () => {
    // Case 28: __proto__ as plain data.
    const stage = new Stage();
    for (const [i, name] of ODD_NAMES.entries()) {
      if (i % 2) stage.controller.register(name, { status: () => false });
      else stage.controller.registerCheck({ name, check: () => false, intervalMs: 1000 });
    }
    await stage.start();
    const report = await stage.promptly(stage.controller.status());
    expect(report.services.map(({ name }) => name).sort()).toEqual([...ODD_NAMES].sort());
    expect(report.services.every(({ status }) => status === 'ERROR')).toBe(true);
    expect(stage.controller.checkResult('__proto__')?.status).toBe('unhealthy');
    expect(stage.controller.serviceInfo('constructor')?.name).toBe('constructor');
    expect(stage.controller.serviceInfo('valueOf')).toBeUndefined();
    expect(stage.controller.checkResult('valueOf')).toBeUndefined();
    expect(Object.keys({})).toEqual([]);
    await stage.close();
  });

  it('are unique across services and checks together', () => {
    // Case 29: a failing check was hidden by another of its name.
    const { controller } = new Stage();
    controller.register('db');
    controller.registerCheck({ name: 'cache', check: () => true });
    for (const name of ['db', 'cache']) {
      for (const call of [
        () => controller.register(name),
        () => controller.registerCheck({ name, check: () => true }),
      ]) {
        const { code, message } = refusal(call);
        expect(code).toBe('duplicate_name');
        expect(message).toContain(name);
      }
    }
    expect(controller.names('status')).toEqual(['db', 'cache']);
  });

  it('of a registration that was refused for another reason are still free', () => {
    const { controller } = new Stage();
    refusal(() => controller.registerCheck({ name: 'db', check: 'no' as unknown as () => true }));
    refusal(() => controller.register('api', { start: 'no' as unknown as () => void }));
    controller.registerCheck({ name: 'db', check: () => true });
    controller.register('api');
    expect(controller.names('status')).toEqual(['api', 'db']);
  });
});

describe('register', () => {
  it('merges fragments, later ones winning', async () => {
    const stage = new Stage();
    stage.controller.register(
      'api',
      withStart(() => stage.note('first')),
      { start: () => stage.note('second'), status: () => degraded('plain') },
      withStatus(() => degraded('last')),
      withLiveness(() => degraded('live')),
      withReadiness(() => degraded('ready')),
      withStop(() => stage.note('stop')),
    );
    await stage.start();
    const said = async (kind: 'status' | 'liveness' | 'readiness') =>
      (await stage.promptly(stage.controller[kind]())).services[0]?.error;
    expect([await said('status'), await said('liveness'), await said('readiness')]).toEqual(['last', 'live', 'ready']);
    await stage.close();
    expect(stage.trace(/^(first|second|stop)$/)).toEqual(['second', 'stop']);
  });

  it('takes each timing from its own option', async () => {
    // Case 5: one option's setter wrote another option.
    const stage = new Stage({ shutdownTimeoutMs: 100_000 });
    stage.controller.register('a', withStatus(never), withProbeTimeout(211));
    stage.controller.register('b', withStart(untilAborted), withStartTimeout(307));
    stage.controller.register('c', withStop(never), withStopTimeout(401));
    stage.controller.register(
      'd',
      withStart(() => {}),
      withRunToCompletion(),
    );
    await stage.start();
    const report = stage.watch(stage.controller.status({ only: ['a'] }));
    await stage.clock.advance(1000);
    expect(report).toMatchObject({ atMs: 211, value: { services: [{ error: 'probe timed out', reason: 'timeout' }] } });
    expect(stage.timeline(/^[bd] /)).toEqual(['0 d completed', '307 b unable_to_start:0']);
    const stopped = stage.watch(stage.controller.stop());
    await stage.clock.advance(1000);
    expect(stopped.value).toMatchObject({ unfinished: ['c'], durationMs: 401 });
  });

  it('a probe has five seconds by default, a foreground start thirty, a start no limit', async () => {
    const stage = new Stage();
    stage.controller.register('a', { status: never });
    stage.controller.register('b', { start: never, runToCompletion: true });
    await stage.start();
    const report = stage.watch(stage.controller.status());
    await stage.clock.advance(3_600_000);
    expect(report.atMs).toBe(5000);
    expect(stage.controller.state).toBe('running');
    await stage.close();
  });

  it('calls the functions of a class instance on it, private members included', async () => {
    const stage = new Stage();
    class Api implements ServiceDescription {
      readonly #note = (text: string) => stage.note(text);
      start() {
        this.#note('started by an instance');
      }
      stop() {
        this.#note('stopped by an instance');
      }
      status() {
        this.#note('asked of an instance');
      }
    }
    class Db implements HealthCheck {
      readonly #answer = false;
      readonly name = 'db';
      check() {
        return this.#answer;
      }
    }
    stage.controller.register('api', new Api());
    stage.controller.registerCheck(new Db());
    await stage.start();
    const report = await stage.promptly(stage.controller.status());
    expect(report.services.map(({ status }) => status)).toEqual(['OK', 'ERROR']);
    await stage.close();
    expect(stage.trace(/instance/)).toEqual([
      'started by an instance',
      'asked of an instance',
      'stopped by an instance',
    ]);
  });

  it('neither freezes nor changes what it is given', () => {
    const { controller } = new Stage();
    const description: ServiceDescription = { start: () => {}, probeTimeoutMs: 5 };
    const check: HealthCheck = { name: 'db', check: () => true };
    controller.register('api', description);
    controller.registerCheck(check);
    expect(Object.isFrozen(description) || Object.isFrozen(check)).toBe(false);
    expect(Object.keys(check)).toEqual(['name', 'check']);
  });

  it.each([
    [{ start: 5 }, 'start'],
    [{ stop: 'no' }, 'stop'],
    [{ status: true }, 'status'],
    [{ probeTimeoutMs: 0 }, 'probeTimeoutMs'],
    [{ startTimeoutMs: '5' }, 'startTimeoutMs'],
    [{ stopTimeoutMs: 2 ** 31 }, 'stopTimeoutMs'],
    [{ runToCompletion: 1 }, 'runToCompletion'],
    [{ strat: () => {} }, 'strat'],
    [null, 'api'],
    [7, 'api'],
  ])('refuses %j, naming %s', (description, named) => {
    const { controller } = new Stage();
    const { code, message } = refusal(() => controller.register('api', description as ServiceDescription));
    expect(code).toBe('invalid_option');
    expect(message).toContain(named);
  });
});

describe('register after start()', () => {
  it('is accepted with a warning and an event; never started, and in reports by its probes', async () => {
    const stage = new Stage();
    await stage.start();
    const lines = stage.lines.length;
    stage.service('late', { status: () => degraded('slow') });
    stage.service('plain', { start: () => Promise.reject(new Error('no port')) });
    await stage.settle();
    expect(stage.lines.slice(lines).map(({ level }) => level)).toEqual(['warn', 'warn']);
    expect(stage.trace(/^(late|plain)/)).toEqual(['late late_registration', 'plain late_registration']);
    expect(stage.controller.state).toBe('running');
    expect(await stage.promptly(stage.controller.readiness())).toMatchObject({
      overallHealthy: true,
      services: [
        { name: 'late', status: 'DEGRADED', error: 'slow' },
        { name: 'plain', status: 'OK' },
      ],
    });
    expect(stage.controller.serviceInfo('late')).toMatchObject({ supervised: false, up: false });
    const outcome = await stage.promptly(stage.controller.stop());
    expect(outcome).toMatchObject({ unfinished: [], exitCode: 0 });
    expect(stage.trace(/^(start|stop) /)).toEqual([]);
  });

  it('of a check works: an async one is pending at once and runs at once', async () => {
    const stage = new Stage();
    await stage.start();
    await stage.clock.advance(1234);
    const answer = new Deferred<boolean>();
    stage.controller.registerCheck({ name: 'db', check: () => answer.promise, intervalMs: 1000 });
    expect((await stage.promptly(stage.controller.readiness())).services).toMatchObject([
      { name: 'db', status: 'ERROR', reason: 'pending' },
    ]);
    answer.resolve(true);
    await stage.settle();
    expect((await stage.promptly(stage.controller.readiness())).overallHealthy).toBe(true);
    expect(stage.timeline(/db/)).toEqual(['1234 db pending > healthy']);
    await stage.close();
  });

  it('of a check is refused from stop() on, code stopping', async () => {
    const stage = new Stage({ drainDelayMs: 1000 });
    await stage.start();
    stage.controller.stop();
    const check = { name: 'db', check: () => true };
    expect(refusal(() => stage.controller.registerCheck(check)).code).toBe('stopping');
    await stage.close();
    expect(refusal(() => stage.controller.registerCheck(check)).code).toBe('stopping');
  });
});

describe('unregister', () => {
  it('ends the timers of a check, drops its entry and frees its name', async () => {
    const stage = new Stage();
    const handle = stage.controller.registerCheck({ name: 'db', check: () => false, intervalMs: 1000 });
    await stage.start();
    await stage.clock.advance(2000);
    expect(stage.clock.pending).toBeGreaterThan(0);
    handle.unregister();
    handle.unregister();
    expect(stage.clock.pending).toBe(0);
    expect(stage.controller.names('readiness')).toEqual([]);
    expect(stage.controller.checkResult('db')).toBeUndefined();
    expect(await stage.promptly(stage.controller.readiness())).toMatchObject({ overallHealthy: true, services: [] });

    stage.controller.registerCheck({ name: 'db', check: () => true, intervalMs: 1000 });
    await stage.settle();
    handle.unregister();
    expect(stage.controller.names('readiness')).toEqual(['db']);
    expect(stage.controller.checkResult('db')?.status).toBe('healthy');
    await stage.close();
  });

  it('aborts a run under way, whose late answer changes nothing', async () => {
    const stage = new Stage();
    const answer = new Deferred<boolean>();
    let signal: AbortSignal | undefined;
    const handle = stage.controller.registerCheck({
      name: 'db',
      intervalMs: 1000,
      check: (context) => {
        signal = context.signal;
        return answer.promise;
      },
    });
    await stage.start();
    handle.unregister();
    expect(signal?.aborted).toBe(true);
    answer.reject(new Error('late'));
    await stage.settle();
    expect(stage.trace(/db/)).toEqual([]);
    expect(stage.clock.pending).toBe(0);
    await stage.close();
  });

  it('lets a report in flight go on without the entry', async () => {
    const stage = new Stage();
    const handle = stage.controller.registerCheck({ name: 'hung', check: never });
    stage.controller.registerCheck({ name: 'db', check: () => true });
    await stage.start();
    const report = stage.watch(stage.controller.readiness());
    await stage.settle();
    handle.unregister();
    await stage.clock.advance(5000);
    expect(report.value).toMatchObject({ overallHealthy: true, services: [{ name: 'db' }] });
    expect(stage.clock.pending).toBe(0);
    await stage.close();
  });

  it('inside a listener of the check itself works', async () => {
    const stage = new Stage();
    const handle = stage.controller.registerCheck({ name: 'db', check: () => false, intervalMs: 1000 });
    stage.controller.on('check', () => handle.unregister());
    await stage.start();
    await stage.clock.advance(10_000);
    expect(stage.trace(/db/)).toEqual(['db pending > unhealthy']);
    expect(stage.clock.pending).toBe(0);
    await stage.close();
  });

  it('before start() and after the end does no harm', async () => {
    const stage = new Stage();
    const early = stage.controller.registerCheck({ name: 'a', check: () => true, intervalMs: 1000 });
    const late = stage.controller.registerCheck({ name: 'b', check: () => true, intervalMs: 1000 });
    early.unregister();
    await stage.start();
    expect(stage.trace(/pending/)).toEqual(['b pending > healthy']);
    await stage.close();
    late.unregister();
    expect(stage.controller.names('status')).toEqual([]);
  });

  it('of the only obstacle lets whenReady through', async () => {
    const stage = new Stage();
    const handle = stage.controller.registerCheck({ name: 'db', check: () => false, intervalMs: 1000 });
    await stage.start();
    const ready = stage.watch(stage.controller.whenReady());
    await stage.settle();
    handle.unregister();
    await stage.clock.advance(1000);
    expect(ready.value).toBe(true);
    await stage.close();
  });
});

describe('serviceInfo', () => {
  it('says what is known, with times of the wall clock and errors as thrown', async () => {
    const stage = new Stage();
    const error = { not: 'an Error' };
    stage.clock.setWall(Date.parse('2026-01-02T03:04:05.000Z'));
    stage.service('fine');
    stage.service('broken', { start: () => stage.lasting(1000).then(() => Promise.reject(error)) });
    expect(stage.controller.serviceInfo('fine')).toEqual({
      name: 'fine',
      supervised: true,
      up: false,
      restartCount: 0,
      abandonedRuns: 0,
    });
    await stage.start();
    await stage.clock.advance(1000);
    expect(stage.controller.serviceInfo('fine')).toMatchObject({
      up: true,
      lastStartedAt: '2026-01-02T03:04:05.000Z',
    });
    expect(stage.controller.serviceInfo('broken')).toMatchObject({
      up: false,
      lastStartedAt: '2026-01-02T03:04:05.000Z',
      lastStoppedAt: '2026-01-02T03:04:06.000Z',
    });
    expect(stage.controller.serviceInfo('unknown')).toBeUndefined();
    await stage.close();
    expect(stage.controller.serviceInfo('fine')).toMatchObject({
      up: false,
      lastStoppedAt: '2026-01-02T03:04:06.000Z',
    });
  });

  it('keeps an Error as it was thrown', async () => {
    const stage = new Stage();
    const error = new Error('no port');
    stage.service('broken', { start: () => Promise.reject(error) });
    await stage.start();
    expect(stage.controller.serviceInfo('broken')?.error).toBe(error);
    await stage.close();
  });
});

describe('names()', () => {
  it('lists the entries of a report in order without running anything', () => {
    const { controller } = new Stage();
    const check = () => {
      throw new Error('must not run');
    };
    controller.registerCheck({ name: 'live', type: 'liveness', check });
    controller.registerCheck({ name: 'ready', check });
    controller.registerCheck({ name: 'both', type: 'both', check });
    controller.register('api', { status: check });
    expect(controller.names('status')).toEqual(['api', 'live', 'ready', 'both']);
    expect(controller.names('liveness')).toEqual(['api', 'live', 'both']);
    expect(controller.names('readiness')).toEqual(['api', 'ready', 'both']);
  });
});
