import { describe, expect, it } from 'vitest';
import { HealthMonitor } from '../../src/client/index.js';
import {
  gatewaySource,
  instanceSource,
  monitorSource,
  type PageInstanceState,
  type PageReading,
  type PageSource,
  sandboxSource,
} from '../../src/page/index.js';
import { Gateway } from '../../src/presets/gateway/index.js';
import { SandboxServices } from '../../src/presets/sandbox-service/index.js';
import { FakeClock } from '../../src/testing/index.js';
import type { InstanceHealth } from '../../src/wire/instance.js';

const read = async (source: PageSource, clock = new FakeClock(), only?: readonly string[]): Promise<PageReading> =>
  source.read({ signal: new AbortController().signal, clock, only });

const brief = ({ entries }: PageReading) =>
  entries.map(({ name, state, label, reason }) =>
    [name, state, label, reason].filter((part) => part !== undefined).join(' '),
  );

/** What can be listened to, by name. */
function listening() {
  const listeners = new Map<string, (event: never) => unknown>();
  return {
    names: () => [...listeners.keys()],
    emit: (name: string, event: unknown) => listeners.get(name)?.(event as never),
    on: (name: string, listener: (event: never) => unknown) => {
      listeners.set(name, listener);
      return () => listeners.delete(name);
    },
  };
}

describe('a gateway on the page', () => {
  const ok = async () => new Response('{"ok":true}');

  it('shows its probes and its phase, and starts nothing', async () => {
    const done: string[] = [];
    const gateway = new Gateway({
      fetch: async () => {
        throw Object.assign(new Error('connect ECONNREFUSED 10.0.0.5'), { code: 'ECONNREFUSED' });
      },
      processes: () => [],
      ensureGateway: () => done.push('ensure'),
      scheduleBackup: () => done.push('backup'),
    });
    const reading = await read(gatewaySource(gateway));
    expect([reading.state, reading.label]).toEqual(['degraded', 'cold_start']);
    expect(brief(reading)).toEqual([
      'startup degraded failure',
      'readiness degraded failure',
      'liveness degraded failure',
    ]);
    expect(reading.facts).toEqual({ verdict: 'provisioning', status: 'stopped', backup: 'none' });
    expect(done).toEqual([]);
  });

  it('shows what it is when it is ready, with its process as a detail', async () => {
    const gateway = new Gateway({
      fetch: ok,
      processes: () => [{ id: '7', command: 'openclaw-gateway', status: 'running' }],
      restoreStatus: () => ({ hadBackup: true, restored: true }),
    });
    const reading = await read(gatewaySource(gateway, { name: 'G' }));
    expect([reading.state, reading.label]).toEqual(['ok', 'ready']);
    expect(brief(reading)).toEqual(['startup ok', 'readiness ok', 'liveness ok']);
    expect(reading.facts).toMatchObject({ 'process id': '7', process: 'gateway', backup: 'restored' });
  });

  it('shows a probe that could not look as unknown, and one that fails when it is dead as an error', async () => {
    let alive = true;
    let list: (() => never) | (() => object[]) = () => [{ id: '7', command: 'openclaw-gateway', status: 'running' }];
    const gateway = new Gateway({
      fetch: async () => {
        if (alive) return new Response('{"ok":true}');
        throw new Error('gone');
      },
      processes: () => list() as never,
    });
    const source = gatewaySource(gateway);
    await read(source);
    alive = false;
    list = () => [];
    const dead = await read(source);
    expect([dead.state, dead.label]).toEqual(['error', 'dead']);
    expect(brief(dead)).toEqual(['startup error failure', 'readiness error failure', 'liveness error failure']);
    list = () => {
      throw new Error('no proc');
    };
    expect(brief(await read(source))).toContain('readiness unknown unknown');
  });

  it('tells of its phases', async () => {
    const events = listening();
    const source = gatewaySource({ ...events, snapshot: () => Promise.reject(new Error('unused')) } as never);
    const changes: unknown[] = [];
    const end = source.watch?.((change) => changes.push(change));
    events.emit('phase', { to: 'dead' });
    expect(changes).toEqual([{ label: 'dead' }]);
    end?.();
    expect(events.names()).toEqual([]);
  });
});

