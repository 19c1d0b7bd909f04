import { describe, expect, it } from 'vitest';
import { Controller } from '../../src/index.js';
import { eventLoopDelayBy } from '../../src/presets/event-loop-delay.js';
import { type EventLoopDelayOptions, eventLoopDelay } from '../../src/presets/index.js';
import { FakeClock, recordEvents, runCheck } from '../../src/testing/index.js';

async function oneWindow(lateMs: number, options: EventLoopDelayOptions = {}) {
  const clock = new FakeClock();
  const result = runCheck(eventLoopDelay({ clock, ...options }), { clock });
  await clock.advance(100);
  clock.freeze(lateMs);
  await clock.advance(5000);
  expect(clock.pending).toBe(0);
  return result;
}

describe('one window', () => {
  it('without a delay is healthy and says what it saw', async () => {
    expect(await oneWindow(0)).toEqual({
      status: 'healthy',
      data: { windowMs: 980, maxMs: 0, meanMs: 0, samples: 49, windowEndedAt: '2024-01-01T00:00:00.980Z' },
      timestamp: '2024-01-01T00:00:00.980Z',
      durationMs: 980,
    });
  });

  it('with a delay above the limit is degraded', async () => {
    expect(await oneWindow(150)).toMatchObject({
      status: 'degraded',
      message: 'the event loop was 130 ms late, more than 100 ms',
      reason: 'event_loop_delay',
      data: { windowMs: 980, maxMs: 130 },
    });
  });

  it('is unhealthy only above a limit that was given', async () => {
    expect(await oneWindow(60_000)).toMatchObject({ status: 'degraded' });
    expect(await oneWindow(600, { unhealthyAboveMs: 500 })).toMatchObject({
      status: 'unhealthy',
      message: 'the event loop was 580 ms late, more than 500 ms',
      reason: 'event_loop_delay',
    });
    expect(await oneWindow(400, { unhealthyAboveMs: 500 })).toMatchObject({ status: 'degraded' });
  });

  it('whose delay equals a limit is still within it', async () => {
    expect(await oneWindow(120)).toMatchObject({ status: 'healthy', data: { maxMs: 100 } });
    const limits = { degradedAboveMs: 30, unhealthyAboveMs: 100 };
    expect(await oneWindow(120, limits)).toMatchObject({ status: 'degraded' });
    expect(await oneWindow(121, limits)).toMatchObject({ status: 'unhealthy' });
  });

  it('takes its length, its resolution and its limit from the options', async () => {
    const result = await oneWindow(0, { windowMs: 300, resolutionMs: 70 });
    expect(result.data).toMatchObject({ windowMs: 300, samples: 5 });
    expect(await oneWindow(50, { degradedAboveMs: 20 })).toMatchObject({ status: 'degraded', data: { maxMs: 30 } });
  });

  it('fits into a short interval', async () => {
    expect((await oneWindow(0, { intervalMs: 500 })).data).toMatchObject({ windowMs: 480 });
    expect((await oneWindow(0, { intervalMs: 60_000 })).data).toMatchObject({ windowMs: 980 });
  });
});

it('is healthy after the first clean window, and reading it makes no result live longer (case 9)', async () => {
  const clock = new FakeClock();
  const controller = new Controller({ clock });
  const recording = recordEvents(controller);
  controller.registerCheck(eventLoopDelay({ clock }));
  controller.start();
  await clock.advance(400);
  clock.freeze(300);
  await clock.advance(300);
  const seen: string[] = [];
  for (let readAt = 1000; readAt < 60_000; readAt += 100) {
    const entry = (await controller.status()).services[0];
    seen.push(`${entry?.status} ${entry?.checkedAt}`);
    await clock.advance(100);
  }
  // One bad window, from 0 to 980; read from 1000 on. The next one ends at 1980.
  expect(seen.filter((line) => line.startsWith('DEGRADED'))).toEqual(
    new Array(10).fill('DEGRADED 2024-01-01T00:00:00.980Z'),
  );
  expect(new Set(seen).size).toBe(59);
  expect(recording.lines.slice(1)).toEqual([
    'check event-loop-delay pending -> degraded',
    'check event-loop-delay degraded -> healthy',
  ]);
  await controller.stop();
});

it('reports a block of three seconds in status and keeps liveness healthy (case 54)', async () => {
  const clock = new FakeClock();
  const controller = new Controller({ clock });
  controller.registerCheck(eventLoopDelay({ clock, unhealthyAboveMs: 1000 }));
  controller.start();
  await clock.advance(1200);
  clock.freeze(3000);
  await clock.advance(0);
  expect((await controller.liveness()).overallHealthy).toBe(true);
  const report = await controller.status();
  expect(report.services[0]).toMatchObject({ status: 'ERROR', reason: 'event_loop_delay', data: { maxMs: 2980 } });
  await controller.stop();
});

