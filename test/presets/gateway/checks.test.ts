import { describe, expect, it } from 'vitest';
import { Controller } from '../../../src/index.js';
import { FakeClock, recordEvents, runCheck } from '../../../src/testing/index.js';
import { deferred, makeGateway, NOT_OK, OK, REFUSED, RUNNING, SCRIPT } from './doubles.js';

const DAY_MS = 24 * 3600 * 1000;

function entryOf(report: Awaited<ReturnType<Controller['readiness']>>, name: string) {
  return report.services.find((entry) => entry.name === name);
}

describe('checks()', () => {
  it('is one for readiness, and one for liveness on request only', () => {
    const { gateway } = makeGateway({ passiveTimeoutMs: 700 });
    expect(gateway.checks()).toEqual([
      { name: 'gateway-readiness', type: 'readiness', timeoutMs: 1700, check: expect.any(Function) },
    ]);
    expect(gateway.checks({ liveness: true, intervalMs: 5000 })).toEqual([
      { name: 'gateway-readiness', type: 'readiness', intervalMs: 5000, timeoutMs: 1700, check: expect.any(Function) },
      { name: 'gateway-liveness', type: 'liveness', intervalMs: 5000, timeoutMs: 1700, check: expect.any(Function) },
    ]);
  });

  it('keeps its timeout within what a timer takes', () => {
    const { gateway } = makeGateway({ passiveTimeoutMs: 2_147_483_647 });
    expect(gateway.checks()[0]?.timeoutMs).toBe(2_147_483_647);
  });

  it('refuses wrong options', () => {
    const { gateway } = makeGateway();
    const refused = expect.objectContaining({ code: 'invalid_option' });
    expect(() => gateway.checks({ livenes: true } as object)).toThrow(refused);
    expect(() => gateway.checks({ liveness: 'yes' } as object)).toThrow(refused);
    expect(() => gateway.checks({ intervalMs: -1 })).toThrow(refused);
    expect(() => gateway.attach({} as Controller)).toThrow(refused);
    expect(() => gateway.attach(new Controller(), { intervalMs: Number.NaN })).toThrow(refused);
  });
});

describe('gateway-readiness', () => {
  const check = async (change: object) => {
    const { gateway, world, clock } = makeGateway();
    Object.assign(world, change);
    const [readiness] = gateway.checks();
    if (readiness === undefined) throw new Error('no check');
    const { status, message, reason, data } = await runCheck(readiness, { clock });
    return { status, message, reason, data };
  };

  it('is healthy where the gateway is ready', async () => {
    expect(await check({})).toMatchObject({ status: 'healthy', data: { status: 'running', phase: 'ready' } });
  });

  it.each<[string, object, string, RegExp]>([
    ['without a process', { processes: [], answer: REFUSED }, 'no_process', /^no gateway process is running$/],
    ['with its start script', { processes: [SCRIPT, RUNNING] }, 'start_script', /has not exited/],
    ['with a closed port', { answer: REFUSED }, 'connect', /^nothing listens .*ECONNREFUSED/],
    [
      'with a wrong certificate',
      { answer: Object.assign(new Error('x'), { code: 'CERT_HAS_EXPIRED' }) },
      'tls',
      /failed/,
    ],
    ['with an error', { answer: { status: 500 } }, 'http_status', /\(500\)/],
    ['with a redirect', { answer: { status: 302 } }, 'redirect', /\(302\)/],
    ['with a listing that fails', { processes: new Error('EPERM') }, 'listing_failed', /EPERM$/],
    ['whose backup waits', { backup: { hadBackup: true, restored: false } }, 'restoring', /has not been restored/],
    ['whose backup is not known', { backup: new Error('bucket') }, 'restore_unknown', /bucket$/],
  ])('is unhealthy %s, and says so in a code', async (_, change, reason, message) => {
    const result = await check(change);
    expect(result).toMatchObject({ status: 'unhealthy', reason });
    expect(result.message).toMatch(message);
  });

  it('is healthy with a body that says nothing: that is for liveness', async () => {
    expect(await check({ answer: NOT_OK })).toMatchObject({ status: 'healthy' });
  });

  it('answers itself where everything hangs, before its check would time out', async () => {
    const { gateway, world, clock } = makeGateway();
    Object.assign(world, { answer: 'hangs', processes: 'hangs' });
    const [readiness] = gateway.checks();
    if (readiness === undefined) throw new Error('no check');
    const asked = runCheck(readiness, { clock });
    await clock.advance(3000);
    expect(await asked).toMatchObject({ status: 'unhealthy', reason: 'listing_timeout', durationMs: 3000 });
  });

  // Restored is not ready, and stuck is told apart: cases.md 114.
  it('waits for the restore while liveness is fine and nothing is restarted', async () => {
    const { gateway, world, clock } = makeGateway({ stuckAfterMs: 60_000, ensureGateway: () => expect.unreachable() });
    const controller = new Controller({ clock });
    gateway.attach(controller, { liveness: true, intervalMs: 1000 });
    world.backup = { hadBackup: true, restored: false };
    controller.start();
    const reasonAt = async (ms: number): Promise<string | undefined> => {
      await clock.advance(ms);
      expect((await controller.liveness()).overallHealthy).toBe(true);
      return entryOf(await controller.readiness(), 'gateway-readiness')?.reason;
    };
    expect(await reasonAt(1000)).toBe('restoring');
    expect(await reasonAt(58_000)).toBe('restoring');
    expect(await reasonAt(2000)).toBe('restore_stuck');
    world.backup = { hadBackup: true, restored: true };
    expect(await reasonAt(1000)).toBeUndefined();
    expect((await controller.readiness()).overallHealthy).toBe(true);
    await controller.stop();
  });
});

