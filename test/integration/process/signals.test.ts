import { describe, expect, it } from 'vitest';
import { scripts } from './support/script.js';

const run = await scripts();

/** What the script said after `prefix`. */
const told = (lines: readonly string[], prefix: string) =>
  lines.filter((line) => line.startsWith(prefix)).map((line) => line.slice(prefix.length));

describe('a real signal', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)('%s drains, stops and ends with 0, not by the signal', async (signal) => {
    // Case 97: the exit code after a clean SIGTERM.
    const script = run(async ({ library, say }) => {
      const { Controller } = library;
      const controller = new Controller({ signals: true, drainDelayMs: 200 });
      const server = setInterval(() => {}, 1000);
      controller.register('api', {
        start: () => say('started'),
        stop: () => {
          say('stopping');
          clearInterval(server);
        },
      });
      process.on('exit', (code) => say(`exit ${code}`));
      controller.start();
      const outcome = await controller.wait();
      say(`outcome ${outcome.cause} ${outcome.signal} ${outcome.durationMs >= 199}`);
      process.exitCode = outcome.exitCode;
    });
    await script.said('started');
    script.send(signal);
    const end = await script.ended();
    expect(end).toMatchObject({ code: 0, signal: null, stderr: '' });
    expect(end.lines).toEqual(['started', 'stopping', `outcome signal ${signal} true`, 'exit 0']);
  });

  it('ends with 1 when a stop fails, and when one outlives the deadline', async () => {
    // Case 97.
    const failing = run(async ({ library, say }) => {
      const controller = new library.Controller({ signals: true });
      const server = setInterval(() => {}, 1000);
      controller.register('api', {
        stop: () => {
          clearInterval(server);
          throw new Error('stuck');
        },
      });
      controller.start();
      say('started');
      process.exitCode = (await controller.wait()).exitCode;
    });
    const hanging = run(async ({ library, say }) => {
      const controller = new library.Controller({ signals: true, shutdownTimeoutMs: 200 });
      const server = setInterval(() => {}, 1000);
      controller.register('api', { stop: () => new Promise(() => {}) });
      controller.start();
      say('started');
      const outcome = await controller.wait();
      say(`unfinished ${outcome.unfinished.join()}`);
      clearInterval(server);
      process.exitCode = outcome.exitCode;
    });
    for (const script of [failing, hanging]) {
      await script.said('started');
      script.send('SIGTERM');
    }
    expect(await failing.ended()).toMatchObject({ code: 1, signal: null });
    expect(await hanging.ended()).toMatchObject({ code: 1, signal: null, lines: ['started', 'unfinished api'] });
  });

  it('twice makes one shutdown: hooks run once, the deadline stays where it was', async () => {
    // Case 92: a second signal disarmed the deadline, or cut the shutdown short.
    const script = run(async ({ library, say }) => {
      const say_ = (message: string) => say(`log ${message}`);
      const controller = new library.Controller({
        signals: true,
        shutdownTimeoutMs: 600,
        logger: { debug: say_, info: say_, warn: say_, error: say_ },
      });
      controller.register('api', {
        stop: () => {
          say('hook');
          return new Promise(() => {});
        },
      });
      const server = setInterval(() => {}, 1000);
      controller.start();
      say('started');
      const outcome = await controller.wait();
      say(`same ${controller.stop() === controller.stop('x') && (await controller.stop('y')) === outcome}`);
      say(`duration ${outcome.durationMs}`);
      clearInterval(server);
      process.exitCode = outcome.exitCode;
    });
    await script.said('started');
    script.send('SIGTERM');
    await script.said('hook');
    script.send('SIGTERM');
    script.send('SIGINT');
    const end = await script.ended();
    expect(end).toMatchObject({ code: 1, signal: null });
    expect(end.lines.filter((line) => line === 'hook')).toHaveLength(1);
    expect(told(end.lines, 'same ')).toEqual(['true']);
    const [duration] = told(end.lines, 'duration ').map(Number);
    expect(duration).toBeGreaterThanOrEqual(599);
    expect(duration).toBeLessThan(5000);
    expect(told(end.lines, 'log ').filter((line) => line.includes('SIGINT')).length).toBe(1);
  });

  it('during startup lets go of the start that is pending, starts no dependent, stops what is up, and is never ready', async () => {
    // Case 93.
    const script = run(async ({ library, say }) => {
      const controller = new library.Controller({ signals: true, reportRunState: true });
      const server = setInterval(() => {}, 1000);
      controller.register('a', {
        start: () => say('a started'),
        stop: () => {
          say('a stopped');
          clearInterval(server);
        },
      });
      controller.register('b', {
        start: ({ signal }) => {
          say('b starting');
          return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
        },
      });
      controller.register('c', { start: () => say('c started'), dependsOn: 'b' });
      const ready = controller.whenReady();
      controller.start();
      say(`ready ${await ready}`);
      const outcome = await controller.wait();
      say(`unfinished ${outcome.unfinished.length}`);
      process.exitCode = outcome.exitCode;
    });
    await script.said('b starting');
    script.send('SIGTERM');
    const end = await script.ended();
    expect(end).toMatchObject({ code: 0, signal: null });
    expect(end.lines.filter((line) => line !== 'ready false')).toEqual([
      'a started',
      'b starting',
      'a stopped',
      'unfinished 0',
    ]);
    expect(end.lines).toContain('ready false');
  });

  it('while whenReady is awaited ends the wait with false', async () => {
    const script = run(async ({ library, say }) => {
      const controller = new library.Controller({ signals: true });
      controller.registerCheck({ name: 'db', check: () => false, intervalMs: 50 });
      controller.start();
      say('waiting');
      const ready = await controller.whenReady();
      say(`ready ${ready}`);
      process.exitCode = (await controller.wait()).exitCode;
    });
    await script.said('waiting');
    script.send('SIGTERM');
    expect(await script.ended()).toMatchObject({ code: 0, signal: null, lines: ['waiting', 'ready false'] });
  });

  it('reaches the handlers of the application too, which run to their end', async () => {
    // Case 94: the library ended the process itself.
    const script = run(({ library, say }) => {
      const controller = new library.Controller({ signals: true });
      process.on('SIGTERM', async () => {
        say('own handler');
        await new Promise((resolve) => setTimeout(resolve, 300));
        say('flushed');
      });
      process.on('exit', () => say('exit marker'));
      const server = setInterval(() => {}, 1000);
      controller.register('api', { start: () => say('started'), stop: () => clearInterval(server) });
      controller.on('state', ({ to }) => say(to));
      controller.start();
    });
    await script.said('started');
    script.send('SIGTERM');
    const end = await script.ended();
    expect(end).toMatchObject({ code: 0, signal: null });
    expect([...end.lines].sort()).toEqual(
      ['running', 'started', 'own handler', 'stopping', 'stopped', 'flushed', 'exit marker'].sort(),
    );
    expect(end.lines.at(-1)).toBe('exit marker');
  });

  it('has its default effect again once the controller is stopped', async () => {
    const script = run(async ({ library, say }) => {
      const controller = new library.Controller({ signals: true });
      setInterval(() => {}, 1000);
      controller.start();
      await controller.stop();
      say('stopped');
    });
    await script.said('stopped');
    script.send('SIGTERM');
    expect(await script.ended()).toMatchObject({ code: null, signal: 'SIGTERM' });
  });

  it('stops every controller of the process', async () => {
    const script = run(async ({ library, say }) => {
      const controllers = [1, 2, 3].map(() => new library.Controller({ signals: true }));
      const server = setInterval(() => {}, 1000);
      for (const controller of controllers) controller.start();
      say(`listeners ${process.listenerCount('SIGTERM')}`);
      const outcomes = await Promise.all(controllers.map((controller) => controller.wait()));
      say(outcomes.map(({ cause }) => cause).join());
      say(`listeners ${process.listenerCount('SIGTERM')}`);
      clearInterval(server);
    });
    await script.said('listeners 1');
    script.send('SIGTERM');
    const end = await script.ended();
    expect(end).toMatchObject({ code: 0, lines: ['listeners 1', 'signal,signal,signal', 'listeners 0'] });
  });
});
