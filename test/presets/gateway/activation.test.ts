import { describe, expect, it } from 'vitest';
import type { GatewayOptions } from '../../../src/presets/gateway/index.js';
import type { FakeClock } from '../../../src/testing/index.js';
import { deferred, heldAnswers, makeGateway, OK, REFUSED, RUNNING, SCRIPT, STARTING } from './doubles.js';

/** A gateway that is not there, and a record of what was done about it. */
function makeAbsent(options: GatewayOptions = {}) {
  const done: string[] = [];
  const note = (what: string) => () => {
    done.push(what);
  };
  const made = makeGateway({
    restoreIfNeeded: note('restore'),
    ensureGateway: note('ensure'),
    stopGateway: note('stop'),
    scheduleBackup: note('backup'),
    ...options,
  });
  made.world.processes = [];
  made.world.answer = REFUSED;
  const events: string[] = [];
  made.gateway.on('activation', ({ kind, step, failures, retryAfterMs }) =>
    events.push([kind, step, failures, retryAfterMs].filter((part) => part !== undefined).join(' ')),
  );
  made.gateway.on('restart', ({ kind, step }) => events.push(['restart', kind, step ?? ''].join(' ').trim()));
  made.gateway.on('backup', ({ kind }) => events.push(`backup ${kind}`));
  return { ...made, done, events };
}

const failing =
  (message: string, more: object = {}) =>
  () =>
    Promise.reject(Object.assign(new Error(message), more));
const settled = (clock: FakeClock): Promise<void> => clock.advance(0);

describe('an activating snapshot', () => {
  it('restores and then starts a gateway that is not there', async () => {
    const { gateway, clock, done, events } = makeAbsent();
    expect(await gateway.snapshot()).toMatchObject({ status: 'stopped' });
    await settled(clock);
    expect(done).toEqual(['restore', 'ensure']);
    expect(events).toEqual(['begun 0', 'done 0']);
  });

  it('does not wait for what it began', async () => {
    const { gateway, clock } = makeAbsent({ restoreIfNeeded: () => deferred().promise });
    await gateway.snapshot();
    expect(clock.now()).toBe(0);
  });

  it('waits with the start until the restore has ended', async () => {
    const restore = deferred();
    const { gateway, clock, done } = makeAbsent({ restoreIfNeeded: () => restore.promise });
    await gateway.snapshot();
    await settled(clock);
    expect(done).toEqual([]);
    restore.resolve();
    await settled(clock);
    expect(done).toEqual(['ensure']);
  });

  it.each([
    ['the gateway', [RUNNING]],
    ['one that is starting', [STARTING]],
    ['its start script', [SCRIPT]],
  ])('starts nothing where %s is listed, however it answers', async (_, processes) => {
    const { gateway, world, clock, done } = makeAbsent({ scheduleBackup: undefined });
    world.processes = processes;
    await gateway.snapshot();
    await settled(clock);
    expect(done).toEqual([]);
  });

  it.each([
    ['the listing fails', { processes: new Error('no') }],
    ['the listing is no list', { processes: 'no' as never }],
    ['some processes are hidden', { processes: [{ id: '1', command: '', status: 'unreadable' }] }],
    ['the port asks for credentials', { answer: { status: 401 } }],
    ['the port answers with 404', { answer: { status: 404 } }],
    ['the port answers with a page', { answer: { status: 200, body: '<html>' } }],
  ])('starts nothing where %s: it could not look', async (_, change) => {
    const { gateway, world, clock, done } = makeAbsent();
    Object.assign(world, change);
    await gateway.snapshot();
    await settled(clock);
    expect(done).toEqual([]);
  });

  it('starts nothing where the listing hangs', async () => {
    const { gateway, world, clock, done } = makeAbsent();
    world.processes = 'hangs';
    const asked = gateway.snapshot();
    await clock.advance(30_000);
    await asked;
    await settled(clock);
    expect(done).toEqual([]);
  });

  it.each(['snapshot', 'startup', 'readiness', 'liveness'] as const)('is not what a passive %s is', async (name) => {
    const { gateway, clock, done } = makeAbsent();
    await (name === 'snapshot' ? gateway.snapshot({ passive: true }) : gateway[name]());
    await settled(clock);
    expect(done).toEqual([]);
  });

  it('begins one start at a time, whoever asks in whichever mode', async () => {
    const ensure = deferred();
    let running = 0;
    let most = 0;
    const { gateway, clock, done } = makeAbsent({
      ensureGateway: async () => {
        most = Math.max(most, ++running);
        done.push('ensure');
        await ensure.promise;
        running--;
      },
    });
    for (let i = 0; i < 5; i++) {
      await Promise.all([gateway.snapshot(), gateway.snapshot({ passive: true }), gateway.snapshot()]);
      await settled(clock);
    }
    expect(done).toEqual(['restore', 'ensure']);
    ensure.resolve();
    await settled(clock);
    await gateway.snapshot();
    await settled(clock);
    expect(done).toEqual(['restore', 'ensure', 'restore', 'ensure']);
    expect(most).toBe(1);
  });

  // What was listed before a start ended says nothing about what is there now.
  it('does not start again on a listing from before a start that has ended since', async () => {
    const slow: (() => void)[] = [];
    const ensure = deferred();
    const { gateway, clock, done } = makeAbsent({
      ensureGateway: () => {
        done.push('ensure');
        return ensure.promise;
      },
      fetch: async () => {
        if (done.includes('ensure')) await new Promise<void>((resolve) => slow.push(resolve));
        throw REFUSED;
      },
    });
    await gateway.snapshot();
    await settled(clock);
    const asked = gateway.snapshot();
    await settled(clock);
    ensure.resolve();
    await settled(clock);
    for (const answer of slow) answer();
    await asked;
    await settled(clock);
    expect(done).toEqual(['restore', 'ensure']);
  });

  it('needs none of the functions', async () => {
    const { gateway, world, clock } = makeGateway();
    world.processes = [];
    await gateway.snapshot();
    world.processes = [RUNNING];
    await gateway.snapshot();
    await settled(clock);
    expect(await gateway.restart()).toBeUndefined();
  });

  it('calls what there is', async () => {
    const { gateway, clock, done } = makeAbsent({ ensureGateway: undefined });
    await gateway.snapshot();
    await settled(clock);
    expect(done).toEqual(['restore']);
  });
});

