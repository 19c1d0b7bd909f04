import { afterEach, describe, expect, it } from 'vitest';
import type { ContainerObservation, TunnelBrokenEvent } from '../../../src/presets/instance/index.js';
import { deferred, FAILED, found, PASSED, ScriptedContainer, ScriptedProbe, UNREACHABLE } from './support/doubles.js';
import { observed } from './support/observed.js';
import { Web } from './support/web.js';

const web = new Web();
afterEach(() => web.close());

const NEVER = new Promise<never>(() => {});
const READY = { readinessProbe: new ScriptedProbe([PASSED]) };

describe('health', () => {
  it('without a tunnel has none', async () => {
    const { instance, clock } = observed({ container: new ScriptedContainer([found()]) });
    expect(await instance.health()).toEqual({
      container_status: 'running',
      tunnel_status: 'none',
      status: 'pending',
      can_recreate_tunnel: false,
      validated: false,
    });
    expect(clock.pending).toBe(0);
  });

  it('is looked at once for callers at the same time, and anew for the next', async () => {
    let asked = 0;
    const tunnel = await web.serve((_, response) => {
      asked++;
      response.end();
    });
    const container = new ScriptedContainer([found()]);
    const { instance } = observed({ container, tunnel });
    const [first, second, third] = await Promise.all([instance.health(), instance.health(), instance.health()]);
    expect(second).toBe(first);
    expect(third).toBe(first);
    expect([container.looks, asked]).toEqual([1, 1]);
    await instance.health();
    expect([container.looks, asked]).toEqual([2, 2]);
  });

  it('of a container that was never started says what was seen of it', async () => {
    const seen = found({ status: 'exited', exitCode: 137, outOfMemory: true });
    const { instance } = observed({ container: new ScriptedContainer([seen]) });
    expect(await instance.health()).toMatchObject({
      status: 'pending',
      container_status: 'exited',
      exit_code: 137,
      message: 'the container exited with code 137 (out of memory)',
    });
  });

  it('moves the status at once, where the instance was started', async () => {
    const container = new ScriptedContainer([found()]);
    const { instance, events } = observed({ container, ...READY });
    await instance.start();
    container.become(found({ status: 'exited', exitCode: 2 }));
    expect(await instance.health()).toMatchObject({ status: 'error', container_status: 'exited', exit_code: 2 });
    expect(events.at(-1)).toBe('running -> error @0');
    instance.stop();
  });

  it('tells what could not be looked at, and not that it is missing', async () => {
    const container = new ScriptedContainer([found(), UNREACHABLE]);
    const { instance } = observed({ container, ...READY });
    await instance.start();
    expect(await instance.health()).toEqual({
      container_status: 'unknown',
      tunnel_status: 'none',
      status: 'running',
      can_recreate_tunnel: false,
      validated: true,
      message: 'the container engine cannot be reached: ECONNREFUSED',
    });
    instance.stop();
  });

  it.each<[string, () => Promise<ContainerObservation> | ContainerObservation, string]>([
    ['rejects', () => Promise.reject(new Error('odd')), 'the container engine answered with an error: odd'],
    ['answers nothing', () => undefined as never, 'observe() told no status that is known here'],
    ['answers nonsense', () => ({ status: 'fine' }) as never, 'observe() told no status that is known here'],
    [
      'answers with a getter that throws',
      () =>
        ({
          get status() {
            throw new Error('no status');
          },
        }) as never,
      'no status',
    ],
  ])('of a container object that %s is unknown', async (_, answer, message) => {
    const { instance } = observed({ container: new ScriptedContainer([answer]) });
    const health = await instance.health();
    expect(health.container_status).toBe('unknown');
    expect(health.message).toContain(message);
  });

  it('takes probeTimeoutMs at the most', async () => {
    const { instance, clock } = observed({
      container: new ScriptedContainer([() => NEVER]),
      tunnel: () => NEVER,
      probeTimeoutMs: 700,
    });
    const health = instance.health();
    await clock.advance(700);
    expect(await health).toMatchObject({ container_status: 'unknown', tunnel_status: 'unknown' });
    expect(clock.pending).toBe(0);
  });

  it('after a stop is what was seen last, and asks nothing', async () => {
    const container = new ScriptedContainer([found()]);
    const { instance } = observed({ container, ...READY, tunnel: await web.answer(() => 200) });
    await instance.start();
    await instance.health();
    instance.stop();
    const { looks } = container;
    expect(await instance.health()).toMatchObject({
      container_status: 'running',
      tunnel_status: 'healthy',
      status: 'running',
      validated: true,
    });
    expect(container.looks).toBe(looks);
  });

  it('after a stop still says why it was in error', async () => {
    const container = new ScriptedContainer([found({ status: 'restarting', exitCode: 5, restartCount: 1 })]);
    const { instance, clock } = observed({ container });
    void instance.start();
    await clock.advance(30_000);
    container.become(found({ restartCount: 1 }));
    await instance.health();
    instance.stop();
    expect(await instance.health()).toMatchObject({
      status: 'error',
      container_status: 'running',
      exit_code: 5,
      message: 'the container keeps restarting: it ends with code 5',
    });
  });

  it('is frozen: it is shared', async () => {
    const { instance } = observed({ container: new ScriptedContainer([found()]) });
    expect(Object.isFrozen(await instance.health())).toBe(true);
  });
});

