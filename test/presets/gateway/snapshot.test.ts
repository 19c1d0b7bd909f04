import { describe, expect, it } from 'vitest';
import { heldAnswers, makeGateway, NOT_OK, never, OK, REFUSED, RUNNING, SCRIPT, STARTING } from './doubles.js';

describe('a snapshot', () => {
  it('of a gateway that is well has every field of the contract', async () => {
    const { gateway, world } = makeGateway();
    world.backup = { hadBackup: true, restored: true };
    expect(await gateway.snapshot()).toEqual({
      ts: '2024-01-01T00:00:00.000Z',
      startup: { ok: true, status: 'success', latencyMs: 0 },
      readiness: { ok: true, status: 'success', latencyMs: 0 },
      liveness: { ok: true, status: 'success', latencyMs: 0 },
      restoreStatus: { hadBackup: true, restored: true },
      status: 'running',
      processId: 'proc_1',
      processType: 'gateway',
      phase: 'ready',
    });
  });

  it('of a gateway that is not there names no process and gives a reason per probe', async () => {
    const { gateway, world } = makeGateway();
    world.processes = [];
    world.answer = REFUSED;
    const snapshot = await gateway.snapshot({ passive: true });
    expect(snapshot).toMatchObject({ status: 'stopped', phase: 'cold_start' });
    expect(snapshot).not.toHaveProperty('processId');
    expect(snapshot).not.toHaveProperty('processType');
    expect(snapshot.readiness.error).toBe('no gateway process is running');
    expect(snapshot.liveness.error).toMatch(/^nothing listens at the health URL: .*ECONNREFUSED/);
    expect(snapshot.startup.error).toBe(snapshot.liveness.error);
  });

  it.each([true, false])('takes one listing and two health requests, passive: %s', async (passive) => {
    const { gateway, world } = makeGateway();
    await gateway.snapshot({ passive });
    expect(world.calls).toEqual(['list', 'ask', 'ask', 'restore-status']);
  });

  it('is shared by all callers of one mode', async () => {
    const { gateway, world } = makeGateway();
    const active = [1, 2, 3].map(() => gateway.snapshot());
    const passive = [1, 2, 3].map(() => gateway.snapshot({ passive: true }));
    const [first, ...others] = await Promise.all(active);
    const [quiet, ...otherQuiet] = await Promise.all(passive);
    expect(new Set([first, ...others]).size).toBe(1);
    expect(new Set([quiet, ...otherQuiet]).size).toBe(1);
    expect(quiet).not.toBe(first);
    expect(world.calls.filter((call) => call === 'list')).toHaveLength(2);
    expect(world.calls.filter((call) => call === 'ask')).toHaveLength(4);
  });

  it('is taken anew for who comes after the last one has ended', async () => {
    const { gateway, world } = makeGateway();
    const first = await gateway.snapshot();
    expect(await gateway.snapshot()).not.toBe(first);
    expect(world.calls.filter((call) => call === 'list')).toHaveLength(2);
  });

  it('cannot be changed by who gets it', async () => {
    const { gateway } = makeGateway();
    const snapshot = await gateway.snapshot();
    const parts = [snapshot, snapshot.startup, snapshot.readiness, snapshot.liveness, snapshot.restoreStatus];
    expect(parts.every((part) => Object.isFrozen(part))).toBe(true);
  });

  it('measures each probe by the monotonic clock', async () => {
    const { fetch, answer } = heldAnswers();
    const { gateway, clock } = makeGateway({ fetch });
    const asked = gateway.snapshot();
    await clock.advance(40);
    clock.setWall(0);
    answer();
    const { startup, readiness, liveness } = await asked;
    expect([startup.latencyMs, readiness.latencyMs, liveness.latencyMs]).toEqual([40, 40, 40]);
  });

  it.each([
    ['active', 30_000],
    ['passive', 3000],
  ])('in %s mode ends after %i ms when nothing answers', async (mode, timeoutMs) => {
    const { gateway, world, clock } = makeGateway();
    Object.assign(world, { answer: 'hangs', processes: 'hangs', backup: 'hangs' });
    let ended = false;
    const asked = gateway.snapshot({ passive: mode === 'passive' }).finally(() => {
      ended = true;
    });
    await clock.advance(timeoutMs - 1);
    expect(ended).toBe(false);
    await clock.advance(1);
    const { readiness, liveness, startup, status, phase } = await asked;
    expect(readiness).toEqual({
      ok: false,
      status: 'unknown',
      latencyMs: timeoutMs,
      error: 'the process listing timed out',
    });
    expect(liveness).toMatchObject({ status: 'failure', error: 'the health request timed out', latencyMs: timeoutMs });
    expect(startup).toMatchObject({ ok: false, latencyMs: timeoutMs });
    expect({ status, phase }).toEqual({ status: 'starting', phase: 'cold_start' });
    expect(clock.pending).toBe(0);
  });

  it('leaves no timer behind when everything answers', async () => {
    const { gateway, clock } = makeGateway();
    await gateway.snapshot();
    expect(clock.pending).toBe(0);
  });

  it('lets an answer win that is there when the timer of a blocked loop fires late', async () => {
    const { fetch, answer } = heldAnswers();
    const { gateway, clock } = makeGateway({ fetch });
    const asked = gateway.snapshot({ passive: true });
    await clock.advance(0);
    clock.freeze(10_000);
    setImmediate(() => answer());
    await clock.advance(0);
    expect((await asked).liveness.ok).toBe(true);
  });

  it('aborts the signal of whatever it asked when its time is over', async () => {
    const signals: AbortSignal[] = [];
    const note = (signal: AbortSignal): Promise<never> => {
      signals.push(signal);
      return never();
    };
    const { gateway, clock } = makeGateway({
      processes: ({ signal }) => note(signal),
      restoreStatus: ({ signal }) => note(signal),
      fetch: (_, { signal }) => note(signal),
    });
    const asked = gateway.snapshot({ passive: true });
    await clock.advance(3000);
    await asked;
    expect(signals).toHaveLength(4);
    expect(signals.every((signal) => signal.aborted && signal.reason.code === 'timeout')).toBe(true);
  });

  // Anybody can ask a public endpoint, so calls that never settle must not pile up.
  it('leaves at most two calls of a listing behind that never settles, and tries again after ten timeouts', async () => {
    let listings = 0;
    const { gateway, clock } = makeGateway({
      processes: () => {
        listings++;
        return never();
      },
    });
    for (let i = 0; i < 6; i++) {
      const asked = gateway.snapshot({ passive: true });
      await clock.advance(3000);
      expect((await asked).readiness).toMatchObject({ status: 'unknown', error: 'the process listing timed out' });
    }
    expect(listings).toBe(2);
    await clock.advance(30_000);
    const asked = gateway.snapshot({ passive: true });
    await clock.advance(3000);
    await asked;
    expect(listings).toBe(3);
  });

  it('asks again once a call that was left behind has settled', async () => {
    const settle: (() => void)[] = [];
    const { gateway, clock } = makeGateway({
      processes: () => new Promise((resolve) => settle.push(() => resolve([RUNNING]))),
    });
    for (let i = 0; i < 2; i++) {
      const asked = gateway.snapshot({ passive: true });
      await clock.advance(3000);
      await asked;
    }
    for (const done of settle) done();
    await clock.advance(0);
    const asked = gateway.snapshot({ passive: true });
    await clock.advance(0);
    settle.at(-1)?.();
    expect((await asked).readiness.ok).toBe(true);
  });

  // "Could not look" is a third answer: cases.md 112.
  it('is not ready, but not down either, where the listing fails', async () => {
    const { gateway, world } = makeGateway();
    world.processes = new Error('permission denied');
    const { readiness, liveness, startup, status, phase } = await gateway.snapshot();
    expect(readiness).toMatchObject({
      ok: false,
      status: 'unknown',
      error: 'the processes could not be listed: permission denied',
    });
    expect(liveness.ok).toBe(true);
    expect(startup).toMatchObject({ ok: false, status: 'unknown' });
    expect({ status, phase }).toEqual({ status: 'starting', phase: 'starting' });
  });

  it.each([
    ['something else', 'running'],
    ['a list with something else', [RUNNING, 'openclaw gateway']],
    ['a process without a command', [{ id: '1', status: 'running' }]],
    ['a process without a status', [{ id: '1', command: 'openclaw gateway' }]],
    ['a process whose id is an object', [{ id: {}, command: 'openclaw gateway', status: 'running' }]],
    ['nothing', undefined],
  ])('does not trust a listing that returns %s', async (_, list) => {
    const { gateway } = makeGateway({ processes: () => list as never });
    const { readiness, status } = await gateway.snapshot();
    expect(readiness).toMatchObject({ ok: false, status: 'unknown' });
    expect(status).toBe('starting');
  });

  it('does not take hidden processes for absent ones', async () => {
    const { gateway, world } = makeGateway();
    world.processes = [
      { id: '7', command: '', status: 'unreadable' },
      { id: '8', command: 'vim', status: 'running' },
    ];
    const { readiness } = await gateway.snapshot();
    expect(readiness.status).toBe('unknown');
    expect(readiness.error).toMatch(/others are hidden/);
    world.processes = [{ id: '7', command: '', status: 'unreadable' }, RUNNING];
    expect((await gateway.snapshot()).readiness.ok).toBe(true);
  });

  // cases.md 112
  it('tells a process whose port is closed from a port that answers without a process', async () => {
    const { gateway, world } = makeGateway();
    world.answer = REFUSED;
    const closed = await gateway.snapshot({ passive: true });
    expect(closed).toMatchObject({ status: 'starting', phase: 'cold_start', readiness: { ok: false } });
    expect(closed.readiness.error).toMatch(/nothing listens/);
    world.answer = OK;
    world.processes = [];
    const unmatched = await gateway.snapshot({ passive: true });
    expect(unmatched).toMatchObject({ status: 'stopped', phase: 'starting', liveness: { ok: true } });
    expect(unmatched.readiness.error).toBe('no gateway process is running');
  });

  it('names the gateway where both kinds are listed, and the one that runs where there are several', async () => {
    const { gateway, world } = makeGateway();
    world.processes = [SCRIPT, { ...STARTING, id: 'early' }, { ...RUNNING, id: 'ready' }];
    expect(await gateway.snapshot({ passive: true })).toMatchObject({ processId: 'ready', processType: 'gateway' });
    world.processes = [SCRIPT];
    expect(await gateway.snapshot({ passive: true })).toMatchObject({ processId: 'proc_2', processType: 'script' });
  });

  it('shows a numeric id as a text', async () => {
    const { gateway, world } = makeGateway();
    world.processes = [{ ...RUNNING, id: 4711 }];
    expect((await gateway.snapshot()).processId).toBe('4711');
  });

  it('fails startup, and nothing else, when the restore status fails', async () => {
    const { gateway, world } = makeGateway();
    world.backup = new Error('no such bucket');
    const { startup, readiness, liveness, restoreStatus, phase } = await gateway.snapshot();
    expect(startup).toMatchObject({ ok: false, status: 'failure' });
    expect(startup.error).toBe('the restore status could not be read: no such bucket');
    expect([readiness.ok, liveness.ok]).toEqual([true, true]);
    expect(restoreStatus).toEqual({ hadBackup: false, restored: false });
    expect(phase).toBe('starting_backup');
  });

  it('fails startup when the restore status hangs or is none', async () => {
    const { gateway, world, clock } = makeGateway();
    world.backup = 'hangs';
    const asked = gateway.snapshot({ passive: true });
    await clock.advance(3000);
    expect((await asked).startup.error).toBe('the restore status timed out');
    const other = makeGateway({ restoreStatus: () => ({ hadBackup: 'yes' }) as never });
    expect((await other.gateway.snapshot()).startup.error).toMatch(/not \{ hadBackup, restored \}/);
  });

  it('shows the restore status that was read last where it cannot be read now', async () => {
    const { gateway, world } = makeGateway();
    world.backup = { hadBackup: true, restored: true };
    await gateway.snapshot();
    world.backup = new Error('no such bucket');
    const { startup, restoreStatus } = await gateway.snapshot();
    expect(restoreStatus).toEqual({ hadBackup: true, restored: true });
    // Latched: the backup is part of the start, which is over.
    expect(startup).toEqual({ ok: true, status: 'success', latencyMs: 0 });
  });

  it('takes an absent restore status for no backup', async () => {
    const { gateway } = makeGateway({ restoreStatus: undefined });
    expect(await gateway.snapshot()).toMatchObject({
      startup: { ok: true },
      restoreStatus: { hadBackup: false, restored: false },
    });
  });
});

