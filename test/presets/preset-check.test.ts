import { describe, expect, it } from 'vitest';
import { Controller, type HealthCheck } from '../../src/index.js';
import {
  diskSpace,
  eventLoopDelay,
  httpCheck,
  type PresetCheckOptions,
  writableDirectory,
} from '../../src/presets/index.js';
import { FakeClock } from '../../src/testing/index.js';

const PRESETS: readonly (readonly [string, number, (options?: PresetCheckOptions) => HealthCheck])[] = [
  ['event-loop-delay', 1000, (options) => eventLoopDelay(options)],
  ['disk-space', 30_000, (options) => diskSpace({ path: '/', ...options })],
  ['writable-directory', 30_000, (options) => writableDirectory({ path: '/', ...options })],
  ['http', 10_000, (options) => httpCheck({ url: 'http://127.0.0.1:9/', ...options })],
];

describe.each(PRESETS)('%s', (name, intervalMs, make) => {
  it('has its name and interval by default, and leaves the rest to registerCheck', () => {
    const { check, ...options } = make();
    expect(options).toEqual({ name, intervalMs });
    expect(typeof check).toBe('function');
  });

  it('passes on what any check takes', () => {
    const given = {
      name: 'mine',
      type: 'both',
      critical: false,
      intervalMs: 4001,
      timeoutMs: 4003,
      initialDelayMs: 4007,
      jitter: 0.5,
      staleAfterMs: 40_009,
      failureThreshold: 3,
      successThreshold: 2,
      maxAbandoned: 4,
    } as const;
    const { check: _check, ...options } = make(given);
    expect(options).toEqual(given);
  });

  it('is a sync check where maxAgeMs is given and no interval', () => {
    expect(make({ maxAgeMs: 5000 })).toMatchObject({ maxAgeMs: 5000, intervalMs: 0 });
    expect(make({ maxAgeMs: 0 })).toMatchObject({ intervalMs });
    expect(() => make({ maxAgeMs: 5000, intervalMs: 4000 })).toThrow(/"maxAgeMs"/);
  });

  it('refuses wrong options where it is made', () => {
    for (const options of [{ name: '' }, { type: 'live' }, { timeoutMs: '5' }, { jitter: 2 }, { check: () => {} }]) {
      expect(() => make(options as PresetCheckOptions)).toThrow(expect.objectContaining({ code: 'invalid_option' }));
    }
  });

  it('is frozen', () => {
    expect(Object.isFrozen(make())).toBe(true);
  });
});

describe('a dependency that is down (case 110)', () => {
  const down = (options: PresetCheckOptions) =>
    diskSpace({ path: '/data', statfs: () => Promise.reject(new Error('away')), ...options });

  async function reports(options: PresetCheckOptions) {
    const clock = new FakeClock();
    const controller = new Controller({ clock });
    controller.registerCheck(down(options));
    controller.start();
    await clock.advance(300_000);
    const healthy = [await controller.readiness(), await controller.liveness()].map((report) => report.overallHealthy);
    await controller.stop();
    return healthy;
  }

  it('takes the process out of rotation and does not restart it', async () => {
    expect(await reports({})).toEqual([false, true]);
  });

  it('counts for liveness only where the type says so', async () => {
    expect(await reports({ type: 'liveness' })).toEqual([true, false]);
  });
});
