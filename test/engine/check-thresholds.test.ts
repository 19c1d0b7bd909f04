import { describe, expect, it } from 'vitest';
import { type CheckReturn, degraded, healthy, unhealthy } from '../../src/index.js';
import { bench } from './support/bench.js';

const ANSWERS: Readonly<Record<string, () => CheckReturn>> = {
  p: () => healthy(),
  d: () => degraded('slow'),
  f: () => unhealthy('gone', undefined, 'connect'),
};

/** What is shown after each run, as a letter: H, D or U. */
async function shown(runs: string, failureThreshold: number, successThreshold: number) {
  const at = bench();
  let run = 0;
  at.check({
    intervalMs: 100,
    failureThreshold,
    successThreshold,
    check: () => (ANSWERS[runs[run++] ?? ''] ?? healthy)(),
  });
  at.controller.start();
  let states = '';
  for (let tick = 0; tick < runs.length; tick += 1) {
    await at.clock.advance(tick === 0 ? 0 : 100);
    const entry = (await at.controller.readiness()).services[0];
    const letter = { OK: 'H', DEGRADED: 'D', ERROR: 'U' }[entry?.status ?? 'ERROR'];
    // The entry and the result say the same.
    expect(at.controller.checkResult('db')?.status.slice(0, 1).toUpperCase()).toBe(letter);
    states += letter;
  }
  return { ...at, states };
}

describe('the thresholds of a polled check', () => {
  it.each([
    // Case 48.
    ['pffpfffp', 3, 1, 'HHHHHHUH'],
    ['pfffpp', 3, 2, 'HHHUUH'],
    // Case 48, beginning degraded: it counts as a success, and is shown as such while failures are shielded.
    ['dffpfffp', 3, 1, 'DDDHHHUH'],
    ['dfff', 3, 1, 'DDDU'],
    ['pdfd', 3, 1, 'HDDD'],
    ['pfffdd', 3, 2, 'HHHUUD'],
    ['pfffpd', 3, 2, 'HHHUUD'],
    // Case 41: what has never been healthy is unhealthy from its first failure, healthy from its first success.
    ['ffff', 3, 1, 'UUUU'],
    ['fp', 3, 3, 'UH'],
    ['fpff', 3, 3, 'UHHH'],
    // The defaults: every run counts.
    ['pfpf', 1, 1, 'HUHU'],
  ])('%s with thresholds %i and %i is shown as %s', async (runs, failures, successes, expected) => {
    expect((await shown(runs, failures, successes)).states).toBe(expected);
  });

  it('are 1 each where nothing is said', async () => {
    const at = bench();
    const runs = [healthy(), unhealthy('gone'), healthy()];
    at.check({ intervalMs: 100, check: () => runs.shift() });
    at.controller.start();
    await at.clock.advance(200);
    expect(at.events).toEqual(['0 db pending->healthy', '100 db healthy->unhealthy', '200 db unhealthy->healthy']);
  });

  it('count failures of every kind alike', async () => {
    const at = bench();
    const runs: (() => CheckReturn | Promise<CheckReturn>)[] = [
      () => true,
      () => {
        throw new Error('thrown');
      },
      () => new Promise(() => {}),
      () => ({}) as CheckReturn,
      () => Promise.reject('panic'),
    ];
    at.check({ intervalMs: 100, timeoutMs: 50, failureThreshold: 4, check: () => (runs.shift() ?? (() => true))() });
    at.controller.start();
    await at.clock.advance(399);
    expect(at.controller.checkResult('db')).toMatchObject({ status: 'healthy', consecutiveFailures: 3 });
    await at.clock.advance(1);
    expect(at.controller.checkResult('db')).toMatchObject({ status: 'unhealthy', reason: 'panicked' });
    expect(at.events).toEqual(['0 db pending->healthy', '400 db healthy->unhealthy']);
  });

  it('keep showing the last result that counted, and the last attempt beside it', async () => {
    const { controller, clock } = await shown('pf', 3, 1);
    expect(controller.checkResult('db')).toMatchObject({
      status: 'healthy',
      consecutiveFailures: 1,
      consecutiveSuccesses: 0,
      lastAttempt: { status: 'unhealthy', message: 'gone', reason: 'connect' },
    });
    await clock.advance(0);
    expect((await controller.status()).services).toMatchObject([{ status: 'OK' }]);
  });

  it('keep showing the failure until enough successes have come', async () => {
    const { controller } = await shown('pfp', 1, 3);
    expect(controller.checkResult('db')).toMatchObject({
      status: 'unhealthy',
      message: 'gone',
      reason: 'connect',
      consecutiveFailures: 0,
      consecutiveSuccesses: 1,
      lastAttempt: { status: 'healthy' },
    });
  });

  it('keep a result that they shield from growing stale, since it goes on being confirmed', async () => {
    const { controller, clock } = await shown('pf', 100, 1);
    await clock.advance(5000);
    expect((await controller.readiness()).services).toMatchObject([{ status: 'OK' }]);
  });
});

