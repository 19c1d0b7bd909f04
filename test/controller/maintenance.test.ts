import { describe, expect, it } from 'vitest';
import { Stage } from './support/stage.js';

describe('maintenance', () => {
  it('closes readiness and nothing else, until it is ended', async () => {
    const stage = new Stage();
    stage.service('api', { status: () => true });
    await stage.start();
    expect(stage.controller.maintenance).toBeUndefined();
    stage.controller.setMaintenance('draining by hand');
    expect(stage.controller.maintenance).toBe('draining by hand');
    expect(await stage.promptly(stage.controller.readiness())).toMatchObject({
      overallHealthy: false,
      state: 'running',
      reason: 'maintenance',
      services: [{ name: 'api', status: 'OK' }],
    });
    expect((await stage.promptly(stage.controller.liveness())).overallHealthy).toBe(true);
    expect((await stage.promptly(stage.controller.status())).overallHealthy).toBe(true);
    stage.controller.setMaintenance(false);
    expect(stage.controller.maintenance).toBeUndefined();
    const report = await stage.promptly(stage.controller.readiness());
    expect(report.overallHealthy).toBe(true);
    expect(report).not.toHaveProperty('reason');
    await stage.close();
  });

  it('is accepted without a text', async () => {
    const stage = new Stage();
    await stage.start();
    stage.controller.setMaintenance(true);
    expect((await stage.promptly(stage.controller.readiness())).reason).toBe('maintenance');
    await stage.close();
  });

  it('is logged once for its beginning and once for its end, however often it is said', async () => {
    const stage = new Stage();
    await stage.start();
    const from = stage.lines.length;
    for (const said of ['by hand', 'by hand', false, false] as const) stage.controller.setMaintenance(said);
    const lines = stage.lines.slice(from).map(({ message }) => message);
    expect(lines).toEqual([expect.stringContaining('by hand'), expect.stringMatching(/maintenance.*over/)]);
    await stage.close();
  });

  it('begun after a report was asked for, in one block, closes that report too', async () => {
    const stage = new Stage();
    stage.controller.registerCheck({ name: 'db', check: () => true, intervalMs: 1000 });
    await stage.start();
    await stage.promptly(stage.controller.readiness());
    const report = stage.controller.readiness();
    stage.controller.setMaintenance('now');
    expect((await stage.promptly(report)).overallHealthy).toBe(false);
    await stage.close();
  });

  it('is outranked by the state', async () => {
    const stage = new Stage({ drainDelayMs: 1000 });
    stage.controller.setMaintenance('by hand');
    const reason = async () => (await stage.promptly(stage.controller.readiness())).reason;
    expect(await reason()).toBe('not_started');
    await stage.start();
    expect(await reason()).toBe('maintenance');
    stage.controller.stop();
    expect(await reason()).toBe('draining');
    await stage.close();
    expect(await reason()).toBe('stopped');
  });

  it.each([0, '', null, undefined, {}])('refuses %j', (value) => {
    const { controller } = new Stage();
    expect(() => controller.setMaintenance(value as string)).toThrow(
      expect.objectContaining({ code: 'invalid_option' }),
    );
  });
});
