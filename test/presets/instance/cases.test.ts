import { afterEach, describe, expect, it } from 'vitest';
import { Controller } from '../../../src/index.js';
import { type ContainerObservation, httpProbe } from '../../../src/presets/instance/index.js';
import { FakeClock } from '../../../src/testing/index.js';
import { deferred, found, PASSED, ScriptedContainer, ScriptedProbe, UNREACHABLE } from './support/doubles.js';
import { observed } from './support/observed.js';
import { Web } from './support/web.js';

const web = new Web();
afterEach(() => web.close());

const ready = () => ({ readinessProbe: new ScriptedProbe([PASSED]) });

// Case 106: one sick service restarted all of them.
it('of nine instances only the one whose container has ended is restarted', async () => {
  const clock = new FakeClock();
  const controller = new Controller({ clock });
  const containers = Array.from({ length: 9 }, () => new ScriptedContainer([found()]));
  for (const [index, container] of containers.entries()) {
    const { instance } = observed({ container, ...ready() }, clock);
    const restartPolicy = { healthFailureThreshold: 2, healthCheckIntervalMs: 1000, maxRestarts: 3 };
    controller.register(`tool-${index}`, instance.service(), { restartPolicy });
  }
  controller.start();
  await clock.advance(1000);
  containers[4]?.become(found({ status: 'exited', exitCode: 1 }));
  await clock.advance(10_000);
  const restarts = containers.map((_, index) => controller.serviceInfo(`tool-${index}`)?.restartCount);
  expect(restarts.filter((count) => count !== 0)).toHaveLength(1);
  expect(restarts[4]).toBeGreaterThan(0);
  const stopped = controller.stop();
  await clock.advance(5000);
  await stopped;
});

// Case 110: a dependency that was down for five minutes restarted the fleet.
it('a container that is away for five minutes closes readiness, and neither fails liveness nor restarts anything', async () => {
  const container = new ScriptedContainer([found()]);
  const { instance, clock } = observed({ container, ...ready() });
  await instance.start();
  const controller = new Controller({ clock });
  controller.register('api', { restartPolicy: { healthFailureThreshold: 1, healthCheckIntervalMs: 1000 } });
  instance.attach(controller, { intervalMs: 5000 });
  controller.start();
  await clock.advance(0);
  container.become(found({ status: 'exited', exitCode: 1 }));
  for (let minute = 0; minute < 5; minute++) {
    await clock.advance(60_000);
    expect((await controller.readiness()).overallHealthy).toBe(false);
    expect((await controller.liveness()).overallHealthy).toBe(true);
  }
  expect(controller.serviceInfo('api')?.restartCount).toBe(0);
  container.become(found({ startedAt: '2024-01-01T00:09:00Z' }));
  await clock.advance(10_000);
  expect((await controller.readiness()).overallHealthy).toBe(true);
  instance.stop();
  await controller.stop();
});

// Case 112: a look that fails or hangs was taken for "not there".
describe('a look that could not be taken is neither "there" nor "not there"', () => {
  it.each<[string, () => ContainerObservation | Promise<ContainerObservation>]>([
    ['failing', () => UNREACHABLE],
    ['rejecting', () => Promise.reject(new Error('boom'))],
    ['hanging', () => deferred<ContainerObservation>().promise],
  ])('%s, and it takes its timeout at the most', async (_, look) => {
    const container = new ScriptedContainer([found(), look]);
    const { instance, clock } = observed({ container, ...ready(), probeTimeoutMs: 1000 });
    await instance.start();
    const controller = new Controller({ clock });
    instance.attach(controller);
    controller.start();
    const report = controller.readiness();
    await clock.advance(1000);
    expect((await report).services).toMatchObject([{ status: 'DEGRADED', data: { container_status: 'unknown' } }]);
    expect(instance.status).toBe('running');
    instance.stop();
    await controller.stop();
  });

  it('a container that runs without an answer at its port is not ready', async () => {
    const readinessProbe = httpProbe(await web.closed());
    const { instance, clock } = observed({ container: new ScriptedContainer([found()]), readinessProbe });
    const started = instance.start();
    // The refusals come by real sockets, in real time.
    for (let ms = 0; ms < 30_000; ms += 2000) await clock.advance(2000);
    expect(await started).toBe('unhealthy');
    expect(await instance.health()).toMatchObject({ container_status: 'running', validated: false });
    instance.stop();
  });
});

// Case 116: the health of the tunnel ignored the tunnel.
describe('a tunnel whose connector is alive and has no connection', () => {
  async function reported(tunnelStatus: number, seen: ContainerObservation) {
    const container = new ScriptedContainer([found()]);
    const { instance, clock } = observed({ container, ...ready(), tunnel: await web.answer(() => tunnelStatus) });
    await instance.start();
    container.become(seen);
    const controller = new Controller({ clock });
    instance.attach(controller);
    controller.start();
    const { overallHealthy, services } = await controller.readiness();
    instance.stop();
    await controller.stop();
    return { overallHealthy, entries: services.map(({ name, status, reason }) => [name, status, reason]) };
  }

  it('is never healthy while the container is: both parts are listed', async () => {
    // The edge says 530; a connector asked for its own readiness says 503.
    for (const [status, reason] of [
      [530, 'tunnel_error'],
      [503, 'app_error'],
    ] as const) {
      expect(await reported(status, found())).toEqual({
        overallHealthy: true,
        entries: [
          ['container', 'OK', undefined],
          ['tunnel', 'DEGRADED', reason],
        ],
      });
    }
  });

  it('has another reason than a container that is away, and than both', async () => {
    const gone = found({ status: 'exited', exitCode: 1 });
    const entries = async (status: number, seen: ContainerObservation) => (await reported(status, seen)).entries;
    const told = [await entries(530, found()), await entries(200, gone), await entries(530, gone)];
    expect(new Set(told.map((one) => JSON.stringify(one))).size).toBe(3);
    expect(told[2]).toEqual([
      ['container', 'ERROR', 'exited'],
      ['tunnel', 'DEGRADED', 'tunnel_error'],
    ]);
  });
});
