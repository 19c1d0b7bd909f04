import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { isHealthControllerError } from '../../src/index.js';
import { Deferred, never } from './support/deferred.js';
import { Stage } from './support/stage.js';

describe('whenReady', () => {
  it('is true at once when everything is ready', async () => {
    const stage = new Stage();
    await stage.start();
    expect(await stage.promptly(stage.controller.whenReady())).toBe(true);
    expect(stage.clock.pending).toBe(0);
    await stage.close();
  });

  it('called before start() waits for it', async () => {
    const stage = new Stage();
    const ready = stage.watch(stage.controller.whenReady());
    await stage.clock.advance(5000);
    expect(ready.settled).toBe(false);
    await stage.start();
    expect(ready).toMatchObject({ value: true, atMs: 5000 });
    await stage.close();
  });

  it('is true the moment a polled check gives its first result', async () => {
    // Case 40: no verdict until the first interval had passed.
    const stage = new Stage();
    const check = () => stage.lasting(10).then(() => true);
    stage.controller.registerCheck({ name: 'db', check, intervalMs: 60_000 });
    stage.controller.start();
    const ready = stage.watch(stage.controller.whenReady());
    await stage.clock.advance(9);
    expect(ready.settled).toBe(false);
    expect((await stage.promptly(stage.controller.readiness())).services).toMatchObject([{ reason: 'pending' }]);
    await stage.clock.advance(41);
    expect(ready).toMatchObject({ value: true, atMs: 10 });
    expect((await stage.promptly(stage.controller.readiness())).overallHealthy).toBe(true);
    await stage.close();
  });

  it('is evaluated every second where an inline probe decides', async () => {
    const stage = new Stage();
    stage.service('api', { readiness: () => stage.atMs >= 2500 });
    stage.controller.start();
    const ready = stage.watch(stage.controller.whenReady());
    await stage.clock.advance(10_000);
    expect(ready).toMatchObject({ value: true, atMs: 3000 });
    expect(stage.trace(/readiness api/).length).toBeLessThanOrEqual(5);
    expect(stage.clock.pending).toBe(0);
    await stage.close();
  });

  it('is evaluated every second where an inline check decides, one run at a time', async () => {
    const stage = new Stage();
    let running = 0;
    let most = 0;
    stage.controller.registerCheck({
      name: 'db',
      check: async () => {
        most = Math.max(most, ++running);
        await stage.lasting(1500);
        running--;
        return stage.atMs >= 4000;
      },
    });
    stage.controller.start();
    const ready = stage.watch(stage.controller.whenReady());
    await stage.clock.advance(10_000);
    expect(ready.value).toBe(true);
    expect(ready.atMs).toBeLessThanOrEqual(6000);
    expect(most).toBe(1);
    await stage.close();
  });

  it('is true after maintenance has ended', async () => {
    const stage = new Stage();
    stage.controller.setMaintenance('by hand');
    await stage.start();
    const ready = stage.watch(stage.controller.whenReady());
    await stage.clock.advance(2000);
    expect(ready.settled).toBe(false);
    stage.controller.setMaintenance(false);
    await stage.clock.advance(1000);
    expect(ready.value).toBe(true);
    await stage.close();
  });

  it('waits for readiness, not for liveness', async () => {
    // Case 42: liveness was taken for readiness.
    const stage = new Stage({ reportRunState: true });
    const up = new Deferred();
    stage.service('api', { start: () => up.promise });
    await stage.start();
    const ready = stage.watch(stage.controller.whenReady());
    await stage.clock.advance(5000);
    expect(ready.settled).toBe(false);
    expect((await stage.promptly(stage.controller.liveness())).overallHealthy).toBe(true);
    expect(await stage.promptly(stage.controller.readiness())).toMatchObject({
      overallHealthy: false,
      services: [{ name: 'api', status: 'ERROR', reason: 'starting' }],
    });
    up.resolve();
    await stage.settle();
    expect(ready).toMatchObject({ value: true, atMs: 5000 });
    await stage.close();
  });

  it('is false when it is timed out, counted from the call', async () => {
    const stage = new Stage();
    stage.controller.registerCheck({ name: 'db', check: () => false });
    await stage.start();
    await stage.clock.advance(500);
    const ready = stage.watch(stage.controller.whenReady({ timeoutMs: 2500 }));
    await stage.clock.advance(2499);
    expect(ready.settled).toBe(false);
    await stage.clock.advance(1);
    expect(ready).toMatchObject({ value: false, atMs: 3000 });
    expect(stage.clock.pending).toBe(0);
    await stage.close();
  });

  it('is false when it is timed out while a check that ignores its signal is under way', async () => {
    const stage = new Stage();
    stage.controller.registerCheck({ name: 'db', check: never, timeoutMs: 60_000 });
    await stage.start();
    const ready = stage.watch(stage.controller.whenReady({ timeoutMs: 100 }));
    await stage.clock.advance(100);
    expect(ready.value).toBe(false);
    await stage.close();
  });

  it('is false when aborted, before or during the wait, and leaves no listener', async () => {
    const stage = new Stage();
    expect(await stage.promptly(stage.controller.whenReady({ signal: AbortSignal.abort() }))).toBe(false);
    const caller = new AbortController();
    const ready = stage.watch(stage.controller.whenReady({ signal: caller.signal }));
    await stage.settle();
    expect(ready.settled).toBe(false);
    caller.abort();
    await stage.settle();
    expect(ready.value).toBe(false);
    expect(stage.clock.pending).toBe(0);
    expect(getEventListeners(caller.signal, 'abort')).toEqual([]);
  });

  it('leaves no listener on the signal of its caller, however it ends', async () => {
    const caller = new AbortController();
    const stage = new Stage();
    let ok = false;
    stage.controller.registerCheck({ name: 'db', check: () => ok, intervalMs: 1000 });
    await stage.start();
    const { signal } = caller;
    const waits = [
      stage.watch(stage.controller.whenReady({ signal, timeoutMs: 500 })),
      stage.watch(stage.controller.whenReady({ signal })),
    ];
    expect(getEventListeners(signal, 'abort').length).toBeGreaterThan(0);
    await stage.clock.advance(500);
    ok = true;
    await stage.clock.advance(500);
    expect(waits.map(({ value, atMs }) => [value, atMs])).toEqual([
      [false, 500],
      [true, 1000],
    ]);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    ok = false;
    await stage.clock.advance(1000);
    void stage.controller.whenReady({ signal });
    await stage.close();
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('is false as soon as the controller is stopping, and from then on', async () => {
    const stage = new Stage({ drainDelayMs: 1000 });
    stage.controller.registerCheck({ name: 'db', check: () => false });
    await stage.start();
    const before = stage.watch(stage.controller.whenReady());
    stage.controller.stop();
    const during = stage.watch(stage.controller.whenReady());
    await stage.settle();
    expect([before.value, during.value]).toEqual([false, false]);
    await stage.close();
    expect(await stage.promptly(stage.controller.whenReady())).toBe(false);
  });

  it('asked for in the same block as stop() is false although everything is ready', async () => {
    const stage = new Stage({ drainDelayMs: 1000 });
    stage.controller.registerCheck({ name: 'db', check: () => true, intervalMs: 1000 });
    await stage.start();
    const ready = stage.controller.whenReady();
    stage.controller.stop();
    expect(await stage.promptly(ready)).toBe(false);
    await stage.close();
  });

  it('goes on waiting through unable_to_start until it is told otherwise', async () => {
    const stage = new Stage();
    stage.service('db', { start: () => Promise.reject(new Error('no port')) });
    stage.controller.start();
    const ready = stage.watch(stage.controller.whenReady());
    await stage.clock.advance(60_000);
    expect(ready.settled).toBe(false);
    stage.controller.stop();
    await stage.settle();
    expect(ready.value).toBe(false);
    await stage.close();
  });

  it('keeps the process alive while it waits, with or without a time limit', async () => {
    for (const options of [{}, { timeoutMs: 60_000 }]) {
      const stage = new Stage();
      stage.controller.registerCheck({ name: 'db', check: never, intervalMs: 1000 });
      await stage.start();
      const kept = () => stage.clock.timers.some(({ keepAlive }) => keepAlive);
      expect(kept()).toBe(false);
      const ready = stage.watch(stage.controller.whenReady(options));
      for (let i = 0; i < 20; i++) {
        await stage.clock.advance(700);
        expect(kept()).toBe(true);
      }
      stage.controller.stop();
      await stage.settle();
      expect(ready.value).toBe(false);
      expect(stage.clock.pending).toBe(0);
    }
  });

  it.each([
    { timeoutMs: 0 },
    { timeoutMs: -1 },
    { timeoutMs: Number.NaN },
    { timeoutMs: 2 ** 31 },
    { timeoutMs: '5000' },
    { signal: {} },
    { timeout: 5 },
  ])('refuses %j', (options) => {
    const { controller } = new Stage();
    const call = () => controller.whenReady(options as object);
    expect(call).toThrow(expect.objectContaining({ code: 'invalid_option' }));
    try {
      call();
    } catch (error) {
      expect(isHealthControllerError(error) && error.message).toContain(Object.keys(options)[0]);
    }
  });

  it('many at once are all answered', async () => {
    const stage = new Stage();
    const waits = Array.from({ length: 100 }, () => stage.controller.whenReady());
    await stage.start();
    expect(new Set(await stage.promptly(Promise.all(waits)))).toEqual(new Set([true]));
    await stage.close();
    expect(stage.clock.pending).toBe(0);
  });
});