describe('after a stale spell', () => {
  it('the thresholds begin as for a check that has never been healthy', async () => {
    const at = bench();
    const runs: (() => CheckReturn | Promise<CheckReturn>)[] = [
      () => healthy(),
      () => new Promise((resolve) => at.clock.setTimeout(() => resolve(false), 900, { keepAlive: false })),
      () => healthy(),
      () => unhealthy('gone'),
    ];
    at.check({
      intervalMs: 100,
      timeoutMs: 10_000,
      failureThreshold: 3,
      successThreshold: 3,
      check: () => (runs.shift() ?? (() => unhealthy('gone')))(),
    });
    at.controller.start();
    await at.clock.advance(999);
    expect(at.controller.checkResult('db')).toMatchObject({ consecutiveSuccesses: 1, consecutiveFailures: 0 });
    await at.clock.advance(301);
    expect(at.events).toEqual([
      '0 db pending->healthy',
      '301 db healthy->stale',
      // One failure is enough, and one success: as at the very first.
      '1000 db stale->unhealthy',
      '1000 db unhealthy->healthy',
      '1300 db healthy->unhealthy',
    ]);
  });

  it('failures from before it do not count', async () => {
    const at = bench();
    const runs: (() => CheckReturn | Promise<CheckReturn>)[] = [
      () => healthy(),
      () => unhealthy('gone'),
      () => unhealthy('gone'),
      () => new Promise((resolve) => at.clock.setTimeout(() => resolve(true), 900, { keepAlive: false })),
      () => unhealthy('gone'),
    ];
    at.check({
      intervalMs: 100,
      timeoutMs: 10_000,
      failureThreshold: 3,
      check: () => (runs.shift() ?? healthy)(),
    });
    at.controller.start();
    await at.clock.advance(1250);
    expect(at.controller.checkResult('db')).toMatchObject({ status: 'healthy', consecutiveFailures: 1 });
  });

  it.each([
    [true, { status: 'healthy', consecutiveSuccesses: 1, consecutiveFailures: 0 }],
    [false, { status: 'unhealthy', consecutiveSuccesses: 0, consecutiveFailures: 1 }],
  ])('the count in a row begins anew: %s', async (answer, expected) => {
    const at = bench();
    let runs = 0;
    at.check({
      intervalMs: 100,
      timeoutMs: 10_000,
      failureThreshold: 3,
      check: () => {
        runs += 1;
        if (runs <= 3) return answer;
        return new Promise((resolve) => at.clock.setTimeout(() => resolve(answer), 900, { keepAlive: false }));
      },
    });
    at.controller.start();
    await at.clock.advance(1200);
    expect(at.controller.checkResult('db')).toMatchObject(expected);
  });

  it('that nobody could be told of, since it was over within a millisecond, the thresholds begin anew as well', async () => {
    const at = bench();
    let runs = 0;
    at.check({
      intervalMs: 1000,
      staleAfterMs: 1500,
      timeoutMs: 10_000,
      failureThreshold: 3,
      check: () => {
        runs += 1;
        if (runs === 1) return true;
        return new Promise((resolve) => at.clock.setTimeout(() => resolve(false), 500.5, { keepAlive: false }));
      },
    });
    at.controller.start();
    await at.clock.advance(1501);
    expect(at.events).toEqual(['0 db pending->healthy', '1500.5 db healthy->unhealthy']);
  });
});