describe('a start that fails', () => {
  it('is told by an event and in the next snapshot, and nothing is restored or started meanwhile', async () => {
    const { gateway, clock, done, events } = makeAbsent({ ensureGateway: failing('spawn ENOENT') });
    expect((await gateway.snapshot()).readiness.error).toBe('no gateway process is running');
    await settled(clock);
    const { readiness } = await gateway.snapshot();
    expect(readiness.error).toBe('no gateway process is running; the last start failed: spawn ENOENT');
    expect(events).toEqual(['begun 0', 'failed ensure 1 1000']);
    expect(done).toEqual(['restore']);
  });

  it('is not followed by a start when the restore failed', async () => {
    const { gateway, clock, done, events } = makeAbsent({ restoreIfNeeded: failing('no bucket') });
    await gateway.snapshot();
    await settled(clock);
    expect(done).toEqual([]);
    expect(events).toEqual(['begun 0', 'failed restore 1 1000']);
    expect((await gateway.snapshot()).readiness.error).toMatch(/the last restore failed: no bucket$/);
  });

  it('is tried again after 1 s, doubling to 60 s', async () => {
    const { gateway, clock, events } = makeAbsent({ ensureGateway: failing('no') });
    const waits: number[] = [];
    for (let i = 0; i < 9; i++) {
      await gateway.snapshot();
      await settled(clock);
      const wait = Number(events.at(-1)?.split(' ').at(-1));
      waits.push(wait);
      clock.freeze(wait - 1);
      const before = events.length;
      await gateway.snapshot();
      await settled(clock);
      expect(events).toHaveLength(before);
      clock.freeze(1);
    }
    expect(waits).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000, 60_000]);
  });

  it('is forgotten after a start that succeeds', async () => {
    let fails = true;
    const { gateway, clock, events } = makeAbsent({
      ensureGateway: () => (fails ? Promise.reject(new Error('no')) : undefined),
    });
    await gateway.snapshot();
    await settled(clock);
    clock.freeze(1000);
    fails = false;
    await gateway.snapshot();
    await settled(clock);
    expect((await gateway.snapshot()).readiness.error).toBe('no gateway process is running');
    await settled(clock);
    fails = true;
    await gateway.snapshot();
    await settled(clock);
    expect(events.at(-1)).toBe('failed ensure 1 1000');
  });

  it('is forgotten once the gateway was seen ready', async () => {
    const { gateway, world, clock, events } = makeAbsent({ ensureGateway: failing('no'), scheduleBackup: undefined });
    for (let i = 0; i < 3; i++) {
      await gateway.snapshot();
      await settled(clock);
      clock.freeze(60_000);
    }
    Object.assign(world, { processes: [RUNNING], answer: OK });
    await gateway.snapshot({ passive: true });
    Object.assign(world, { processes: [], answer: REFUSED });
    await gateway.snapshot();
    await settled(clock);
    expect(events.at(-1)).toBe('failed ensure 1 1000');
  });

  it('harms nobody when it throws at once or throws something else than an error', async () => {
    const { gateway, clock, events } = makeAbsent({
      ensureGateway: () => {
        throw null;
      },
    });
    await gateway.snapshot();
    await settled(clock);
    expect(events).toEqual(['begun 0', 'failed ensure 1 1000']);
    expect((await gateway.snapshot()).readiness.error).toMatch(/the last start failed: null$/);
  });

  it('is logged, once', async () => {
    const lines: string[] = [];
    const ignore = (): void => {};
    const { gateway, clock } = makeAbsent({
      ensureGateway: failing('spawn ENOENT'),
      logger: { debug: ignore, info: ignore, warn: ignore, error: (line) => lines.push(line) },
    });
    await gateway.snapshot();
    await settled(clock);
    await gateway.snapshot();
    expect(lines).toEqual(['gateway: the last start failed: spawn ENOENT']);
  });
});

