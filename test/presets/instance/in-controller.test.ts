import { afterEach, describe, expect, it } from 'vitest';
import { Controller } from '../../../src/index.js';
import type { ContainerObservation } from '../../../src/presets/instance/index.js';
import { recordEvents } from '../../../src/testing/index.js';
import { deferred, FAILED, found, PASSED, ScriptedContainer, ScriptedProbe, UNREACHABLE } from './support/doubles.js';
import { observed } from './support/observed.js';
import { Web } from './support/web.js';

const web = new Web();
afterEach(() => web.close());

const READY = { readinessProbe: new ScriptedProbe([PASSED]) };

describe('attach', () => {
  it('registers the container and, where there is one, the tunnel', async () => {
    const { instance, clock } = observed({ container: new ScriptedContainer([found()]), tunnel: () => undefined });
    const controller = new Controller({ clock });
    instance.attach(controller);
    observed({ container: new ScriptedContainer([found()]) }).instance.attach(controller, { prefix: 'other-' });
    expect(controller.names('status')).toEqual(['container', 'tunnel', 'other-container']);
    expect(controller.names('readiness')).toEqual(['container', 'tunnel', 'other-container']);
    expect(controller.names('liveness')).toEqual([]);
  });

  it('shows both, each by its own look, with what is known as data', async () => {
    const container = new ScriptedContainer([found()]);
    const { instance, clock } = observed({ container, ...READY, tunnel: await web.answer(() => 502) });
    await instance.start();
    const controller = new Controller({ clock });
    instance.attach(controller);
    controller.start();
    const report = await controller.readiness();
    expect(report.overallHealthy).toBe(true);
    expect(report.services).toMatchObject([
      { name: 'container', status: 'OK', data: { container_status: 'running', status: 'running' } },
      {
        name: 'tunnel',
        status: 'DEGRADED',
        error: 'the application behind the tunnel fails: status 502',
        reason: 'app_error',
        data: { tunnel_status: 'app_error', can_recreate_tunnel: false },
      },
    ]);
    const { looks } = container;
    await controller.readiness({ only: ['tunnel'] });
    expect(container.looks).toBe(looks);
    await controller.stop();
    instance.stop();
  });

  it.each<[string, ContainerObservation, string, string | undefined]>([
    ['runs', found(), 'OK', undefined],
    ['is paused', found({ status: 'paused' }), 'ERROR', 'paused'],
    ['has exited', found({ status: 'exited', exitCode: 1 }), 'ERROR', 'exited'],
    ['is missing', { status: 'missing' }, 'ERROR', 'missing'],
    ['is being restarted', found({ status: 'restarting', restartCount: 1 }), 'ERROR', 'starting'],
    ['is sick by its own check', found({ engineHealth: 'unhealthy' }), 'ERROR', 'engine_unhealthy'],
    // An engine that is down takes no instance out of rotation that runs.
    ['could not be looked at', UNREACHABLE, 'DEGRADED', 'engine_unreachable'],
  ])('a started container that %s: %j', async (_, seen, status, reason) => {
    const container = new ScriptedContainer([found()]);
    const { instance, clock } = observed({ container, ...READY });
    await instance.start();
    container.become(seen);
    const controller = new Controller({ clock });
    instance.attach(controller);
    controller.start();
    const [entry] = (await controller.readiness()).services;
    expect([entry?.status, entry?.reason]).toEqual([status, reason]);
    await controller.stop();
    instance.stop();
  });

  it.each<[string, readonly ContainerObservation[], number, string]>([
    ['that is not ready', [found()], 31_000, 'not_ready'],
    ['in a loop', [found(), found({ status: 'restarting', restartCount: 1 })], 10_000, 'restart_loop'],
    ['that could not be looked at when it started', [UNREACHABLE], 31_000, 'engine_unreachable'],
    ['that is starting', [found()], 1000, 'starting'],
  ])('a container %s', async (_, seen, ms, reason) => {
    const { instance, clock } = observed({
      container: new ScriptedContainer(seen),
      readinessProbe: new ScriptedProbe([FAILED]),
    });
    void instance.start();
    await clock.advance(ms);
    const controller = new Controller({ clock });
    instance.attach(controller);
    controller.start();
    expect((await controller.readiness()).services).toMatchObject([{ status: 'ERROR', reason }]);
    await controller.stop();
    instance.stop();
  });

  it('of an instance that was never started goes by the container alone', async () => {
    const container = new ScriptedContainer([found(), UNREACHABLE]);
    const { instance, clock } = observed({ container });
    const controller = new Controller({ clock });
    instance.attach(controller);
    controller.start();
    expect((await controller.readiness()).services).toMatchObject([{ status: 'OK' }]);
    expect((await controller.readiness()).services).toMatchObject([{ status: 'ERROR', reason: 'engine_unreachable' }]);
    await controller.stop();
  });

  it('with an interval polls, and reports read what was seen', async () => {
    const container = new ScriptedContainer([found()]);
    const { instance, clock } = observed({ container });
    const controller = new Controller({ clock });
    instance.attach(controller, { intervalMs: 5000 });
    controller.start();
    await clock.advance(0);
    expect(container.looks).toBe(1);
    await controller.readiness();
    await controller.readiness();
    expect(container.looks).toBe(1);
    await clock.advance(5000);
    expect(container.looks).toBe(2);
    await controller.stop();
  });

  it('says in its own words that a look took too long, before the controller does', async () => {
    const { instance, clock } = observed({
      container: new ScriptedContainer([() => deferred<ContainerObservation>().promise]),
      probeTimeoutMs: 60_000,
    });
    const controller = new Controller({ clock });
    instance.attach(controller);
    controller.start();
    const report = controller.readiness();
    await clock.advance(60_000);
    expect((await report).services).toMatchObject([
      { reason: 'engine_timeout', error: 'the container engine does not answer' },
    ]);
    await controller.stop();
  });

  it('returns what unregisters both', () => {
    const { instance, clock } = observed({ container: new ScriptedContainer([found()]), tunnel: () => undefined });
    const controller = new Controller({ clock });
    instance.attach(controller)();
    expect(controller.names('status')).toEqual([]);
    instance.attach(controller);
  });

  it('registers neither where a name is taken', () => {
    const { instance, clock } = observed({ container: new ScriptedContainer([found()]), tunnel: () => undefined });
    const controller = new Controller({ clock });
    controller.register('tunnel', {});
    expect(() => instance.attach(controller)).toThrow(expect.objectContaining({ code: 'duplicate_name' }));
    expect(controller.names('status')).toEqual(['tunnel']);
  });

  it.each([[{ prefix: 7 }], [{ intervalMs: -1 }], [{ interval: 5 }]])('refuses %j', (options) => {
    const { instance, clock } = observed({ container: new ScriptedContainer([found()]) });
    expect(() => instance.attach(new Controller({ clock }), options as object)).toThrow(
      expect.objectContaining({ code: 'invalid_option' }),
    );
  });
});

