import { Agent, createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { type HealthServer, type ServeHealthOptions, serveHealth } from '../../../src/http/index.js';
import { Controller } from '../../../src/index.js';
import { remembering, reporterOf, reportOf } from '../../http/support/asking.js';
import { ask } from './support/ask.js';

const servers: HealthServer[] = [];
const sockets: Socket[] = [];

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const server of servers.splice(0)) await server.close();
});

async function serve(reporter = reporterOf(() => reportOf()), options: Partial<ServeHealthOptions> = {}) {
  const server = await serveHealth(reporter, { port: 0, ...options });
  servers.push(server);
  return server;
}

async function socketTo(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  sockets.push(socket);
  socket.on('error', () => {});
  await new Promise((resolve) => socket.once('connect', resolve));
  return socket;
}

const ended = (socket: Socket) => new Promise<void>((resolve) => socket.once('close', () => resolve()));

describe('a health server', () => {
  it('is told its port, and answers nothing but health', async () => {
    const { url, paths } = await serve();
    expect(url).toMatch(/^http:\/\/localhost:\d+$/);
    expect(paths.readiness).toBe('/readyz');
    expect((await ask(url, '/readyz')).status).toBe(200);
    for (const path of ['/', '/metrics', '/other?x']) {
      const answer = await ask(url, path);
      expect([answer.status, answer.body]).toEqual([404, 'not found\n']);
      expect(answer.headers['x-content-type-options']).toBe('nosniff');
    }
    expect((await ask(url, '/', { method: 'HEAD' })).body).toBe('');
  });

  it.each([
    ['127.0.0.1', /^http:\/\/127\.0\.0\.1:\d+$/],
    ['::1', /^http:\/\/\[::1\]:\d+$/],
    ['localhost', /^http:\/\/(127\.0\.0\.1|\[::1\]):\d+$/],
    ['0.0.0.0', /^http:\/\/localhost:\d+$/],
    ['::', /^http:\/\/localhost:\d+$/],
  ])('listens on %s', async (host, url) => {
    const server = await serve(undefined, { host });
    expect(server.url).toMatch(url);
    expect((await ask(server.url, '/livez')).status).toBe(200);
  });

  it('listens on IPv6 and IPv4 where no host is given', async () => {
    const { port } = new URL((await serve()).url);
    expect((await ask(`http://127.0.0.1:${port}`, '/livez')).status).toBe(200);
    expect((await ask(`http://[::1]:${port}`, '/livez')).status).toBe(200);
  });

  it('says what is wrong when the port is taken', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as AddressInfo;
    const taken = serve(undefined, { port, host: '127.0.0.1' });
    await expect(taken).rejects.toMatchObject({
      code: 'EADDRINUSE',
      message: `serveHealth(): cannot listen on port ${port} of 127.0.0.1: something else listens there`,
    });
    other.close();
  });

  it.each([
    [{ port: undefined }, 'option "port"'],
    [{ port: 65_536 }, 'option "port": expected a whole number from 0 to 65535'],
    [{ port: '80' }, 'option "port"'],
    [{ host: '' }, 'option "host"'],
    [{ hots: 'x' }, 'unknown option "hots"'],
    [{ details: 'no' }, 'option "details"'],
  ])('refuses %j', async (options, sentence) => {
    const wrong = serveHealth(
      reporterOf(() => reportOf()),
      { port: 0, ...options } as ServeHealthOptions,
    );
    await expect(wrong).rejects.toMatchObject({ code: 'invalid_option', message: expect.stringContaining(sentence) });
  });

  it('tells the logger where it is, once', async () => {
    const logger = remembering();
    const { url } = await serve(undefined, { logger });
    await ask(url, '/readyz');
    expect(logger.lines).toEqual([
      `info health endpoints on ${url}: liveness at /livez, readiness at /readyz, status at /status`,
    ]);
  });

  // Case 88: the route must stay to the end of the drain.
  it('stays reachable while the controller drains and stops, and closes itself once it has stopped', async () => {
    const controller = new Controller({ drainDelayMs: 100 });
    let seenInStop: number | undefined;
    controller.register('api', {
      stop: async () => {
        seenInStop = (await ask(server.url, '/livez')).status;
      },
    });
    controller.start();
    const server = await serve(controller);
    const stopped = controller.stop();
    expect((await ask(server.url, '/readyz')).status).toBe(503);
    expect((await ask(server.url, '/livez')).status).toBe(200);
    await stopped;
    expect(seenInStop).toBe(200);
    await server.close();
    await expect(ask(server.url, '/livez')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  it('closes itself for a controller of another copy, known by its wait() only', async () => {
    let stop = (): void => {};
    const wait = () =>
      new Promise<void>((resolve) => {
        stop = resolve;
      });
    const server = await serve({ ...reporterOf(() => reportOf()), wait } as never);
    const idle = await socketTo(server.url);
    stop();
    await ended(idle);
  });

  it.each([
    ['is no function', { wait: 5 }],
    ['rejects', { wait: () => Promise.reject(new Error('x')) }],
    [
      'throws',
      {
        wait: () => {
          throw new Error('x');
        },
      },
    ],
  ])('is left open where wait() %s', async (_what, more) => {
    const server = await serve({ ...reporterOf(() => reportOf()), ...more } as never);
    expect((await ask(server.url, '/livez')).status).toBe(200);
  });

  // Case 81: idle and silent connections held the close up.
  it('closes at once although connections are idle, or never sent anything', async () => {
    const server = await serve();
    const agent = new Agent({ keepAlive: true });
    await ask(server.url, '/readyz', { agent });
    const silent = await socketTo(server.url);
    const half = await socketTo(server.url);
    half.write('GET /readyz HT');
    const began = performance.now();
    const closed = [ended(silent), ended(half)];
    expect(server.close()).toBe(server.close());
    await server.close();
    await Promise.all(closed);
    expect(performance.now() - began).toBeLessThan(900);
    agent.destroy();
  });

  it('lets an answer under way be given before it closes', async () => {
    let finish: (() => void) | undefined;
    const server = await serve(
      reporterOf(
        () =>
          new Promise((resolve) => {
            finish = () => resolve(reportOf());
          }),
      ),
    );
    const answer = ask(server.url, '/readyz');
    await expect.poll(() => finish).toBeDefined();
    const closed = server.close();
    setTimeout(() => finish?.(), 50);
    expect(await answer).toMatchObject({ status: 200, headers: { connection: 'close' } });
    await closed;
  });

  it('destroys a second later what has not been answered', async () => {
    const server = await serve(reporterOf(() => new Promise(() => {})));
    const answer = ask(server.url, '/readyz').catch((error: { code: string }) => error.code);
    await new Promise((resolve) => setTimeout(resolve, 50));
    const began = performance.now();
    await server.close();
    expect(performance.now() - began).toBeGreaterThan(900);
    expect(await answer).toBe('ECONNRESET');
  });

  it('survives what is no HTTP', async () => {
    const { url } = await serve();
    for (const garbage of [
      '\0\0\0',
      'GET / HTTP/9.9\r\n\r\n',
      'GET /readyz HTTP/1.1\r\nHost: x\r\nContent-Length: x\r\n\r\n',
    ]) {
      const socket = await socketTo(url);
      socket.resume();
      socket.write(garbage);
      await ended(socket);
    }
    expect((await ask(url, '/readyz')).status).toBe(200);
  });
});