describe('a configuration that is refused (exit code 78)', () => {
  it('ends the tries until a restart', async () => {
    let exitCode: number | undefined = 78;
    const { gateway, clock, done, events } = makeAbsent({
      ensureGateway: () => {
        done.push('ensure');
        return exitCode === undefined
          ? undefined
          : Promise.reject(Object.assign(new Error('bad config'), { exitCode }));
      },
    });
    await gateway.snapshot();
    await settled(clock);
    for (let i = 0; i < 5; i++) {
      clock.freeze(3_600_000);
      const { readiness } = await gateway.snapshot();
      await settled(clock);
      expect(readiness.error).toMatch(/configuration was refused.*: bad config$/);
    }
    expect(events).toEqual(['begun 0', 'refused ensure 1']);
    expect(done).toEqual(['restore', 'ensure']);
    exitCode = undefined;
    await gateway.restart();
    expect(done).toEqual(['restore', 'ensure', 'stop', 'ensure']);
    await gateway.snapshot();
    await settled(clock);
    expect(done.slice(4)).toEqual(['restore', 'ensure']);
  });

  it('is what a restart can come to as well', async () => {
    const { gateway, clock, done } = makeAbsent({ ensureGateway: failing('bad config', { exitCode: 78 }) });
    await expect(gateway.restart()).rejects.toThrow('bad config');
    clock.freeze(3_600_000);
    await gateway.snapshot();
    await settled(clock);
    expect(done).toEqual(['stop']);
  });

  it('is not what another exit code, or a restore with 78, says', async () => {
    for (const options of [
      { ensureGateway: failing('no', { exitCode: 1 }) },
      { restoreIfNeeded: failing('no', { exitCode: 78 }) },
    ]) {
      const { gateway, clock, events } = makeAbsent(options);
      await gateway.snapshot();
      await settled(clock);
      expect(events.at(-1)).toMatch(/^failed/);
    }
  });
});

