import { describe, expect, it } from 'vitest';
import { scripts } from './support/script.js';

const run = await scripts();

/** Each script says how long it lived from its first line to its exit, so that the start of Node does not count. */
const lived = (lines: readonly string[]) => Number(/^lived (\d+)$/.exec(lines.at(-1) ?? '')?.[1]);

describe('what keeps a process alive', () => {
  it('not the import', async () => {
    // Case 123: timers kept the process alive.
    const end = await run(({ library, say }) => say(typeof library.Controller)).ended();
    expect(end).toMatchObject({ code: 0, lines: ['function'], stderr: '' });
  });

  it('not polls, nor listening to signals, nor wait() alone', async () => {
    // Case 123.
    const script = run(async ({ library, say }) => {
      const began = performance.now();
      process.on('exit', () => say(`lived ${Math.round(performance.now() - began)}`));
      const controller = new library.Controller({ signals: true });
      controller.registerCheck({ name: 'db', check: () => true, intervalMs: 20_000 });
      controller.registerCheck({ name: 'later', check: () => true, intervalMs: 20_000, initialDelayMs: 60_000 });
      controller.registerCheck({
        name: 'hung',
        check: () => new Promise(() => {}),
        intervalMs: 20_000,
        timeoutMs: 60_000,
      });
      controller.register('background', { start: () => {} });
      controller.start();
      await controller.wait();
      say('not reached');
    });
    const end = await script.ended();
    expect(end).toMatchObject({ code: 0, signal: null, stderr: '' });
    expect(end.lines).toHaveLength(1);
    expect(lived(end.lines)).toBeLessThan(10_000);
  });

  it('a drain, to its end', async () => {
    const script = run(({ library, say }) => {
      const began = performance.now();
      process.on('exit', () => say(`lived ${Math.round(performance.now() - began)}`));
      const controller = new library.Controller({ drainDelayMs: 600 });
      controller.registerCheck({ name: 'db', check: () => true, intervalMs: 100 });
      controller.register('api', { stop: () => say('stop') });
      controller.start();
      controller.stop().then(({ exitCode }) => say(`outcome ${exitCode}`));
    });
    const end = await script.ended();
    expect(end.code).toBe(0);
    expect(end.lines.slice(0, -1)).toEqual(['stop', 'outcome 0']);
    expect(lived(end.lines)).toBeGreaterThanOrEqual(590);
  });

  it('a hold and a stop that never return, to their deadlines', async () => {
    const script = run(async ({ library, say }) => {
      const controller = new library.Controller({ holdTimeoutMs: 200, shutdownTimeoutMs: 200 });
      controller.register('api', { stop: () => new Promise(() => {}) });
      controller.start();
      controller.hold('upload');
      const { unfinished, durationMs } = await controller.stop();
      say(`${unfinished.join()} ${durationMs >= 398}`);
    });
    expect(await script.ended()).toMatchObject({ code: 0, lines: ['hold:upload,api true'] });
  });

  it('a start that has a time limit, a report that awaits a check, and whenReady', async () => {
    const script = run(({ library, say }) => {
      const { Controller } = library;
      const starting = new Controller();
      starting.register('api', { start: () => new Promise(() => {}), startTimeoutMs: 300 });
      starting.on('service', ({ kind }) => say(kind));
      starting.start();

      const asking = new Controller();
      asking.registerCheck({ name: 'db', check: () => new Promise(() => {}), timeoutMs: 300 });
      asking.start();
      asking.readiness().then(({ services }) => say(`report ${services[0]?.reason}`));

      const waiting = new Controller();
      waiting.start();
      waiting.registerCheck({ name: 'db', check: () => false, intervalMs: 50 });
      waiting.whenReady({ timeoutMs: 300 }).then((ready) => say(`ready ${ready}`));
    });
    const end = await script.ended();
    expect(end.code).toBe(0);
    expect([...end.lines].sort()).toEqual(['ready false', 'report timeout', 'unable_to_start']);
  });

  it('nothing once the controller is stopped, however long its time limits', async () => {
    // Case 17: a check's timeout timer was left behind. Case 86: the full grace period was waited for.
    const script = run(async ({ library, say }) => {
      const began = performance.now();
      process.on('exit', () => say(`lived ${Math.round(performance.now() - began)}`));
      const controller = new library.Controller({
        signals: true,
        holdTimeoutMs: 30_000,
        shutdownTimeoutMs: 30_000,
      });
      const soon = () => new Promise<true>((resolve) => setTimeout(resolve, 1, true));
      controller.register('api', {
        start: () => {},
        stop: () => new Promise((resolve) => setTimeout(resolve, 20)),
        status: soon,
        probeTimeoutMs: 30_000,
        startTimeoutMs: 30_000,
        stopTimeoutMs: 30_000,
      });
      controller.registerCheck({ name: 'inline', check: soon, timeoutMs: 30_000 });
      controller.registerCheck({ name: 'polled', check: soon, timeoutMs: 30_000, intervalMs: 30_000 });
      controller.start();
      say(`ready ${await controller.whenReady({ timeoutMs: 30_000 })}`);
      await controller.status();
      const release = controller.hold('request');
      setTimeout(release, 20);
      const { exitCode } = await controller.stop();
      say(`outcome ${exitCode}`);
      say(
        process
          .getActiveResourcesInfo()
          .filter((name) => /Timeout|Immediate/.test(name))
          .join(),
      );
    });
    const end = await script.ended();
    expect(end).toMatchObject({ code: 0, signal: null, stderr: '' });
    expect(end.lines.slice(0, -1)).toEqual(['ready true', 'outcome 0', '']);
    expect(lived(end.lines)).toBeLessThan(10_000);
  });

  it('is ended by no late rejection of an abandoned run, before or after the end', async () => {
    // Case 27: an unhandled rejection after the timeout.
    const script = run(async ({ library, say }) => {
      process.on('unhandledRejection', (reason) => say(`unhandled ${reason}`));
      process.on('warning', ({ message }) => say(`warning ${message}`));
      const late = (ms: number) => () =>
        new Promise<never>((_, reject) => setTimeout(reject, ms, new Error(`after ${ms} ms`)));
      const controller = new library.Controller({ shutdownTimeoutMs: 50 });
      controller.register('api', {
        start: ({ ready }) => {
          ready();
          return late(700)();
        },
        stop: late(400),
        status: late(300),
        probeTimeoutMs: 50,
      });
      controller.register('slow', { start: late(500), startTimeoutMs: 50 });
      controller.registerCheck({ name: 'inline', check: late(300), timeoutMs: 50 });
      controller.registerCheck({ name: 'polled', check: late(300), timeoutMs: 50, intervalMs: 100 });
      controller.registerCheck({ name: 'cut off', check: late(600), timeoutMs: 60_000 });
      controller.on('state', () => Promise.reject(new Error('listener')));
      controller.start();
      controller.readiness();
      const report = await controller.status({ exclude: ['cut off'] });
      say(report.services.map(({ reason }) => reason ?? 'none').join());
      await new Promise((resolve) => setTimeout(resolve, 350));
      await controller.stop();
      await new Promise((resolve) => setTimeout(resolve, 700));
      say('alive');
    });
    const end = await script.ended();
    expect(end).toMatchObject({ code: 0, signal: null, stderr: '' });
    expect(end.lines).toEqual(['timeout,none,timeout,timeout', 'alive']);
  });
});
