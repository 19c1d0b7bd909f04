import { describe, expect, it } from 'vitest';
import { Controller, type HealthReport } from '../../../src/index.js';
import { Stage } from './support/stage.js';

const entry = (report: HealthReport) => report.services.find(({ name }) => name === 'sandbox-services');

async function attached(gate?: boolean) {
  const stage = new Stage({ failureThreshold: 1 });
  const controller = new Controller({ clock: stage.clock });
  const handle = stage.services.attach(controller, gate === undefined ? {} : { gate });
  controller.start();
  await stage.settle();
  return { stage, controller, handle };
}

describe('attach()', () => {
  it('is OK while there is nothing, or all is healthy', async () => {
    const { stage, controller } = await attached();
    expect(entry(await controller.readiness())?.status).toBe('OK');
    stage.observe();
    await stage.ends(200);
    const report = await controller.readiness();
    expect(entry(report)).toMatchObject({
      status: 'OK',
      data: {
        healthy: 1,
        unhealthy: 0,
        unknown: 0,
        services: [{ workspace: 'team', sandbox: 'box', service: 'web', state: 'healthy' }],
      },
    });
    await controller.stop();
  });

  it.each([
    ['unhealthy', 'refused', undefined, 'DEGRADED'],
    ['unknown', 'inconclusive', undefined, 'DEGRADED'],
    ['unhealthy', 'refused', false, 'DEGRADED'],
    ['unhealthy', 'refused', true, 'ERROR'],
    ['unknown', 'inconclusive', true, 'ERROR'],
  ] as const)('with one that is %s (%s), gate %s, is %s', async (state, ending, gate, status) => {
    const { stage, controller } = await attached(gate);
    stage.observe();
    await stage.ends(ending);
    const counts = { healthy: 0, unhealthy: 0, unknown: 0, [state]: 1 };
    for (const report of [await controller.readiness(), await controller.status()]) {
      expect(report.overallHealthy).toBe(status === 'DEGRADED');
      expect(entry(report)).toMatchObject({
        status,
        reason: `service_${state}`,
        error: `of 1 services ${counts.unhealthy} are unhealthy, ${counts.unknown} unknown`,
        data: counts,
      });
    }
    expect(entry(await controller.liveness())).toBeUndefined();
    await controller.stop();
  });

  it('starts no attempt, whatever asks', async () => {
    const { stage, controller } = await attached();
    stage.observe();
    await stage.ends(200);
    for (let i = 0; i < 50; i++) await controller.readiness();
    expect(stage.calls).toHaveLength(1);
    await controller.stop();
    expect(stage.clock.pending).toBe(1);
    await stage.services.stop();
    expect(stage.clock.pending).toBe(0);
  });

  it('can be taken back', async () => {
    const { controller, handle } = await attached(true);
    handle.unregister();
    expect(entry(await controller.readiness())).toBeUndefined();
    await controller.stop();
  });

  it('names those that need attention first, and keeps its data within bounds', async () => {
    const { stage, controller } = await attached();
    for (let i = 0; i < 300; i++) {
      stage.services.expose({ workspace: 'team', sandbox: `b${i}`, port: 1 });
      stage.services.sandbox('team', `b${i}`).ready('r');
    }
    for (const call of [...stage.calls]) call.target.sandbox === 'b256' ? undefined : call.answer(200);
    await stage.settle();
    for (const call of stage.calls.filter(({ open }) => open)) {
      if (call.target.sandbox === 'b299') call.refuse();
      else if (call.target.sandbox !== 'b256') call.answer(200);
    }
    await stage.settle();
    const { data } = entry(await controller.status()) ?? {};
    expect(data).toMatchObject({ healthy: 298, unhealthy: 1, unknown: 1 });
    const named = (data as { services: { sandbox: string; state: string }[] }).services;
    expect(named.slice(0, 3).map(({ sandbox, state }) => `${sandbox} ${state}`)).toEqual([
      'b299 unhealthy',
      'b256 unknown',
      'b0 healthy',
    ]);
    expect(named.length).toBeLessThanOrEqual(101);
    await controller.stop();
    await stage.services.stop();
  });
});