describe('restart()', () => {
  it('stops and starts', async () => {
    const { gateway, done, events } = makeAbsent();
    await gateway.restart();
    expect(done).toEqual(['stop', 'ensure']);
    expect(events).toEqual(['restart begun', 'restart done']);
  });

  it('rejects as its step rejected, and does not start what could not be stopped', async () => {
    const error = new Error('EPERM');
    const { gateway, done, events } = makeAbsent({ stopGateway: () => Promise.reject(error) });
    await expect(gateway.restart()).rejects.toBe(error);
    expect(done).toEqual([]);
    expect(events).toEqual(['restart begun', 'restart failed stop']);
    const other = makeAbsent({ ensureGateway: () => Promise.reject(error) });
    await expect(other.gateway.restart()).rejects.toBe(error);
    expect(other.events).toEqual(['restart begun', 'restart failed ensure']);
  });

  it('whose start fails makes the next try wait', async () => {
    const { gateway, clock, events } = makeAbsent({ ensureGateway: failing('no') });
    await gateway.restart().catch(() => {});
    await gateway.snapshot();
    await settled(clock);
    expect(events).toEqual(['restart begun', 'restart failed ensure']);
    clock.freeze(1000);
    await gateway.snapshot();
    await settled(clock);
    expect(events.slice(2)).toEqual(['begun 1', 'failed ensure 2 2000']);
  });

  it('clears the backoff', async () => {
    let fails = true;
    const { gateway, clock, events } = makeAbsent({
      ensureGateway: () => (fails ? Promise.reject(new Error('no')) : undefined),
    });
    await gateway.snapshot();
    await settled(clock);
    fails = false;
    await gateway.restart();
    await gateway.snapshot();
    await settled(clock);
    expect(events.slice(2)).toEqual(['restart begun', 'restart done', 'begun 0', 'done 0']);
  });

  it('is one for all who ask while it is under way', async () => {
    const stop = deferred();
    const { gateway, done } = makeAbsent({
      stopGateway: () => {
        done.push('stop');
        return stop.promise;
      },
    });
    const asked = [gateway.restart(), gateway.restart()];
    stop.resolve();
    await Promise.all(asked);
    expect(done).toEqual(['stop', 'ensure']);
    await gateway.restart();
    expect(done).toEqual(['stop', 'ensure', 'stop', 'ensure']);
  });

  it('is joined by a step of it that asks for another', async () => {
    let inner: Promise<void> | undefined;
    const { gateway, done } = makeAbsent({
      stopGateway: () => {
        done.push('stop');
        inner ??= gateway.restart();
      },
    });
    await gateway.restart();
    await inner;
    expect(done).toEqual(['stop', 'ensure']);
  });

  it('waits for a start in the background, whose signal it aborts, and takes its place', async () => {
    const restore = deferred();
    const signals: AbortSignal[] = [];
    const { gateway, clock, done, events } = makeAbsent({
      restoreIfNeeded: ({ signal }) => {
        signals.push(signal);
        return restore.promise;
      },
    });
    await gateway.snapshot();
    await settled(clock);
    const restart = gateway.restart();
    await settled(clock);
    expect(signals[0]?.reason).toMatchObject({ code: 'restart' });
    expect(done).toEqual([]);
    restore.resolve();
    await restart;
    expect(done).toEqual(['stop', 'ensure']);
    expect(events).toEqual(['begun 0', 'restart begun', 'cancelled 0', 'restart done']);
  });

  it('is not overlapped by a start in the background', async () => {
    const stop = deferred();
    const { gateway, clock, done } = makeAbsent({ stopGateway: () => stop.promise });
    const restart = gateway.restart();
    await gateway.snapshot();
    await settled(clock);
    expect(done).toEqual([]);
    stop.resolve();
    await restart;
    expect(done).toEqual(['ensure']);
  });

  // A restarted component must not be judged by its previous life: cases.md 11.
  it('has who asks afterwards look anew, also while an older snapshot is under way', async () => {
    const { fetch, answer } = heldAnswers();
    const { gateway, world, clock } = makeGateway({ fetch });
    const before = gateway.snapshot();
    await settled(clock);
    await gateway.restart();
    const after = gateway.snapshot();
    await settled(clock);
    expect(world.calls.filter((call) => call === 'list')).toHaveLength(2);
    answer();
    expect(await after).not.toBe(await before);
  });

  it('keeps that the gateway was ready before, but not since when it has been starting', async () => {
    const { gateway, world } = makeGateway();
    await gateway.snapshot();
    await gateway.restart();
    world.processes = [SCRIPT];
    expect((await gateway.snapshot({ passive: true })).phase).toBe('degraded');

    const fresh = makeGateway({ stuckAfterMs: 1000 });
    fresh.world.processes = [SCRIPT];
    await fresh.gateway.snapshot();
    fresh.clock.freeze(1000);
    await fresh.gateway.restart();
    expect((await fresh.gateway.snapshot()).phase).toBe('starting');
  });

  it('has startup measured again, also when a snapshot was taken while it was under way', async () => {
    const ensure = deferred();
    const { gateway, world } = makeGateway({ ensureGateway: () => ensure.promise });
    await gateway.snapshot();
    const restart = gateway.restart();
    await gateway.snapshot();
    ensure.resolve();
    await restart;
    world.backup = { hadBackup: true, restored: false };
    expect((await gateway.snapshot()).startup).toMatchObject({ ok: false });
  });
});

