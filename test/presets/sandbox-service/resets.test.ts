import { describe, expect, it } from 'vitest';
import type { RelayCall } from './support/stage.js';
import { Stage } from './support/stage.js';

const CHECKED = { readinessCheck: { path: '/readyz' } };

/** A service with two failures since it was healthy, and an attempt under way. */
async function nearlyUnhealthy() {
  const stage = new Stage();
  stage.observe(CHECKED);
  await stage.ends(200);
  await stage.next('refused');
  await stage.next(503);
  await stage.clock.advance(5000);
  expect(stage.health).toMatchObject({ state: 'healthy', httpStatusCode: 503 });
  expect(stage.calls.at(-1)?.open).toBe(true);
  return { stage, old: stage.last };
}

const resets: readonly [string, (stage: Stage) => unknown, string][] = [
  [
    'another path',
    (stage) => stage.expose({ readinessCheck: { path: '/other' } }),
    'configuration has changed, not checked yet',
  ],
  ['another port', (stage) => stage.expose({ port: 8081 }), 'configuration has changed, not checked yet'],
  ['another host', (stage) => stage.expose({ host: '127.0.0.2' }), 'configuration has changed, not checked yet'],
  ['a replaced runtime', (stage) => stage.box.ready('runtime-2'), 'runtime was replaced, not checked yet'],
  ['a sandbox that is not ready', (stage) => stage.box.notReady(), 'sandbox is not ready'],
];

describe.each(resets)('%s', (_name, reset, message) => {
  it('makes it unknown, without time and code, at once', async () => {
    const { stage } = await nearlyUnhealthy();
    reset(stage);
    expect(stage.health).toEqual({ state: 'unknown', message });
    expect(stage.changes).toEqual(['unknown > healthy', 'healthy > unknown']);
  });

  it('aborts the attempt under way and takes no answer of it, however late', async () => {
    const { stage, old } = await nearlyUnhealthy();
    reset(stage);
    const { health } = stage;
    expect(old.signal.aborted).toBe(true);
    old.answer(200);
    await stage.settle();
    expect(old.line.destroyed).toBe(true);
    expect(stage.health).toBe(health);
  });

  it('takes no answer of a connection that stands', async () => {
    const { stage, old } = await nearlyUnhealthy();
    old.connect();
    await stage.settle();
    reset(stage);
    expect(old.line.destroyed).toBe(true);
    await stage.settle();
    expect(stage.health.message).toBe(message);
  });

  it('counts failures anew', async () => {
    const { stage } = await nearlyUnhealthy();
    reset(stage);
    if (message.startsWith('sandbox')) stage.box.ready('runtime-1');
    await stage.ends('refused');
    await stage.next('refused');
    expect(stage.health.state).toBe('unknown');
    await stage.next('refused');
    expect(stage.health.state).toBe('unhealthy');
  });
});

describe('a new attempt', () => {
  it.each(resets.slice(0, 4))('is made at once after %s', async (_name, reset) => {
    const { stage } = await nearlyUnhealthy();
    const before = stage.calls.length;
    reset(stage);
    expect(stage.calls).toHaveLength(before + 1);
    await stage.ends(200);
    expect(stage.health.state).toBe('healthy');
    await stage.clock.advance(4999);
    expect(stage.calls).toHaveLength(before + 1);
    await stage.clock.advance(1);
    expect(stage.calls).toHaveLength(before + 2);
  });

  it('is made with the new target and path', async () => {
    const { stage } = await nearlyUnhealthy();
    stage.box.ready('runtime-2');
    stage.expose({ port: 9, readinessCheck: { path: '/new' } });
    stage.last.connect();
    await stage.settle();
    expect(stage.last.target).toMatchObject({ port: 9, runtimeId: 'runtime-2' });
    expect(stage.last.line.sent).toMatch(/^GET \/new /);
  });

  it('is not made while the sandbox is not ready', async () => {
    const { stage } = await nearlyUnhealthy();
    const before = stage.calls.length;
    stage.box.notReady();
    stage.expose({ readinessCheck: { path: '/other' } });
    await stage.clock.advance(60_000);
    expect(stage.calls).toHaveLength(before);
    expect(stage.health.message).toBe('sandbox is not ready');
    expect(stage.clock.pending).toBe(0);
  });
});

describe('what changes nothing', () => {
  const same: readonly [string, (stage: Stage) => unknown][] = [
    ['the same configuration', (stage) => stage.expose(CHECKED)],
    ['the same without its check', (stage) => stage.expose()],
    ['the same runtime', (stage) => stage.box.ready('runtime-1')],
    ['another sandbox of the same name', (stage) => stage.services.sandbox('other', 'box').notReady()],
    [
      'another service of the sandbox',
      (stage) => stage.services.expose({ workspace: 'team', sandbox: 'box', service: 'b', port: 1 }),
    ],
    ['removing another service', (stage) => stage.services.remove({ workspace: 'team', sandbox: 'box' })],
  ];

  it.each(same)('%s', async (_name, act) => {
    const { stage, old } = await nearlyUnhealthy();
    const { health } = stage;
    act(stage);
    expect(stage.health).toBe(health);
    expect(old.open).toBe(true);
    old.refuse();
    await stage.settle();
    expect(stage.health.state).toBe('unhealthy');
  });

  it('the same address in another spelling', () => {
    const stage = new Stage();
    stage.observe({ host: '::1' });
    const { health } = stage;
    stage.expose({ host: '0:0:0:0:0:0:0:1' });
    expect(stage.health).toBe(health);
    stage.expose({ host: 'LocalHost' });
    const { health: changed } = stage;
    expect(changed).not.toBe(health);
    stage.expose({ host: 'localhost' });
    expect(stage.health).toBe(changed);
  });
});