describe('the phase', () => {
  it('goes through a crash and a recovery', async () => {
    const { gateway, world } = makeGateway();
    const phases: string[] = [];
    const look = async (answer: typeof OK, processes: typeof world.processes): Promise<void> => {
      Object.assign(world, { answer, processes });
      phases.push((await gateway.snapshot({ passive: true })).phase);
    };
    await look(REFUSED, []);
    await look(OK, [SCRIPT]);
    await look(OK, [RUNNING]);
    await look(REFUSED, []);
    await look(OK, [SCRIPT, RUNNING]);
    await look(OK, [RUNNING]);
    await look(NOT_OK, [RUNNING]);
    expect(phases).toEqual(['cold_start', 'starting', 'ready', 'dead', 'degraded', 'ready', 'degraded']);
  });

  it('is stuck once it has been starting for stuckAfterMs, and not any more after an interruption', async () => {
    const { gateway, world, clock } = makeGateway({ stuckAfterMs: 10_000 });
    world.processes = [SCRIPT];
    const phase = async (afterMs: number): Promise<string> => {
      clock.freeze(afterMs);
      return (await gateway.snapshot({ passive: true })).phase;
    };
    expect(await phase(0)).toBe('starting');
    expect(await phase(9999)).toBe('starting');
    expect(await phase(1)).toBe('stuck');
    expect(await phase(1)).toBe('stuck');
    world.answer = REFUSED;
    expect(await phase(1)).toBe('cold_start');
    world.answer = OK;
    expect(await phase(1)).toBe('starting');
    expect(await phase(9999)).toBe('starting');
    expect(await phase(1)).toBe('stuck');
  });

  it('is told as an event, on a change only', async () => {
    const { gateway, world } = makeGateway();
    const told: unknown[] = [];
    gateway.on('phase', ({ from, to, snapshot }) => told.push([from, to, snapshot.phase]));
    await gateway.snapshot();
    await gateway.snapshot({ passive: true });
    world.processes = [SCRIPT];
    await gateway.snapshot();
    expect(told).toEqual([
      [undefined, 'ready', 'ready'],
      ['ready', 'degraded', 'degraded'],
    ]);
  });

  it('is logged, a line per change', async () => {
    const lines: string[] = [];
    const line = (message: string): unknown => lines.push(message);
    const { gateway, world } = makeGateway({ logger: { debug: line, info: line, warn: line, error: line } });
    for (let i = 0; i < 100; i++) await gateway.snapshot();
    world.processes = [SCRIPT];
    for (let i = 0; i < 100; i++) await gateway.snapshot();
    expect(lines).toEqual(['gateway: not seen yet -> ready', 'gateway: ready -> degraded']);
  });
});

