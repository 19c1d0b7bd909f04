import { describe, expect, it } from 'vitest';
import { type CheckContext, Controller, degraded, type ProbeFunction, unhealthy } from '../../src/index.js';
import { FakeClock, runCheck, runProbe } from '../../src/testing/index.js';

const never = () => new Promise<never>(() => {});
const throwing = (value: unknown) => () => {
  throw value;
};

it('a probe is unit-tested alone in three lines', async () => {
  const queue = { depth: 1200 };
  const probe = () => (queue.depth > 1000 ? degraded(`${queue.depth} jobs wait`) : undefined);
  expect(await runProbe(probe)).toMatchObject({ status: 'degraded', message: '1200 jobs wait' });
});

const BEHAVIOURS: readonly (readonly [string, ProbeFunction, object])[] = [
  ['returns nothing', () => {}, { status: 'healthy' }],
  ['returns false', () => false, { status: 'unhealthy', message: 'check returned false', reason: 'failed' }],
  [
    'resolves',
    async () => unhealthy('no', { a: 1 }, 'connect'),
    { status: 'unhealthy', reason: 'connect', data: { a: 1 } },
  ],
  ['throws an error', throwing(new Error('boom')), { status: 'unhealthy', message: 'boom', reason: 'failed' }],
  ['returns nonsense', () => 7 as never, { status: 'unhealthy', reason: 'invalid_result' }],
];

describe.each(BEHAVIOURS)('what %s', (_name, run, expected) => {
  it('is recorded as a controller records it', async () => {
    const controller = new Controller();
    controller.registerCheck({ name: 'c', check: run });
    await controller.status();
    const { status, message, data, reason } = controller.checkResult('c') ?? {};
    const asRecorded = JSON.parse(JSON.stringify({ status, message, data, reason }));
    expect(await runCheck({ name: 'c', check: run })).toMatchObject(asRecorded);
    expect(await runProbe(run)).toMatchObject(asRecorded);
    expect(asRecorded).toMatchObject(expected);
  });
});

it('a panic is told as one of a probe or of a check', async () => {
  expect((await runProbe(throwing('oh'))).message).toBe('probe panicked: oh');
  expect((await runCheck({ name: 'c', check: throwing('oh') })).message).toBe('health check panicked: oh');
});

it('the result carries its times, by the clock that is given', async () => {
  const clock = new FakeClock({ wallMs: 0 });
  const slow = () => new Promise<void>((resolve) => clock.setTimeout(resolve, 120, { keepAlive: true }));
  const expected = { status: 'healthy', durationMs: 120, timestamp: '1970-01-01T00:00:00.120Z' };
  const ofProbe = runProbe(slow, { clock });
  await clock.advance(120);
  expect(await ofProbe).toEqual(expected);
  clock.setWall(0);
  const ofCheck = runCheck({ name: 'c', check: slow }, { clock });
  await clock.advance(120);
  expect(await ofCheck).toEqual(expected);
  expect(clock.pending).toBe(0);
});

it('a run ends at its timeout, with its signal aborted', async () => {
  const clock = new FakeClock();
  const signals: AbortSignal[] = [];
  const hanging = (context: CheckContext) => {
    signals.push(context.signal);
    return never();
  };
  const ofProbe = runProbe(hanging, { clock, timeoutMs: 211 });
  const ofCheck = runCheck({ name: 'c', check: hanging, timeoutMs: 307 }, { clock });
  const byDefault = [runProbe(hanging, { clock }), runCheck({ name: 'd', check: hanging }, { clock })];
  await clock.advance(0);
  expect(clock.timers.map(({ delayMs }) => delayMs)).toEqual([211, 307, 5000, 5000]);
  await clock.advance(5000);
  expect(await ofProbe).toMatchObject({ message: 'probe timed out', reason: 'timeout', durationMs: 211 });
  expect(await ofCheck).toMatchObject({ message: 'health check timed out', reason: 'timeout', durationMs: 307 });
  for (const result of await Promise.all(byDefault)) expect(result.durationMs).toBe(5000);
  expect(signals.every((signal) => signal.aborted)).toBe(true);
  expect(clock.pending).toBe(0);
});

it('a check of a class is called on its object, and what is about many runs is left aside', async () => {
  class Depth {
    readonly name = 'depth';
    readonly intervalMs = 1000;
    readonly initialDelayMs = 60_000;
    readonly failureThreshold = 3;
    #depth = 5;
    check() {
      return unhealthy(`depth ${this.#depth}`);
    }
  }
  expect(await runCheck(new Depth())).toMatchObject({ status: 'unhealthy', message: 'depth 5' });
});

it('what registerCheck refuses is refused', async () => {
  await expect(runCheck({ name: '', check: () => {} })).rejects.toMatchObject({ code: 'invalid_option' });
  await expect(runCheck({ name: 'a' } as never)).rejects.toMatchObject({ code: 'invalid_option' });
});

it.each([
  ['a probe that is no function', () => runProbe(5 as never)],
  ['a timeout of 0', () => runProbe(() => {}, { timeoutMs: 0 })],
  ['an unknown option', () => runProbe(() => {}, { timeout: 5 } as never)],
  ['a clock that is none', () => runCheck({ name: 'a', check: () => {} }, { clock: {} as never })],
])('refuses %s', async (_name, run) => {
  await expect(run()).rejects.toMatchObject({ code: 'invalid_option' });
});
