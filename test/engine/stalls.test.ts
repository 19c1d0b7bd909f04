import { describe, expect, it } from 'vitest';
import type { CheckReturn } from '../../src/index.js';
import { bench } from './support/bench.js';
import { type Deferred, deferred, turns } from './support/deferred.js';
import { grid, never, polled } from './support/polled.js';

/** A check polled every second, whose runs are answered by hand but for the first. */
function stalling(timeoutMs = 500) {
  const at = bench();
  const answers: Deferred<CheckReturn>[] = [];
  const starts: number[] = [];
  at.check({
    intervalMs: 1000,
    timeoutMs,
    check: () => {
      starts.push(at.clock.now());
      if (starts.length === 1) return true;
      const answer = deferred<CheckReturn>();
      answers.push(answer);
      return answer.promise;
    },
  });
  at.controller.start();
  return { ...at, answers, starts };
}

const entry = async ({ controller }: Pick<ReturnType<typeof bench>, 'controller'>) =>
  (await controller.readiness()).services[0];

describe('after a stall of the process longer than an interval', () => {
  it('a due check runs at once, and its old result is trusted until that run ends', async () => {
    const at = stalling();
    await at.clock.advance(500);
    at.clock.freeze(60_000);
    await at.clock.advance(0);
    expect(at.starts).toEqual([0, 60_500]);
    expect(await entry(at)).toMatchObject({ status: 'OK' });
    await at.clock.advance(300);
    expect(await entry(at)).toMatchObject({ status: 'OK' });
    at.answers[0]?.resolve(false);
    await turns();
    expect(await entry(at)).toMatchObject({ status: 'ERROR', reason: 'failed' });
    expect(at.events).toEqual(['0 db pending->healthy', '60800 db healthy->unhealthy']);
  });

  it('an old result is trusted also by a report that is asked for before any timer has fired', async () => {
    const at = stalling();
    await at.clock.advance(500);
    at.clock.freeze(60_000);
    // Sockets may be read before the timers fire, so this is what a prober sees first.
    expect(await entry(at)).toMatchObject({ status: 'OK' });
    await at.clock.advance(0);
    expect(await entry(at)).toMatchObject({ status: 'OK' });
    at.answers[0]?.resolve(true);
    await turns();
    expect(at.events).toEqual(['0 db pending->healthy']);
  });

  it('a run that then times out ends the trust', async () => {
    const at = stalling();
    await at.clock.advance(500);
    at.clock.freeze(60_000);
    await at.clock.advance(499);
    expect(await entry(at)).toMatchObject({ status: 'OK' });
    await at.clock.advance(1);
    expect(await entry(at)).toMatchObject({ status: 'ERROR', reason: 'timeout' });
    expect(at.events).toEqual(['0 db pending->healthy', '61000 db healthy->unhealthy']);
  });

  it('the ticks go on along their grid, without catching up', async () => {
    const at = bench();
    const { starts, handle } = polled(at, { intervalMs: 100 });
    at.controller.start();
    await at.clock.advance(250);
    at.clock.freeze(1000);
    await at.clock.advance(400);
    expect(starts).toEqual([0, 100, 200, 1250, ...grid(1300, 100, 4)]);
    expect(handle.skippedTicks).toBe(0);
  });

  it('a tick that is late by exactly one interval is not followed by another at once', async () => {
    const at = bench();
    const { starts } = polled(at, { intervalMs: 100 });
    at.controller.start();
    await at.clock.advance(50);
    at.clock.freeze(150);
    await at.clock.advance(100);
    expect(starts).toEqual([0, 200, 300]);
  });

  it('and a run that has ended, results grow stale as ever', async () => {
    const at = stalling(100_000);
    await at.clock.advance(500);
    at.clock.freeze(60_000);
    await at.clock.advance(0);
    at.answers[0]?.resolve(true);
    await at.clock.advance(3500);
    expect(at.starts).toEqual([0, 60_500, 61_000]);
    expect(await entry(at)).toMatchObject({ reason: 'stale' });
    expect(at.events).toEqual(['0 db pending->healthy', '63501 db healthy->stale']);
  });

  it('thousands of checks are due at once, and none of them is shown as stale', async () => {
    const at = bench();
    for (let index = 0; index < 200; index += 1) at.check({ name: `check ${index}`, intervalMs: 1000 + index });
    at.controller.start();
    await at.clock.advance(1500);
    at.clock.freeze(120_000);
    expect((await at.controller.readiness()).overallHealthy).toBe(true);
    await at.clock.advance(0);
    expect((await at.controller.readiness()).overallHealthy).toBe(true);
    expect(at.events.filter((event) => event.endsWith('stale'))).toEqual([]);
  });

  it('a result that was stale before stays stale', async () => {
    const at = bench();
    let runs = 0;
    at.check({
      intervalMs: 1000,
      timeoutMs: 1_000_000,
      check: () => {
        runs += 1;
        return runs === 1 ? true : never();
      },
    });
    at.controller.start();
    await at.clock.advance(4000);
    expect(await entry(at)).toMatchObject({ reason: 'stale' });
    at.clock.freeze(60_000);
    await at.clock.advance(0);
    expect(await entry(at)).toMatchObject({ reason: 'stale' });
  });

  it('a run that was under way when the loop was blocked gets its one more turn, then counts as any', async () => {
    const at = stalling(500);
    await at.clock.advance(1000);
    expect(at.starts).toEqual([0, 1000]);
    at.clock.freeze(10_000);
    at.clock.setTimeout(() => at.answers[0]?.resolve(true), 0, { keepAlive: false });
    await at.clock.advance(0);
    expect(await entry(at)).toMatchObject({ status: 'OK' });
    expect(at.events).toEqual(['0 db pending->healthy']);
  });
});

describe('after a stall shorter than an interval', () => {
  it('a due check runs at once, and a result that has grown too old meanwhile is stale', async () => {
    const at = bench();
    const { starts } = polled(at, { intervalMs: 1000, staleAfterMs: 1100, timeoutMs: 10_000 }, 600);
    at.controller.start();
    await at.clock.advance(900);
    at.clock.freeze(900);
    await at.clock.advance(0);
    expect(starts).toEqual([0, 1800]);
    expect(await entry(at)).toMatchObject({ reason: 'stale' });
  });
});
