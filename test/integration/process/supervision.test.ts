import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { Controller } from '../../../src/index.js';
import { recordEvents } from '../../../src/testing/index.js';
import { scripts } from './support/script.js';

const run = await scripts();

describe('a process whose only pending thing is', () => {
  it('a backoff stays alive until its service is up', async () => {
    // A backoff that is no reason to live lets a worker exit with 0 after its first crash.
    const script = run(({ library, say }) => {
      const controller = new library.Controller();
      let runs = 0;
      controller.on('service', ({ kind }) => say(kind));
      controller.register('worker', {
        start: () => {
          if (++runs < 3) throw new Error('no');
        },
        restartPolicy: { initialBackoffMs: 300, multiplier: 1 },
      });
      process.on('exit', () => say('exit'));
      controller.start();
    });
    expect(await script.ended()).toMatchObject({
      code: 0,
      lines: ['retrying', 'retrying', 'started', 'exit'],
      stderr: '',
    });
  });

  it('the backoff of a child stays alive too', async () => {
    const script = run(({ library, say }) => {
      let runs = 0;
      const jobs = new library.Supervisor();
      jobs.attach({
        name: 'job',
        start: () => {
          say(`run ${++runs}`);
          if (runs < 3) throw new Error('no');
        },
        restartPolicy: { initialBackoffMs: 200, multiplier: 1 },
      });
      process.on('exit', () => say('exit'));
      jobs.start();
    });
    expect((await script.ended()).lines).toEqual(['run 1', 'run 2', 'run 3', 'exit']);
  });

  it('polls for health, or the wait for a reset interval, ends', async () => {
    const script = run(({ library, say }) => {
      const controller = new library.Controller();
      controller.on('service', ({ service, kind }) => say(`${service} ${kind}`));
      const restartPolicy = { healthFailureThreshold: 1, healthCheckIntervalMs: 100 };
      controller.register('polled', { status: () => true, restartPolicy });
      controller.register('watched', { status: () => true, stopOnGiveUp: true });
      controller.register('pending', { start: () => new Promise(() => {}) });
      process.on('exit', () => say('exit'));
      controller.start();
    });
    expect(await script.ended()).toMatchObject({ code: 0, lines: ['polled started', 'watched started', 'exit'] });
  });

  it('a restart by hand stays alive until that has settled', async () => {
    const script = run(async ({ library, say }) => {
      const controller = new library.Controller();
      let runs = 0;
      controller.register('worker', {
        start: ({ ready }) => {
          if (++runs === 1) return;
          // Nothing of its own keeps the process alive.
          setTimeout(ready, 500).unref();
          return new Promise(() => {});
        },
      });
      process.on('exit', () => say('exit'));
      controller.start();
      await controller.restart('worker');
      say('restarted');
    });
    expect((await script.ended()).lines).toEqual(['restarted', 'exit']);
  });

  it('the bounded stop of a health restart stays alive to its bound', async () => {
    const script = run(({ library, say }) => {
      const controller = new library.Controller();
      let runs = 0;
      controller.on('service', ({ kind }) => say(kind));
      controller.register('worker', {
        start: () => void runs++,
        stop: () => new Promise(() => {}),
        status: () => runs > 1,
        stopTimeoutMs: 300,
        restartPolicy: { healthFailureThreshold: 1, healthCheckIntervalMs: 50, initialBackoffMs: 10 },
      });
      const first = setInterval(() => {}, 1000);
      controller.once('service', () => {});
      controller.on('service', ({ kind }) => {
        if (kind === 'retrying') clearInterval(first);
      });
      process.on('exit', () => say('exit'));
      controller.start();
    });
    expect((await script.ended()).lines).toEqual(['started', 'retrying', 'started', 'exit']);
  });
});

