import { describe, expect, it } from 'vitest';
import { type CheckReturn, unhealthy } from '../../src/index.js';
import { bench, entryOf } from './support/bench.js';
import { polled } from './support/polled.js';

describe('maxAgeMs', () => {
  it('lets a report reuse a result that young, counted from the end of its run', async () => {
    const at = bench();
    const { starts } = polled(at, { maxAgeMs: 1000 }, 300);
    at.controller.start();
    const first = at.controller.readiness();
    await at.clock.advance(300);
    await first;
    // Exactly that old is reused, and shows the run that it comes from.
    await at.clock.advance(1000);
    for (const kind of ['readiness', 'status'] as const) {
      expect((await at.controller[kind]()).services).toEqual((await first).services);
    }
    expect(starts).toEqual([0]);
    await at.clock.advance(1);
    const second = at.controller.readiness();
    await at.clock.advance(300);
    await second;
    expect(starts).toEqual([0, 1301]);
  });

  // Case 9: reading does not extend the life of what is cached.
  it('is not prolonged by reading', async () => {
    const at = bench();
    const { starts } = polled(at, { maxAgeMs: 950 });
    at.controller.start();
    for (let read = 0; read < 100; read += 1) {
      await at.controller.status();
      await at.clock.advance(100);
    }
    expect(starts).toEqual([0, 1000, 2000, 3000, 4000, 5000, 6000, 7000, 8000, 9000]);
  });

  it('lets also a failure be reused', async () => {
    const at = bench();
    const answers: CheckReturn[] = [unhealthy('gone'), true];
    at.check({ maxAgeMs: 1000, check: () => answers.shift() });
    at.controller.start();
    expect(await entryOf(at.controller)).toMatchObject({ status: 'ERROR' });
    await at.clock.advance(500);
    expect(await entryOf(at.controller)).toMatchObject({ status: 'ERROR' });
    await at.clock.advance(501);
    expect(await entryOf(at.controller)).toMatchObject({ status: 'OK' });
  });

  it('of 0 reuses nothing, also within one millisecond', async () => {
    const at = bench();
    const { starts } = polled(at, { maxAgeMs: 0 });
    at.controller.start();
    await at.controller.status();
    await at.controller.status();
    expect(starts).toEqual([0, 0]);
  });

  // Case 7.
  it('goes by the monotonic clock', async () => {
    const at = bench();
    const { starts } = polled(at, { maxAgeMs: 1000 });
    at.controller.start();
    await at.controller.status();
    at.clock.setWall(at.clock.wall() + 3_600_000);
    await at.controller.status();
    expect(starts).toEqual([0]);
    at.clock.setWall(at.clock.wall() - 7_200_000);
    await at.clock.advance(1001);
    await at.controller.status();
    expect(starts).toEqual([0, 1001]);
  });

  it('gives the same report object while the result is reused', async () => {
    const at = bench();
    at.check({ maxAgeMs: 1000 });
    at.controller.start();
    const first = await at.controller.status();
    await at.clock.advance(500);
    expect(await at.controller.status()).toBe(first);
    await at.clock.advance(501);
    expect(await at.controller.status()).not.toBe(first);
  });
});