describe('service', () => {
  function registered(container: ScriptedContainer, readinessProbe = new ScriptedProbe([PASSED])) {
    const all = observed({ name: 'tool', container, readinessProbe });
    const controller = new Controller({ clock: all.clock, shutdownTimeoutMs: 1000, reportRunState: true });
    controller.register('tool', all.instance.service());
    return { ...all, controller, recording: recordEvents(controller) };
  }

  it('is up once the container is verified and ready, and its stop ends the observation', async () => {
    const { controller, clock, instance, recording } = registered(
      new ScriptedContainer([found({ status: 'created' }), found()]),
      new ScriptedProbe([FAILED, PASSED]),
    );
    controller.start();
    await clock.advance(3999);
    expect(controller.serviceInfo('tool')?.up).toBe(false);
    expect((await controller.readiness()).overallHealthy).toBe(false);
    await clock.advance(1);
    expect(controller.serviceInfo('tool')?.up).toBe(true);
    expect((await controller.readiness()).overallHealthy).toBe(true);
    const stopped = controller.stop();
    await clock.advance(0);
    expect(await stopped).toMatchObject({ exitCode: 0, unfinished: [] });
    expect(instance.status).toBe('running');
    expect(clock.pending).toBe(0);
    expect(recording.lines).toContain('service tool started');
  });

  it('is not taken for up while it is still being verified, however long that takes', async () => {
    const created = Array.from({ length: 15 }, () => found({ status: 'created' }));
    const { controller, clock } = registered(new ScriptedContainer([...created, found()]), new ScriptedProbe([FAILED]));
    controller.start();
    await clock.advance(59_000);
    expect(controller.serviceInfo('tool')?.up).toBe(false);
    await clock.advance(2000);
    // Unhealthy is up: the container is there.
    expect(controller.serviceInfo('tool')?.up).toBe(true);
    expect((await controller.readiness()).services).toMatchObject([{ status: 'ERROR', reason: 'not_ready' }]);
    const stopped = controller.stop();
    await clock.advance(0);
    await stopped;
  });

  it('fails where the startup ends in error, and leaves nothing behind', async () => {
    const { controller, clock } = registered(new ScriptedContainer([found({ status: 'exited', exitCode: 3 })]));
    controller.start();
    await clock.advance(0);
    expect(controller.state).toBe('unable_to_start');
    expect(controller.serviceInfo('tool')?.error).toEqual(
      new Error('instance "tool": the container exited with code 3'),
    );
    const stopped = controller.stop();
    await clock.advance(0);
    await stopped;
    expect(clock.pending).toBe(0);
  });

  it('is tried again by a restart policy, each time from the beginning', async () => {
    const exited = found({ status: 'exited', exitCode: 3 });
    const container = new ScriptedContainer([exited]);
    const { instance, clock } = observed({ container, ...READY });
    const controller = new Controller({ clock });
    controller.register('tool', instance.service(), { restartPolicy: { maxRestarts: 5 } });
    controller.start();
    await clock.advance(500);
    container.become(found());
    await clock.advance(500);
    expect(controller.serviceInfo('tool')).toMatchObject({ up: true, restartCount: 1 });
    const stopped = controller.stop();
    await clock.advance(0);
    await stopped;
  });

  it('is ended by the shutdown in the middle of its start', async () => {
    const { controller, clock, instance } = registered(new ScriptedContainer([found({ status: 'created' })]));
    controller.start();
    await clock.advance(1000);
    const stopped = controller.stop();
    await clock.advance(0);
    expect(await stopped).toMatchObject({ exitCode: 0, unfinished: [], stopErrors: [] });
    expect(instance.status).toBe('pending');
    expect(clock.pending).toBe(0);
  });

  // Case 110: liveness tied to a dependency restarts the fleet.
  it('never fails liveness: restarting this process mends no container', async () => {
    const container = new ScriptedContainer([found()]);
    const { controller, clock } = registered(container);
    controller.start();
    await clock.advance(0);
    container.become(found({ status: 'exited', exitCode: 1 }));
    expect((await controller.readiness()).overallHealthy).toBe(false);
    expect((await controller.status()).overallHealthy).toBe(false);
    expect((await controller.liveness()).overallHealthy).toBe(true);
    const stopped = controller.stop();
    await clock.advance(0);
    await stopped;
  });
});