describe('gateway-liveness', () => {
  const check = async (change: object) => {
    const { gateway, world, clock } = makeGateway();
    Object.assign(world, change);
    const liveness = gateway.checks({ liveness: true })[1];
    if (liveness === undefined) throw new Error('no check');
    return { ...(await runCheck(liveness, { clock })), calls: world.calls };
  };

  it('takes one health request and no listing', async () => {
    expect(await check({})).toMatchObject({ status: 'healthy', calls: ['ask'] });
  });

  it('is unhealthy where the gateway is dead', async () => {
    expect(await check({ answer: REFUSED })).toMatchObject({ status: 'unhealthy', reason: 'connect' });
  });

  it.each([
    ['404', { status: 404 }],
    ['401', { status: 401 }],
    ['a page', { status: 200, body: '<html>' }],
  ])('is degraded where the answer cannot be read (%s): nobody must be restarted for it', async (_, answer) => {
    expect(await check({ answer })).toMatchObject({ status: 'degraded' });
  });
});

describe('attach()', () => {
  it('registers with a controller, whose reports follow the gateway', async () => {
    const { gateway, world, clock } = makeGateway();
    const controller = new Controller({ clock });
    const events = recordEvents(controller);
    const [handle] = gateway.attach(controller, { intervalMs: 5000 });
    controller.start();
    await clock.advance(1);
    world.processes = [SCRIPT];
    await clock.advance(5000);
    world.processes = [RUNNING];
    await clock.advance(5000);
    handle?.unregister();
    expect(controller.names('readiness')).toEqual([]);
    expect(events.lines).toEqual([
      'state never_started -> running',
      'check gateway-readiness pending -> healthy',
      'check gateway-readiness healthy -> unhealthy',
      'check gateway-readiness unhealthy -> healthy',
    ]);
    await controller.stop();
  });

  it('neither starts nor backs anything up, however long nobody asks otherwise', async () => {
    const { gateway, world, clock } = makeGateway({
      ensureGateway: () => expect.unreachable(),
      scheduleBackup: () => expect.unreachable(),
    });
    const controller = new Controller({ clock });
    gateway.attach(controller, { liveness: true });
    controller.start();
    await controller.readiness();
    world.processes = [];
    world.answer = REFUSED;
    expect((await controller.readiness()).overallHealthy).toBe(false);
    expect((await controller.liveness()).overallHealthy).toBe(false);
    await controller.stop();
  });

  it('ends activation and backups with the shutdown of the controller', async () => {
    const done: string[] = [];
    const { gateway, world, clock } = makeGateway({
      ensureGateway: () => done.push('ensure'),
      scheduleBackup: () => done.push('backup'),
    });
    const controller = new Controller({ clock, drainDelayMs: 1000 });
    gateway.attach(controller);
    controller.start();
    await clock.advance(0);
    const stopped = controller.stop();
    expect(controller.state).toBe('stopping');
    await gateway.snapshot();
    Object.assign(world, { processes: [], answer: REFUSED });
    expect((await gateway.snapshot()).status).toBe('stopped');
    await clock.advance(1000);
    await stopped;
    await gateway.snapshot();
    expect(done).toEqual([]);
  });

  it('begins no further step of a start that the shutdown overtakes', async () => {
    const restore = deferred();
    const signals: AbortSignal[] = [];
    const kinds: string[] = [];
    const { gateway, world, clock } = makeGateway({
      restoreIfNeeded: ({ signal }) => {
        signals.push(signal);
        return restore.promise;
      },
      ensureGateway: () => expect.unreachable(),
    });
    gateway.on('activation', ({ kind }) => kinds.push(kind));
    Object.assign(world, { processes: [], answer: REFUSED });
    const controller = new Controller({ clock });
    gateway.attach(controller);
    controller.start();
    await gateway.snapshot();
    const stopped = controller.stop();
    expect(signals[0]?.reason).toMatchObject({ code: 'shutdown' });
    restore.resolve();
    await clock.advance(0);
    await stopped;
    expect(kinds).toEqual(['begun', 'cancelled']);
  });

  it('registers all or none', () => {
    const { gateway } = makeGateway();
    const controller = new Controller();
    controller.registerCheck({ name: 'gateway-liveness', check: () => true });
    expect(() => gateway.attach(controller, { liveness: true })).toThrow(
      expect.objectContaining({ code: 'duplicate_name' }),
    );
    expect(controller.names('status')).toEqual(['gateway-liveness']);
  });

  it('leaves no timer behind after the stop', async () => {
    const { gateway, clock } = makeGateway();
    const controller = new Controller({ clock });
    gateway.attach(controller, { liveness: true, intervalMs: 1000 });
    controller.start();
    await clock.advance(10_000);
    const stopped = controller.stop();
    await clock.advance(0);
    await stopped;
    expect(clock.pending).toBe(0);
  });

  // No traffic is not staleness: cases.md 10 (about 4,000 needless restarts were reported).
  it('finds a gateway well that handles nothing for a day', async () => {
    const clock = new FakeClock();
    const { gateway } = makeGateway({ ensureGateway: () => expect.unreachable() }, clock);
    const controller = new Controller({ clock });
    const events = recordEvents(controller);
    gateway.attach(controller, { liveness: true, intervalMs: 60_000 });
    controller.start();
    await clock.advance(DAY_MS);
    expect((await controller.readiness()).overallHealthy).toBe(true);
    expect(events.lines.toSorted()).toEqual([
      'check gateway-liveness pending -> healthy',
      'check gateway-readiness pending -> healthy',
      'state never_started -> running',
    ]);
    await controller.stop();
  });
});

it('an answer of an old gateway leaves it alive and ready in a controller', async () => {
  const { gateway, world, clock } = makeGateway();
  world.answer = { status: 200, body: '<!doctype html>', type: 'text/html' };
  const controller = new Controller({ clock });
  gateway.attach(controller, { liveness: true });
  controller.start();
  expect((await controller.liveness()).overallHealthy).toBe(true);
  expect((await controller.readiness()).overallHealthy).toBe(true);
  world.answer = OK;
  await controller.stop();
});