describe('a backup', () => {
  const runs = (options: GatewayOptions = {}) => {
    const made = makeAbsent(options);
    Object.assign(made.world, { processes: [RUNNING], answer: OK });
    return made;
  };

  it('is made while a gateway runs, at most once per interval', async () => {
    const { gateway, clock, done } = runs({ backupIntervalMs: 7000 });
    await gateway.snapshot();
    clock.freeze(6999);
    await gateway.snapshot();
    expect(done).toEqual(['backup']);
    clock.freeze(1);
    await gateway.snapshot();
    expect(done).toEqual(['backup', 'backup']);
  });

  it('is made every 5 minutes by default', async () => {
    const { gateway, clock, done } = runs();
    for (let i = 0; i < 3; i++) {
      await gateway.snapshot();
      clock.freeze(299_999);
      await gateway.snapshot();
      clock.freeze(1);
    }
    expect(done).toEqual(['backup', 'backup', 'backup']);
  });

  it('is made by no passive snapshot, and while none runs by none', async () => {
    const { gateway, world, done } = runs({ restoreIfNeeded: undefined, ensureGateway: undefined });
    await gateway.snapshot({ passive: true });
    for (const processes of [[], [STARTING], [SCRIPT], new Error('no')]) {
      world.processes = processes;
      await gateway.snapshot();
    }
    expect(done).toEqual([]);
  });

  it('that fails is told by an event and waits for the next interval', async () => {
    const { gateway, clock, events } = runs({ scheduleBackup: failing('disk full'), backupIntervalMs: 1000 });
    await gateway.snapshot();
    await settled(clock);
    await gateway.snapshot();
    await settled(clock);
    expect(events).toEqual(['backup begun', 'backup failed']);
    clock.freeze(1000);
    await gateway.snapshot();
    await settled(clock);
    expect(events).toHaveLength(4);
  });

  it('is not begun while the last one has not ended', async () => {
    const backup = deferred();
    const { gateway, clock, events } = runs({ scheduleBackup: () => backup.promise, backupIntervalMs: 1000 });
    await gateway.snapshot();
    clock.freeze(5000);
    await gateway.snapshot();
    expect(events).toEqual(['backup begun']);
    backup.resolve();
    await settled(clock);
    await gateway.snapshot();
    expect(events.slice(0, 3)).toEqual(['backup begun', 'backup done', 'backup begun']);
  });
});