describe('a real signal', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)(
    '%s during a backoff ends it at once, with 0 and nothing started',
    async (signal) => {
      const script = run(async ({ library, say }) => {
        const controller = new library.Controller({ signals: true });
        controller.on('service', ({ kind }) => say(kind));
        controller.register('worker', {
          start: () => {
            throw new Error('no');
          },
          stop: () => say('stop'),
          restartPolicy: { initialBackoffMs: 600_000, maxBackoffMs: 600_000 },
        });
        controller.start();
        const outcome = await controller.wait();
        say(`${outcome.cause} ${outcome.durationMs < 5000}`);
        process.exitCode = outcome.exitCode;
      });
      await script.said('retrying');
      script.send(signal);
      expect(await script.ended()).toMatchObject({
        code: 0,
        signal: null,
        lines: ['retrying', 'signal true'],
        stderr: '',
      });
    },
  );

  it('during a start lets that go, and its dependents never start', async () => {
    // Case 93.
    const script = run(async ({ library, say }) => {
      const controller = new library.Controller({ signals: true });
      controller.register('db', {
        start: ({ signal }) =>
          new Promise((_, reject) => {
            const busy = setInterval(() => {}, 1000);
            signal.addEventListener('abort', () => {
              clearInterval(busy);
              say(`aborted ${(signal.reason as { code: string }).code}`);
              reject(signal.reason);
            });
            say('starting');
          }),
      });
      controller.register('api', { dependsOn: 'db', start: () => say('api started') });
      controller.start();
      const outcome = await controller.wait();
      say(`unfinished ${outcome.unfinished.length}`);
      process.exitCode = outcome.exitCode;
    });
    await script.said('starting');
    script.send('SIGTERM');
    const end = await script.ended();
    expect(end).toMatchObject({ code: 0, signal: null, stderr: '' });
    expect(end.lines).toEqual(['starting', 'aborted shutdown', 'unfinished 0']);
  });

  it('twice during the stop of a health restart makes one shutdown, and one stop', async () => {
    // Case 92.
    const script = run(async ({ library, say }) => {
      const controller = new library.Controller({ signals: true, shutdownTimeoutMs: 800 });
      controller.register('worker', {
        stop: () => {
          say('stop');
          return new Promise(() => {});
        },
        status: () => false,
        restartPolicy: { healthFailureThreshold: 1, healthCheckIntervalMs: 20 },
      });
      const busy = setInterval(() => {}, 1000);
      controller.start();
      const outcome = await controller.wait();
      clearInterval(busy);
      say(`${outcome.signal} unfinished ${outcome.unfinished.join()}`);
      process.exitCode = outcome.exitCode;
    });
    await script.said('stop');
    script.send('SIGINT');
    script.send('SIGTERM');
    const end = await script.ended();
    expect(end).toMatchObject({ code: 1, signal: null });
    expect(end.lines[0]).toBe('stop');
    expect(end.lines).toHaveLength(2);
    expect(end.lines[1]).toMatch(/^SIG(INT|TERM) unfinished worker$/);
  });

  it('is not needed where a service gives up with stopOnGiveUp: the process ends by itself with 1', async () => {
    const script = run(async ({ library, say }) => {
      const controller = new library.Controller({ signals: true });
      const server = setInterval(() => {}, 1000);
      controller.register('api', { stop: () => clearInterval(server) });
      controller.register('worker', {
        start: () => {
          throw new Error('bad configuration');
        },
        restartPolicy: { maxRestarts: 2, initialBackoffMs: 10 },
        stopOnGiveUp: true,
      });
      controller.start();
      const outcome = await controller.wait();
      say(`${outcome.cause} ${outcome.service} ${(outcome.error as Error).message}`);
      process.exitCode = outcome.exitCode;
    });
    expect(await script.ended()).toMatchObject({ code: 1, signal: null, lines: ['gave_up worker bad configuration'] });
  });
});

describe('a restart', () => {
  it('of a real server does not race its own port', async () => {
    // EADDRINUSE: the new run listened while the old one still held the port.
    const controller = new Controller();
    let server = createServer();
    let port = 0;
    controller.register('server', {
      start: async () => {
        server = createServer().listen(port, '127.0.0.1');
        await once(server, 'listening');
        ({ port } = server.address() as AddressInfo);
      },
      stop: async () => {
        await sleep(200);
        server.close();
        await once(server, 'close');
      },
      restartPolicy: { maxRestarts: 0 },
    });
    const recorded = recordEvents(controller);
    const up = new Promise((resolve) => controller.once('service', resolve));
    controller.start();
    await up;
    for (let time = 0; time < 3; time++) {
      await Promise.all([controller.restart('server'), controller.restart('server')]);
    }
    expect(await controller.stop()).toMatchObject({ unfinished: [], stopErrors: [] });
    const events = recorded.lines.filter((line) => line.startsWith('service'));
    expect(events).toEqual(Array.from({ length: 4 }, () => 'service server started'));
  });
});