describe('the check of a service that is exposed again', () => {
  it('is kept where none is given, and shown', () => {
    const stage = new Stage();
    stage.observe(CHECKED);
    expect(stage.expose({ port: 9 }).endpoint).toEqual({
      workspace: 'team',
      sandbox: 'box',
      service: 'web',
      host: '127.0.0.1',
      port: 9,
      readinessCheck: { path: '/readyz' },
    });
  });

  it('may be added', async () => {
    const stage = new Stage({ failureThreshold: 1 });
    stage.observe();
    await stage.ends(404);
    expect(stage.health.state).toBe('healthy');
    stage.expose({ readinessCheck: {} });
    await stage.ends(404);
    expect(stage.health.state).toBe('unhealthy');
  });

  it('is gone after the service was removed', () => {
    const stage = new Stage();
    stage.observe(CHECKED);
    stage.services.remove({ workspace: 'team', sandbox: 'box', service: 'web' });
    expect(stage.expose().endpoint).not.toHaveProperty('readinessCheck');
  });
});

describe('removal', () => {
  const remove = (stage: Stage) => stage.services.remove({ workspace: 'team', sandbox: 'box', service: 'web' });

  it.each([
    ['remove()', remove],
    ['gone()', (stage: Stage) => stage.box.gone() === 1],
  ])('%s ends everything of it', async (_name, act) => {
    const { stage, old } = await nearlyUnhealthy();
    expect(act(stage)).toBe(true);
    expect(old.signal.aborted).toBe(true);
    expect(stage.clock.pending).toBe(0);
    expect(stage.services.list()).toEqual([]);
    old.answer(200);
    await stage.clock.advance(60_000);
    expect(stage.services.list()).toEqual([]);
    expect(stage.changes).toEqual(['unknown > healthy']);
  });

  it('says whether there was one', () => {
    const stage = new Stage();
    stage.expose();
    expect([remove(stage), remove(stage), stage.box.gone()]).toEqual([true, false, 0]);
  });

  it('leaves the sandbox ready: what is exposed again is observed', () => {
    const stage = new Stage();
    stage.observe();
    remove(stage);
    stage.expose();
    expect(stage.calls).toHaveLength(2);
  });

  it('of a sandbox ends its readiness too', () => {
    const stage = new Stage();
    stage.observe();
    stage.box.gone();
    stage.expose();
    expect(stage.calls).toHaveLength(1);
    expect(stage.health.message).toBe('sandbox is not ready');
  });
});

it('a sandbox may be ready before anything of it is exposed', () => {
  const stage = new Stage();
  stage.box.ready('runtime-1');
  expect(stage.calls).toHaveLength(0);
  stage.expose();
  expect(stage.calls.map(({ target }) => target.runtimeId)).toEqual(['runtime-1']);
});

describe('a listener or relay that acts within a call', () => {
  const other = { workspace: 'team', sandbox: 'box', service: 'b', port: 1 };

  it('may end the sandbox while it becomes ready', () => {
    const stage: Stage = new Stage({
      relay: () => {
        stage.box.notReady();
        return new Promise(() => {});
      },
    });
    stage.expose();
    stage.services.expose(other);
    stage.box.ready('runtime-1');
    expect(stage.services.list().map(({ health }) => health.message)).toEqual([
      'sandbox is not ready',
      'sandbox is not ready',
    ]);
    expect(stage.clock.pending).toBe(0);
  });

  it('may remove another that is due at the same moment', async () => {
    const due: string[] = [];
    const stage: Stage = new Stage({
      relay: ({ service }) => {
        due.push(service);
        if (due.length === 3) stage.services.remove({ workspace: 'team', sandbox: 'box', service: 'b' });
        return Promise.reject(new Error('no'));
      },
    });
    stage.expose();
    stage.services.expose(other);
    stage.box.ready('runtime-1');
    await stage.clock.advance(5000);
    expect(due).toEqual(['web', 'b', 'web']);
    stage.services.remove({ workspace: 'team', sandbox: 'box', service: 'web' });
    expect(stage.clock.pending).toBe(0);
  });

  it('may remove what the change is about', async () => {
    const stage = new Stage();
    stage.services.on('change', ({ service: { endpoint } }) => {
      stage.services.remove({ workspace: 'team', sandbox: 'box', service: endpoint.service });
    });
    stage.observe();
    await stage.ends(200);
    expect(stage.services.list()).toEqual([]);
    expect(stage.clock.pending).toBe(0);
  });

  it('may start a new runtime when the old attempt is aborted', () => {
    const calls: RelayCall[] = [];
    const stage = new Stage({ maxConcurrent: 1 });
    stage.observe();
    stage.last.signal.addEventListener('abort', () => stage.box.ready('runtime-3'));
    stage.box.ready('runtime-2');
    calls.push(...stage.calls.filter(({ open }) => open));
    expect(calls.map(({ target }) => target.runtimeId)).toEqual(['runtime-3']);
    expect(stage.clock.timers).toHaveLength(2);
  });

  it('sees the state that its event tells of', async () => {
    const stage = new Stage();
    const seen: boolean[] = [];
    stage.services.on('change', ({ to, service }) => {
      seen.push(stage.health.state === to && stage.health === service.health);
    });
    stage.observe();
    await stage.ends(200);
    stage.box.notReady();
    expect(seen).toEqual([true, true]);
  });
});
