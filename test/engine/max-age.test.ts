import { describe, expect, it } from 'vitest';
import { type CheckReturn, unhealthy } from '../../src/index.js';
import { bench, entryOf } from './support/bench.js';

describe('maxAgeMs', () => {
  it('lets a report reuse a result that young, counted from the end of its run', async () => {
    const { controller, clock, check } = bench();
    let runs = 0;
    check({
      maxAgeMs: 1000,
      check: async () => {
        runs += 1;
        if (runs > 1) return;
        await new Promise<void>((resolve) => clock.setTimeout(resolve, 300, { keepAlive: false }));
      },
    });
    controller.start();
    const first = controller.readiness();
    await clock.advance(300);
    await first;
    await clock.advance(999);
    const reused = await controller.readiness();
    expect(runs).toBe(1);
    // It shows the run that it comes from.
    expect(reused.services).toEqual((await first).services);
    await clock.advance(2);
    await controller.readiness();
    expect(runs).toBe(2);
  });

  it('is not prolonged by reading (case 9)', async () => {
    const { controller, clock, check } = bench();
    let runs = 0;
    check({
      maxAgeMs: 1000,
      check: () => {
        runs += 1;
      },
    });
    controller.start();
    for (let read = 0; read < 101; read += 1) {
      await controller.status();
      await clock.advance(100);
    }
    // 10 100 ms in reads of 100 ms: each result is reused until it is older than 1000.
    expect(runs).toBeGreaterThanOrEqual(9);
    expect(runs).toBeLessThanOrEqual(11);
  });

  it('lets also a failure be reused', async () => {
    const { controller, clock, check } = bench();
    const answers: CheckReturn[] = [unhealthy('gone'), true];
    check({ maxAgeMs: 1000, check: () => answers.shift() });
    controller.start();
    expect(await entryOf(controller)).toMatchObject({ status: 'ERROR' });
    await clock.advance(500);
    expect(await entryOf(controller)).toMatchObject({ status: 'ERROR' });
    await clock.advance(501);
    expect(await entryOf(controller)).toMatchObject({ status: 'OK' });
  });

  it('of 0 reuses nothing, also within one millisecond', async () => {
    const { controller, check } = bench();
    let runs = 0;
    check({
      maxAgeMs: 0,
      check: () => {
        runs += 1;
      },
    });
    controller.start();
    await controller.status();
    await controller.status();
    expect(runs).toBe(2);
  });

  // Case 7.
  it('goes by the monotonic clock', async () => {
    const { controller, clock, check } = bench();
    let runs = 0;
    check({
      maxAgeMs: 1000,
      check: () => {
        runs += 1;
      },
    });
    controller.start();
    await controller.status();
    clock.setWall(clock.wall() + 3_600_000);
    await controller.status();
    expect(runs).toBe(1);
    clock.setWall(clock.wall() - 7_200_000);
    await clock.advance(1001);
    await controller.status();
    expect(runs).toBe(2);
  });

  it('gives the same report object while the result is reused', async () => {
    const { controller, clock, check } = bench();
    check({ maxAgeMs: 1000 });
    controller.start();
    const first = await controller.status();
    await clock.advance(500);
    expect(await controller.status()).toBe(first);
    await clock.advance(501);
    expect(await controller.status()).not.toBe(first);
  });
});