describe('a block between two windows', () => {
  /** The second run is due at 1000, and comes when `ms` have passed since the first window ended at 980. */
  async function blockedFor(ms: number, busyMs: number, options: EventLoopDelayOptions = {}) {
    const clock = new FakeClock();
    const controller = new Controller({ clock, random: () => 0.999 });
    let busy = 7000;
    controller.registerCheck(eventLoopDelayBy(() => busy, { clock, ...options }));
    controller.start();
    await clock.advance(980);
    clock.freeze(ms);
    busy += busyMs;
    await clock.advance(0);
    const { status, data } = controller.checkResult('event-loop-delay') ?? {};
    await controller.stop();
    return { status, windowMs: data?.windowMs, maxMs: data?.maxMs };
  }

  it('is told by the run that it delays, at once', async () => {
    expect(await blockedFor(3000, 3000)).toEqual({ status: 'degraded', windowMs: 3000, maxMs: 2980 });
    expect((await blockedFor(3000, 3000, { unhealthyAboveMs: 2000 })).status).toBe('unhealthy');
  });

  it('counts for as long as the loop was busy: a check that was not run is not late', async () => {
    expect(await blockedFor(3000, 200)).toEqual({ status: 'degraded', windowMs: 3000, maxMs: 200 });
    expect(await blockedFor(3000, 5)).toEqual({ status: 'healthy', windowMs: 980, maxMs: 0 });
  });

  it('within the limit begins an ordinary window, whose result is still to come', async () => {
    expect(await blockedFor(120, 120)).toEqual({ status: 'healthy', windowMs: 980, maxMs: 0 });
    expect((await blockedFor(121, 121)).status).toBe('degraded');
  });

  it('is not taken for the jitter of the ticks', async () => {
    expect((await blockedFor(900, 900, { jitter: 0.8 })).status).toBe('healthy');
  });
});

it('a block within a window that goes on over the next tick is told once', async () => {
  const clock = new FakeClock();
  const controller = new Controller({ clock });
  let busy = 0;
  controller.registerCheck(eventLoopDelayBy(() => busy, { clock }));
  const seen: unknown[] = [];
  controller.on('check', ({ to, result }) => seen.push([to, result.data?.maxMs]));
  controller.start();
  await clock.advance(500);
  clock.freeze(3000);
  busy += 3000;
  await clock.advance(2000);
  expect(seen).toEqual([
    ['degraded', 2980],
    ['healthy', 0],
  ]);
  await controller.stop();
});

it('measures nothing once the controller has stopped, not even to the end of its window', async () => {
  const clock = new FakeClock();
  const controller = new Controller({ clock });
  controller.registerCheck(eventLoopDelay({ clock }));
  controller.start();
  await clock.advance(1490);
  expect(clock.timers.every((timer) => !timer.keepAlive)).toBe(true);
  await controller.stop();
  expect(clock.pending).toBe(0);
});

it('reuses a result where maxAgeMs asks for a sync check', async () => {
  const clock = new FakeClock();
  const controller = new Controller({ clock });
  controller.registerCheck(eventLoopDelay({ clock, maxAgeMs: 10_000, windowMs: 200 }));
  controller.start();
  const read = async () => {
    const report = controller.status();
    await clock.advance(200);
    return (await report).services[0]?.checkedAt;
  };
  const first = await read();
  expect(await read()).toBe(first);
  await clock.advance(10_000);
  expect(await read()).not.toBe(first);
  await controller.stop();
});

it.each<[string, EventLoopDelayOptions, string]>([
  ['a window as long as the interval', { windowMs: 1000 }, 'less than intervalMs and timeoutMs, 1000'],
  ['a window as long as the timeout', { timeoutMs: 980 }, 'less than intervalMs and timeoutMs, 980'],
  ['an interval without room for a window', { intervalMs: 30 }, 'at least one resolutionMs of 20'],
  ['limits that cross', { degradedAboveMs: 50, unhealthyAboveMs: 49 }, 'at least degradedAboveMs, 50'],
  ['a limit that is no number', { degradedAboveMs: '5' as never }, 'option "degradedAboveMs"'],
  ['a clock that is none', { clock: {} as never }, 'option "clock"'],
  ['a resolution of 0', { resolutionMs: 0 }, 'option "resolutionMs"'],
])('refuses %s', (_name, options, text) => {
  const refusal = { code: 'invalid_option', message: expect.stringContaining(text) };
  expect(() => eventLoopDelay(options)).toThrow(expect.objectContaining(refusal));
});