describe('sandbox services on the page', () => {
  it('show their states in words that promise no more than was checked, and start nothing', async () => {
    const clock = new FakeClock();
    const services = new SandboxServices({ clock });
    services.expose({ workspace: 'w', sandbox: 's', port: 1 });
    services.expose({ workspace: 'w', sandbox: 's', service: 'web', port: 2, readinessCheck: {} });
    const reading = await read(sandboxSource(services), clock);
    expect(brief(reading)).toEqual(['w/s unknown', 'w/s/web unknown']);
    expect(reading.entries[1]).toMatchObject({ error: 'sandbox is not ready', facts: { url: 'http://127.0.0.1:2/' } });
    expect(clock.pending).toBe(0);
    await services.stop();
  });

  it('are labelled by state and check, with age and code', async () => {
    const clock = new FakeClock();
    const lastCheckedTime = new Date(clock.wall() - 3000).toISOString();
    const service = (state: string, name: string, readinessCheck?: object) => ({
      endpoint: { workspace: 'w', sandbox: 's', service: name, ...(readinessCheck && { readinessCheck }) },
      url: 'http://127.0.0.1:1/',
      health: { state, message: 'm', lastCheckedTime, httpStatusCode: 500 },
    });
    const list = [
      service('healthy', 'a', {}),
      service('healthy', 'b'),
      service('unhealthy', 'c', {}),
      service('unhealthy', 'd'),
    ];
    const events = listening();
    const source = sandboxSource({ list: () => list, ...events } as never);
    const reading = await read(source, clock);
    expect(brief(reading)).toEqual([
      'w/s/a ok ready',
      'w/s/b ok responsive',
      'w/s/c error not_ready',
      'w/s/d error unresponsive',
    ]);
    expect(reading.entries[2]).toMatchObject({
      ageMs: 3000,
      error: 'm',
      facts: { 'http status': 500 },
      followed: true,
    });
    expect(reading.entries[0]?.error).toBeUndefined();
    const changes: unknown[] = [];
    const end = source.watch?.((change) => changes.push(change));
    events.emit('change', { to: 'unhealthy', service: list[0] });
    expect(changes).toEqual([{ entry: 'w/s/a', state: 'error' }]);
    end?.();
    expect(events.names()).toEqual([]);
  });
});

const HEALTH: InstanceHealth = {
  container_status: 'running',
  tunnel_status: 'healthy',
  status: 'running',
  can_recreate_tunnel: false,
  validated: true,
};

describe('instances on the page', () => {
  it.each<[Partial<InstanceHealth>, string]>([
    [{}, 'ok running'],
    [{ tunnel_status: 'none' }, 'ok running'],
    [{ tunnel_status: 'tunnel_error' }, 'degraded running tunnel_error'],
    [{ tunnel_status: 'app_error' }, 'degraded running app_error'],
    [{ tunnel_status: 'tls_error' }, 'degraded running tls_error'],
    [{ tunnel_status: 'unknown' }, 'ok running tunnel_unknown'],
    [{ status: 'starting', tunnel_status: 'starting' }, 'degraded starting tunnel_starting'],
    [{ status: 'pending', container_status: 'created' }, 'unknown pending container_created'],
    [{ status: 'unhealthy' }, 'error unhealthy'],
    [{ status: 'error', container_status: 'exited', exit_code: 1 }, 'error error container_exited'],
    [{ container_status: 'missing' }, 'degraded running container_missing'],
  ])('with %j are %s', async (health, expected) => {
    const source = instanceSource([{ name: 'i', health: async () => ({ ...HEALTH, ...health }) }]);
    expect(brief(await read(source))).toEqual([`i ${expected}`]);
  });

  it('are looked at eight at a time, in their order, and only those that are asked for', async () => {
    let atOnce = 0;
    let most = 0;
    const looked: string[] = [];
    const instances = Array.from({ length: 20 }, (_, i) => ({
      name: `i${i}`,
      health: async () => {
        most = Math.max(most, ++atOnce);
        looked.push(`i${i}`);
        await new Promise((resolve) => setImmediate(resolve));
        atOnce--;
        return HEALTH;
      },
    }));
    const source = instanceSource(instances);
    expect((await read(source)).entries.map(({ name }) => name)).toEqual(instances.map(({ name }) => name));
    expect(most).toBe(8);
    looked.length = 0;
    expect(brief(await read(source, undefined, ['i3']))).toEqual(['i3 ok running']);
    expect(looked).toEqual(['i3']);
  });

  it('tell of their status', async () => {
    const events = listening();
    const source = instanceSource([{ name: 'i', health: async () => HEALTH, ...events } as never]);
    const changes: unknown[] = [];
    const end = source.watch?.((change) => changes.push(change));
    events.emit('status', { to: 'error' });
    expect(changes).toEqual([{ entry: 'i', state: 'error' }]);
    end?.();
    expect(events.names()).toEqual([]);
  });
});