// The late answer of an old probe must not overwrite a newer one: cases.md 20.
it('an older snapshot that ends later changes nothing of what is remembered', async () => {
  const { fetch, answer, waiting } = heldAnswers();
  const { gateway, world, clock } = makeGateway({ fetch });
  const told: string[] = [];
  gateway.on('phase', ({ to }) => told.push(to));
  world.processes = [SCRIPT];
  const old = gateway.snapshot();
  await clock.advance(0);
  const ofOld = waiting.splice(0);
  world.processes = [RUNNING];
  const recent = gateway.snapshot({ passive: true });
  await clock.advance(0);
  answer();
  expect((await recent).startup.ok).toBe(true);
  answer(ofOld);
  expect((await old).readiness.ok).toBe(false);
  expect(told).toEqual(['ready']);
  const next = gateway.snapshot({ passive: true });
  await clock.advance(0);
  answer();
  expect((await next).startup).toMatchObject({ ok: true, latencyMs: 0 });
});

describe('a single probe', () => {
  it('of liveness takes one health request', async () => {
    const { gateway, world } = makeGateway();
    expect(await gateway.liveness()).toEqual({ ok: true, status: 'success', latencyMs: 0 });
    expect(world.calls).toEqual(['ask']);
  });

  it('of readiness takes one listing and one health request', async () => {
    const { gateway, world } = makeGateway();
    expect(await gateway.readiness()).toEqual({ ok: true, status: 'success', latencyMs: 0 });
    expect(world.calls).toEqual(['list', 'ask']);
  });

  it('of startup is that of a passive snapshot', async () => {
    const { gateway, world } = makeGateway();
    const [startup, snapshot] = await Promise.all([gateway.startup(), gateway.snapshot({ passive: true })]);
    expect(startup).toBe(snapshot.startup);
    expect(world.calls).toEqual(['list', 'ask', 'ask', 'restore-status']);
  });

  it('is shared by concurrent callers', async () => {
    const { gateway, world } = makeGateway();
    await Promise.all([1, 2, 3].flatMap(() => [gateway.liveness(), gateway.readiness()]));
    expect(world.calls.filter((call) => call === 'ask')).toHaveLength(2);
  });

  it('has the time of a passive snapshot', async () => {
    const { gateway, world, clock } = makeGateway({ passiveTimeoutMs: 700 });
    world.answer = 'hangs';
    const asked = Promise.all([gateway.liveness(), gateway.readiness(), gateway.startup()]);
    await clock.advance(700);
    expect((await asked).map(({ latencyMs }) => latencyMs)).toEqual([700, 700, 700]);
  });

  it('of readiness that fails drops the kept success of startup', async () => {
    const { gateway, world } = makeGateway();
    await gateway.snapshot();
    world.processes = [SCRIPT];
    await gateway.readiness();
    world.processes = [RUNNING];
    world.answer = NOT_OK;
    expect((await gateway.snapshot()).startup.ok).toBe(false);
  });

  it('of readiness that passes keeps it', async () => {
    const { gateway, world } = makeGateway();
    await gateway.snapshot();
    await gateway.readiness();
    world.answer = NOT_OK;
    expect((await gateway.snapshot()).startup.ok).toBe(true);
  });
});