describe('a tunnel', () => {
  it.each([
    [502, 'starting'],
    [503, 'starting'],
    [504, 'starting'],
    [500, 'app_error'],
    [404, 'app_error'],
    [530, 'tunnel_error'],
    [200, 'healthy'],
  ])('that answers %d while the instance starts is %s, and not recreated', async (status, tunnel_status) => {
    const { instance, clock } = observed({
      container: new ScriptedContainer([found()]),
      readinessProbe: new ScriptedProbe([FAILED]),
      tunnel: await web.answer(() => status),
    });
    void instance.start();
    await clock.advance(0);
    expect(await instance.health()).toMatchObject({ status: 'starting', tunnel_status, can_recreate_tunnel: false });
    instance.stop();
  });

  it('that answers 502 is an application error once the instance is up, or was never started', async () => {
    const tunnel = await web.answer(() => 502);
    const { instance } = observed({ container: new ScriptedContainer([found()]), ...READY, tunnel });
    expect(await instance.health()).toMatchObject({ tunnel_status: 'app_error', message: 'tunnel: status 502' });
    await instance.start();
    expect(await instance.health()).toMatchObject({ tunnel_status: 'app_error' });
    instance.stop();
  });

  it.each<[string, ContainerObservation, boolean]>([
    ['runs', found(), true],
    ['is paused', found({ status: 'paused' }), false],
    ['has exited', found({ status: 'exited', exitCode: 1 }), false],
    ['could not be looked at', UNREACHABLE, false],
  ])('that is broken may be recreated by hand while the container %s: %j', async (_, seen, can_recreate_tunnel) => {
    const container = new ScriptedContainer([found()]);
    const { instance } = observed({ container, ...READY, tunnel: await web.closed() });
    await instance.start();
    container.become(seen);
    expect(await instance.health()).toMatchObject({ tunnel_status: 'tunnel_error', can_recreate_tunnel });
    instance.stop();
  });

  it('that is broken may be recreated while the tool is unhealthy, but not while it is in a loop', async () => {
    const container = new ScriptedContainer([found()]);
    const readinessProbe = new ScriptedProbe([FAILED]);
    const { instance, clock } = observed({ container, readinessProbe, tunnel: await web.closed() });
    void instance.start();
    await clock.advance(30_000);
    expect(await instance.health()).toMatchObject({ status: 'unhealthy', can_recreate_tunnel: true });
    container.become(found({ status: 'restarting', restartCount: 1 }));
    await clock.advance(4000);
    container.become(found({ restartCount: 1 }));
    expect(await instance.health()).toMatchObject({
      status: 'error',
      container_status: 'running',
      can_recreate_tunnel: false,
    });
    instance.stop();
  });

  it('that a function does not know any more is none', async () => {
    const { instance } = observed({ container: new ScriptedContainer([found()]), tunnel: () => undefined });
    expect(await instance.health()).toMatchObject({ tunnel_status: 'none' });
  });

  it.each<[string, () => never, string]>([
    [
      'throws',
      () => {
        throw new Error('no database');
      },
      'no database',
    ],
    ['tells no URL', () => 'tunnel-17' as never, 'the function that tells it told none of http or https'],
    ['tells another scheme', () => 'ssh://x' as never, 'the function that tells it told none of http or https'],
  ])('whose function %s is unknown, and not recreated', async (_, tunnel, why) => {
    const { instance } = observed({ container: new ScriptedContainer([found()]), tunnel });
    expect(await instance.health()).toMatchObject({
      tunnel_status: 'unknown',
      can_recreate_tunnel: false,
      message: `tunnel: the URL is not known: ${why}`,
    });
  });

  it('never shows its URL, which may hold a password', async () => {
    const tunnel = (await web.closed()).replace('//', '//user:secret@');
    const { instance } = observed({ container: new ScriptedContainer([found()]), tunnel });
    expect(JSON.stringify(await instance.health())).not.toMatch(/secret|127\.0\.0\.1/);
  });

  it('that changed identity has the container looked at anew, not by a look that had begun before', async () => {
    const tunnels = [await web.answer(() => 200), await web.answer(() => 200)];
    const early = deferred<ContainerObservation>();
    const container = new ScriptedContainer([found(), () => early.promise, found({ status: 'paused' })]);
    let index = 0;
    const { instance } = observed({ container, tunnel: () => tunnels[index] });
    await instance.health();
    index = 1;
    const health = instance.health();
    while (container.looks < 2) await new Promise((resolve) => setImmediate(resolve));
    early.resolve(found());
    expect(await health).toMatchObject({ container_status: 'paused' });
    expect(container.looks).toBe(3);
  });

  it('is looked at at its own interval between start and stop, which may be off', async () => {
    for (const [tunnelIntervalMs, expected] of [
      [1000, 4],
      [0, 0],
    ] as const) {
      let looks = 0;
      const tunnel = () => {
        looks++;
        return undefined;
      };
      const { instance, clock } = observed({
        container: new ScriptedContainer([found()]),
        tunnel,
        tunnelIntervalMs,
      });
      void instance.start();
      await clock.advance(3000);
      expect(looks).toBe(expected);
      instance.stop();
      await clock.advance(3000);
      expect(looks).toBe(expected);
      expect(clock.pending).toBe(0);
    }
  });

  it('is called broken once a spell, after the row that recreatePolicy wants', async () => {
    const told: TunnelBrokenEvent[] = [];
    const { instance, clock } = observed({
      name: 'tool',
      container: new ScriptedContainer([found()]),
      ...READY,
      tunnel: await web.answer(() => 530),
      recreatePolicy: { failures: 2, minGapMs: 0 },
      onTunnelBroken: (event) => {
        told.push(event);
        throw new Error('a listener that fails harms nobody');
      },
    });
    await instance.start();
    await instance.health();
    await clock.advance(1);
    expect(told).toEqual([]);
    await instance.health();
    await instance.health();
    expect(told).toEqual([{ name: 'tool', failures: 2, message: 'status 530' }]);
    instance.stop();
  });

  it('is not called broken by a look that ends after the stop', async () => {
    const told: TunnelBrokenEvent[] = [];
    const { instance } = observed({
      container: new ScriptedContainer([found()]),
      tunnel: await web.answer(() => 530),
      recreatePolicy: { failures: 1 },
      onTunnelBroken: (event) => told.push(event),
    });
    const health = instance.health();
    instance.stop();
    expect(await health).toMatchObject({ tunnel_status: 'unknown' });
    expect(told).toEqual([]);
  });
});
