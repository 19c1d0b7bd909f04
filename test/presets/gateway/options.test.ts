import { describe, expect, it } from 'vitest';
import { Gateway, type GatewayOptions } from '../../../src/presets/gateway/index.js';
import { resolveGateway } from '../../../src/presets/gateway/options.js';
import { FakeClock } from '../../../src/testing/index.js';
import { fetchOf, makeGateway, OK, RUNNING, type World } from './doubles.js';

const refused = (code: string, message: RegExp) =>
  expect.objectContaining({ code, message: expect.stringMatching(message) });

describe('a wrong option is refused with a sentence that names it', () => {
  it.each<[string, unknown]>([
    ['healthUrl', 'localhost:18789'],
    ['healthUrl', 'ftp://localhost/health'],
    ['healthUrl', '/health'],
    ['healthUrl', ''],
    ['healthUrl', 18789],
    ['processes', []],
    ['classifyProcess', 'gateway'],
    ['restoreStatus', {}],
    ['ensureGateway', true],
    ['restoreIfNeeded', 1],
    ['stopGateway', null],
    ['scheduleBackup', 'daily'],
    ['backupIntervalMs', 0],
    ['activeTimeoutMs', 2_147_483_648],
    ['passiveTimeoutMs', '3000'],
    ['stuckAfterMs', Number.NaN],
    ['stuckAfterMs', Number.POSITIVE_INFINITY],
    ['fetch', 'fetch'],
    ['clock', {}],
    ['logger', { info() {} }],
  ])('%s: %j', (option, value) => {
    const make = () => new Gateway({ [option]: value } as GatewayOptions);
    expect(make).toThrow(refused('invalid_option', new RegExp(`new Gateway\\(\\).*"${option}"`)));
  });

  it('a health URL, without showing it: it may hold a password', () => {
    expect(() => new Gateway({ healthUrl: 'htp://me:s3cret@host/' })).toThrow(
      refused('invalid_option', /something else$/),
    );
  });

  it('an unknown option', () => {
    expect(() => new Gateway({ healthURL: 'http://x/' } as GatewayOptions)).toThrow(
      refused('invalid_option', /unknown option "healthURL" \(is "healthUrl" meant\?\)/),
    );
  });

  it('an unknown or wrong option of a snapshot, at once', () => {
    const { gateway } = makeGateway();
    expect(() => gateway.snapshot({ passiv: true } as object)).toThrow(refused('invalid_option', /"passiv"/));
    expect(() => gateway.snapshot({ passive: 1 } as object)).toThrow(refused('invalid_option', /"passive"/));
  });

  it('an unknown event, or what is no listener', () => {
    const { gateway } = makeGateway();
    expect(() => gateway.on('phases' as 'phase', () => {})).toThrow(refused('invalid_option', /phase/));
    expect(() => gateway.once('phase', 'x' as never)).toThrow(refused('invalid_option', /a function/));
    expect(() => gateway.off('phase', undefined as never)).toThrow(refused('invalid_option', /a function/));
  });
});

it('the defaults are those of the contract', () => {
  const { healthUrl, backupIntervalMs, activeTimeoutMs, passiveTimeoutMs, stuckAfterMs } = resolveGateway({});
  expect({ healthUrl, backupIntervalMs, activeTimeoutMs, passiveTimeoutMs, stuckAfterMs }).toEqual({
    healthUrl: 'http://localhost:18789/health',
    backupIntervalMs: 300_000,
    activeTimeoutMs: 30_000,
    passiveTimeoutMs: 3000,
    stuckAfterMs: 300_000,
  });
});

it('undefined is as good as absent', () => {
  expect(() => new Gateway({ healthUrl: undefined, fetch: undefined, stuckAfterMs: undefined })).not.toThrow();
});

it('a class instance may be given, whose functions are called on it', async () => {
  class Sandbox {
    readonly clock = new FakeClock();
    readonly #world: World = {
      answer: OK,
      processes: [RUNNING],
      backup: { hadBackup: true, restored: true },
      calls: [],
    };
    readonly done: string[] = [];
    processes() {
      return this.#world.processes as (typeof RUNNING)[];
    }
    restoreStatus() {
      return this.#world.backup as { hadBackup: boolean; restored: boolean };
    }
    fetch: NonNullable<GatewayOptions['fetch']> = (url, init) => fetchOf(this.#world)(url, init);
    classifyProcess() {
      return this.#world.calls.length >= 0 ? ('gateway' as const) : null;
    }
    ensureGateway() {
      this.done.push('ensure');
    }
    stopGateway() {
      this.done.push('stop');
    }
    restoreIfNeeded() {
      this.done.push('restore');
    }
    scheduleBackup() {
      this.done.push('backup');
    }
    empty() {
      this.#world.processes = [];
    }
  }
  const sandbox = new Sandbox();
  const gateway = new Gateway(sandbox);
  expect(await gateway.snapshot()).toMatchObject({ phase: 'ready', restoreStatus: { hadBackup: true } });
  await gateway.restart();
  sandbox.empty();
  await gateway.snapshot();
  await sandbox.clock.advance(0);
  expect(sandbox.done).toEqual(['backup', 'stop', 'ensure', 'restore', 'ensure']);
});

describe('classifyProcess', () => {
  it('replaces the matcher', async () => {
    const { gateway, world } = makeGateway({
      classifyProcess: ({ command }) => (command === 'my-gateway' ? 'gateway' : undefined),
    });
    world.processes = [RUNNING, { id: '2', command: 'my-gateway', status: 'running' }];
    expect(await gateway.snapshot()).toMatchObject({ processId: '2', readiness: { ok: true } });
  });

  it('is asked for those that are present only', async () => {
    const asked: string[] = [];
    const { gateway, world } = makeGateway({
      classifyProcess: ({ status }) => {
        asked.push(status);
        return null;
      },
    });
    world.processes = ['running', 'starting', 'completed', 'failed', 'killed', 'error', 'unreadable'].map((status) => ({
      command: 'x',
      status,
    }));
    await gateway.snapshot({ passive: true });
    expect(asked).toEqual(['running', 'starting']);
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('trap');
      },
    ],
    ['returns something else', () => 'daemon' as never],
  ])('that %s makes the listing unknown', async (_, classifyProcess) => {
    const { gateway } = makeGateway({ classifyProcess });
    expect((await gateway.snapshot()).readiness).toMatchObject({ ok: false, status: 'unknown' });
  });
});

it('nothing is touched before something is asked', () => {
  const { world, clock } = makeGateway();
  expect(world.calls).toEqual([]);
  expect(clock.pending).toBe(0);
});

it('a listener that throws harms nobody', async () => {
  const { gateway } = makeGateway();
  const heard: string[] = [];
  gateway.on('phase', () => {
    throw new Error('listener');
  });
  const off = gateway.on('phase', ({ to }) => heard.push(to));
  expect((await gateway.snapshot()).phase).toBe('ready');
  expect(heard).toEqual(['ready']);
  off();
});

it('once() hears one event, off() ends what on() began', async () => {
  const { gateway, world } = makeGateway();
  const heard: string[] = [];
  const listener = ({ to }: { to: string }): unknown => heard.push(`on ${to}`);
  gateway.once('phase', ({ to }) => heard.push(`once ${to}`));
  gateway.on('phase', listener);
  await gateway.snapshot({ passive: true });
  world.processes = [];
  await gateway.snapshot({ passive: true });
  gateway.off('phase', listener);
  world.processes = [RUNNING];
  await gateway.snapshot({ passive: true });
  expect(heard).toEqual(['once ready', 'on ready', 'on degraded']);
});
