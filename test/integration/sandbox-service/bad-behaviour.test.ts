import { once } from 'node:events';
import type { RequestListener, Server } from 'node:http';
import { createServer } from 'node:http';
import { connect, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import {
  type ExposedService,
  SandboxServices,
  type SandboxServicesOptions,
} from '../../../src/presets/sandbox-service/index.js';
import { Listening } from '../presets/support/servers.js';
import { openedByTests, until } from './support/opened.js';

const ID = { workspace: 'team', sandbox: 'box', service: 'web' };
const CHECKED = { readinessCheck: { path: '/readyz' } };

const { use, later } = openedByTests();

function observe(port: number, more = {}, options: SandboxServicesOptions = {}): SandboxServices {
  const services = new SandboxServices({ failureThreshold: 1, timeoutMs: 300, ...options });
  later(() => services.stop());
  services.expose({ ...ID, port, ...more });
  services.sandbox(ID.workspace, ID.sandbox).ready('runtime-1');
  return services;
}

/** The first thing that is known of the service. */
function first(services: SandboxServices): Promise<ExposedService['health']> {
  return new Promise((resolve) => services.once('change', ({ service }) => resolve(service.health)));
}

const answer =
  (text: string) =>
  (socket: Socket): void =>
    void socket.once('data', () => socket.write(text));

describe('a server that', () => {
  it.each<[string, (socket: Socket) => void, string]>([
    ['accepts and stays silent', () => {}, 'timed out after 300 ms waiting for the response headers'],
    ['sends garbage', answer('\0\x01\x02 hello\r\n\r\n'), 'response is not valid HTTP/1.1'],
    ['speaks first, and not HTTP', (socket) => socket.write('220 mail ready\r\n'), 'response is not valid HTTP/1.1'],
    [
      'sends headers byte by byte',
      (socket) => {
        const timer = setInterval(() => socket.write('a'), 20);
        socket.on('close', () => clearInterval(timer));
        socket.write('HTTP/1.1 200 OK\r\nX: ');
      },
      'timed out after 300 ms waiting for the response headers',
    ],
    [
      'sends headers without end',
      (socket) => {
        const more = () => {
          while (!socket.destroyed && socket.write('X-Header: more\r\n'.repeat(1000)));
        };
        socket.on('drain', more).write('HTTP/1.1 200 OK\r\n');
        more();
      },
      'response headers are larger than 16384 bytes',
    ],
    [
      'sends informational responses without end',
      answer('HTTP/1.1 100 Continue\r\n\r\n'.repeat(100)),
      'more than 32 informational responses and no final one',
    ],
    ['closes at once', (socket) => socket.end(), 'connection closed before the response headers'],
    [
      'closes in the middle',
      (socket) => socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\nX')),
      'connection closed before the response headers',
    ],
  ])('%s is unhealthy, and keeps no connection', async (_name, talk, message) => {
    const server = await use(Listening.tcp(talk));
    const health = await first(observe(server.port));
    expect(health).toEqual({ state: 'unhealthy', message, lastCheckedTime: expect.any(String) });
    await server.quiet();
    expect(server.connections).toBe(1);
  });

  it('resets is unhealthy, wherever the reset is noticed', async () => {
    const server = await use(Listening.tcp((socket) => socket.resetAndDestroy()));
    const { state, message } = await first(observe(server.port));
    expect(state).toBe('unhealthy');
    expect(['connection reset', 'connection closed before the response headers']).toContain(message);
    await server.quiet();
  });

  it('is not there is unhealthy', async () => {
    const server = await Listening.tcp(() => {});
    const { port } = server;
    await server.close();
    expect(await first(observe(port))).toMatchObject({ state: 'unhealthy', message: 'connection refused' });
  });

  it('is on ::1 only is found as localhost', async () => {
    const server = await use(Listening.http((_request, response) => response.end(), 0, '::1'));
    expect(await first(observe(server.port, { host: 'localhost' }))).toMatchObject({ state: 'healthy' });
    expect(await first(observe(server.port, { host: '127.0.0.1' }))).toMatchObject({ message: 'connection refused' });
  });

  it('skips ahead with informational responses is judged by the final one', async () => {
    const server = await use(
      Listening.tcp(answer('HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n')),
    );
    expect(await first(observe(server.port, CHECKED))).toMatchObject({ state: 'healthy', httpStatusCode: 204 });
    await server.quiet();
  });

  it('answers with an endless body is healthy, and rid of its connection at once', async () => {
    let sent = 0;
    const endless: RequestListener = (_request, response) => {
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536))) sent += 65_536;
      };
      response.on('drain', more);
      more();
    };
    const server = await use(Listening.http(endless));
    expect(await first(observe(server.port, CHECKED))).toMatchObject({ state: 'healthy', httpStatusCode: 200 });
    await server.quiet();
    // What fits into the buffers of the two sockets.
    expect(sent).toBeLessThan(16 * 1024 * 1024);
  });
});