const INSTANCE: PageInstanceState = {
  id: 'w1',
  url: 'http://***@w1/',
  instanceStatus: 'running',
  verdict: 'healthy',
  reachable: true,
  lost: false,
  transport: 'websocket',
  snapshot: { phase: 'ready', processId: '7' } as never,
  snapshotAgeMs: 1200,
  changedAgeMs: 60_000,
};

describe('a monitor on the page', () => {
  const { snapshot, snapshotAgeMs, verdict, ...never } = INSTANCE;

  it.each<[string, PageInstanceState, string]>([
    ['healthy', INSTANCE, 'ok ready'],
    ['degraded', { ...INSTANCE, verdict: 'degraded', snapshot: { phase: 'degraded' } as never }, 'degraded degraded'],
    [
      'provisioning',
      { ...INSTANCE, verdict: 'provisioning', snapshot: { phase: 'starting' } as never },
      'unknown starting',
    ],
    ['unreachable', { ...INSTANCE, reachable: false }, 'degraded running unreachable'],
    ['lost', { ...INSTANCE, reachable: false, lost: true }, 'error running lost'],
    ['never seen', { ...never, instanceStatus: 'provisioning', reachable: false }, 'unknown provisioning unreachable'],
  ])('has an instance that is %s', async (_, instance, expected) => {
    expect(brief(await read(monitorSource({ list: () => [instance] })))).toEqual([`w1 ${expected}`]);
  });

  it('gives ages and details as the monitor has them', async () => {
    const { entries } = await read(monitorSource({ list: () => new Set([INSTANCE]) }));
    expect(entries[0]).toMatchObject({
      ageMs: 1200,
      changedAgeMs: 60_000,
      facts: { url: 'http://***@w1/', verdict: 'healthy', transport: 'websocket', 'process id': '7' },
    });
  });

  it('tells of every change of an instance, and of none twice', async () => {
    const events = listening();
    let now: PageInstanceState = INSTANCE;
    const source = monitorSource({ list: () => [now], get: () => now, ...events } as never);
    const changes: unknown[] = [];
    const end = source.watch?.((change) => changes.push(change));
    expect(events.names()).toEqual(['snapshot', 'unreachable', 'lost', 'found']);
    const snapshot = (verdict: string) => events.emit('snapshot', { instance: 'w1', verdict });
    const unreachable = () => events.emit('unreachable', { instance: 'w1', error: 'x' });
    snapshot('provisioning');
    snapshot('healthy');
    snapshot('healthy');
    // One failed try of two ways: it is reachable by the other.
    unreachable();
    now = { ...INSTANCE, reachable: false };
    unreachable();
    unreachable();
    now = { ...now, lost: true };
    events.emit('lost', { instance: 'w1', state: now });
    unreachable();
    // It answers, but nobody has seen it alive.
    snapshot('degraded');
    now = INSTANCE;
    events.emit('found', { instance: 'w1', state: now });
    snapshot('degraded');
    expect(changes).toEqual([
      { entry: 'w1', state: 'unknown' },
      { entry: 'w1', state: 'ok', from: 'unknown' },
      { entry: 'w1', state: 'degraded', from: 'ok' },
      { entry: 'w1', state: 'error', from: 'degraded' },
      { entry: 'w1', state: 'ok', from: 'error' },
      { entry: 'w1', state: 'degraded', from: 'ok' },
    ]);
    end?.();
    expect(events.names()).toEqual([]);
  });

  it('forgets an instance that has gone with the next reading', async () => {
    const events = listening();
    const list = [INSTANCE];
    const source = monitorSource({ list: () => list, ...events } as never);
    const changes: unknown[] = [];
    source.watch?.((change) => changes.push(change));
    await read(source);
    list.length = 0;
    await read(source);
    events.emit('snapshot', { instance: 'w1', verdict: 'healthy' });
    events.emit('unreachable', { instance: 'w1' });
    expect(changes).toEqual([{ entry: 'w1', state: 'ok' }, { entry: 'w1' }]);
  });

  it('is read as a real one tells', async () => {
    const monitor = new HealthMonitor({ fetch: async () => Promise.reject(new Error('no')) });
    monitor.add({ id: 'w1', url: 'http://user:secret@127.0.0.1:1/' });
    const reading = await read(monitorSource(monitor));
    expect(brief(reading)).toEqual(['w1 unknown provisioning unreachable']);
    expect(JSON.stringify(reading)).not.toContain('secret');
  });
});