// Case 70: what a redirect leads to is not asked, whatever it is.
describe('a redirect', () => {
  it.each([
    ['to the same server', (own: string) => `${own}/ok`],
    ['to another server', (_own: string, other: string) => `${other}/ok`],
    ['to TLS', (own: string) => own.replace('http:', 'https:')],
    ['to itself', (own: string) => `${own}/readyz`],
  ])('%s is not followed', async (_name, location) => {
    const hits: string[] = [];
    const other = await use(Listening.http((_request, response) => response.end()));
    const server: Listening = await use(
      Listening.http(({ url = '' }, response) => {
        hits.push(url);
        response.writeHead(302, { Location: location(server.url, other.url) }).end();
      }),
    );
    const health = await first(observe(server.port, CHECKED));
    expect(health).toMatchObject({ state: 'unhealthy', httpStatusCode: 302 });
    expect(health.message).toContain('redirects are not followed');
    expect([hits, server.connections, other.connections]).toEqual([['/readyz'], 1, 0]);
  });

  it('is an answer where there is no readiness check', async () => {
    const server = await use(Listening.http((_request, response) => response.writeHead(302).end()));
    expect(await first(observe(server.port))).toMatchObject({ state: 'healthy', message: 'HTTP 302' });
  });
});

it('nothing but the request is sent, and no cookie is kept', async () => {
  const requests: string[][] = [];
  const server = await use(
    Listening.http(({ method = '', url = '', rawHeaders }, response) => {
      requests.push([method, url, ...rawHeaders]);
      response.writeHead(200, { 'Set-Cookie': 'session=1' }).end('body');
    }),
  );
  observe(server.port, { readinessCheck: { path: '/a/../é' } }, { intervalMs: 20 });
  await until(() => requests.length === 3);
  const expected = [
    ...['GET', '/a/../%C3%A9', 'Host', `127.0.0.1:${server.port}`],
    ...['Accept', '*/*', 'User-Agent', 'health-controller', 'Connection', 'close'],
  ];
  expect(requests).toEqual([expected, expected, expected]);
});

const BODY = Buffer.alloc(5_000_000);

// Case 75: an unread body keeps its socket.
it.each([
  ['5 MB', (response: Parameters<RequestListener>[1]) => response.end(BODY)],
  ['no end', (response: Parameters<RequestListener>[1]) => response.write(BODY.subarray(0, 65_536))],
])('1,000 attempts against a body of %s hold no more than two sockets at one time', async (_name, send) => {
  const keepAlive: Server = createServer({ keepAlive: true }, (_request, response) => void send(response));
  const server = await use(Listening.on(keepAlive));
  const services = observe(server.port, CHECKED, { intervalMs: 1 });
  await until(() => server.connections >= 1000);
  expect(server.most).toBeLessThanOrEqual(2);
  expect(services.get(ID)?.health.state).toBe('healthy');
  await services.stop();
  await server.quiet();
});

describe('a relay', () => {
  it('may lead through a socket of the file system', async () => {
    const inner = createServer((_request, response) => response.writeHead(204).end());
    const path = `\0health-controller-${process.pid}`;
    inner.listen(path);
    await once(inner, 'listening');
    later(() => new Promise((resolve) => inner.close(resolve)));
    const services = observe(
      1,
      { ...CHECKED, host: 'inside' },
      {
        relay: async (_target, signal) => {
          const socket = connect(path);
          await once(socket, 'connect', { signal });
          return socket;
        },
      },
    );
    expect(await first(services)).toMatchObject({ state: 'healthy', httpStatusCode: 204 });
  });
});
