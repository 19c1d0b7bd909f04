import { createServer, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { gzipSync } from 'node:zlib';
import { WebSocket as UndiciWebSocket } from 'undici';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import {
  HealthMonitor,
  HealthPoller,
  type HealthPollerOptions,
  type PollerEventName,
} from '../../../src/client/index.js';
import { until } from '../gateway/support/worker.js';
import { GatewayWorker } from './support/worker.js';

const ends: (() => Promise<unknown> | unknown)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const NAMES: readonly PollerEventName[] = ['running', 'degraded', 'recovered', 'lost', 'found'];

function follow(options: Partial<HealthPollerOptions> & Pick<HealthPollerOptions, 'url'>) {
  const poller = new HealthPoller({
    intervalMs: 200,
    timeoutMs: 1000,
    maxBackoffMs: 200,
    lostAfterMs: 1500,
    webSocket: WebSocket,
    ...options,
  });
  ends.push(() => poller.stop());
  const told: string[] = [];
  for (const name of NAMES) poller.on(name, () => void told.push(name));
  return { poller, told, transport: () => poller.state.transport };
}

async function worker(): Promise<GatewayWorker> {
  const made = await GatewayWorker.start();
  ends.push(() => made.gone());
  return made;
}

describe('a poller of a real gateway', () => {
  it('follows it through a start, a flip, a broken WebSocket, HTTP, a loss and a return', async () => {
    const gateway = await worker();
    gateway.starting = true;
    const { poller, told, transport } = follow({ url: gateway.url });
    poller.start();
    await until('snapshots come by WebSocket', () => transport() === 'websocket');
    expect(poller.state).toMatchObject({ instanceStatus: 'provisioning', verdict: 'provisioning', reachable: true });
    const running = poller.whenRunning({ timeoutMs: 20_000 });
    gateway.starting = false;
    expect(await running).toBe(true);
    expect(gateway.requests).toEqual([]);

    gateway.starting = true;
    await until('degraded', () => told.includes('degraded'));
    expect(poller.state).toMatchObject({
      instanceStatus: 'running',
      verdict: 'degraded',
      snapshot: { phase: 'degraded' },
    });
    gateway.starting = false;
    await until('recovered', () => told.includes('recovered'));

    gateway.reset();
    await until('HTTP is asked', () => gateway.requests.length > 0);
    await until('the WebSocket is back', () => transport() === 'websocket');
    expect(told).toEqual(['running', 'degraded', 'recovered']);

    await gateway.gone();
    await until('it is unreachable', () => !poller.state.reachable);
    expect(poller.state.error).toMatch(/^the request failed \(ECONN(REFUSED|RESET)\)$/);
    await until('it is lost', () => told.includes('lost'));
    await gateway.listen({ webSocket: false });
    await until('it is found by HTTP', () => told.includes('found'));
    await until('it is polled', () => transport() === 'http' && poller.state.reachable);
    expect(told).toEqual(['running', 'degraded', 'recovered', 'lost', 'found']);
    expect(poller.state.webSocketError).toContain('it could not be opened');

    await poller.stop();
    const { length } = gateway.requests;
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(gateway.requests).toHaveLength(length);
  });

  it('leaves no WebSocket open when it stops', async () => {
    const gateway = await worker();
    const { poller, transport } = follow({ url: gateway.url });
    poller.start();
    await until('snapshots come by WebSocket', () => transport() === 'websocket');
    await poller.stop();
    await until('the connection is closed', () => gateway.connections === 0, 3000);
  });

  // Node has the class of undici as its global from 22 on.
  it.each([
    ['ws', WebSocket],
    ['undici', UndiciWebSocket],
  ])(
    'with the WebSocket of %s sends its headers, comes back after a break, and leaves nothing',
    async (_, webSocket) => {
      const gateway = await worker();
      const { poller, transport } = follow({
        url: gateway.url.replace('//', '//user:pw@'),
        headers: { 'x-token': 'abc' },
        webSocket,
      });
      poller.start();
      await until('snapshots come by WebSocket', () => transport() === 'websocket');
      gateway.reset();
      await until('it is given up', () => transport() === 'http');
      await until('the WebSocket is back', () => transport() === 'websocket');
      expect(gateway.upgrades.map((headers) => [headers['x-token'], headers.authorization])).toEqual(
        gateway.upgrades.map(() => ['abc', `Basic ${btoa('user:pw')}`]),
      );
      expect(gateway.upgrades.length).toBeGreaterThanOrEqual(2);
      await poller.stop();
      const open = () => gateway.webSockets;
      await until('the WebSocket is closed', () => open() === 0, 3000);
    },
  );

  it('asks passively, by both ways', async () => {
    const gateway = await worker();
    const { poller, transport } = follow({ url: gateway.url, passive: true });
    poller.start();
    await until('snapshots come by WebSocket', () => transport() === 'websocket');
    await poller.poll();
    expect(gateway.requests).toEqual(['/api/health?passive=1']);
  });

  it('reads what an adapter answers with 503', async () => {
    const gateway = await worker();
    gateway.alive = false;
    const { poller } = follow({ url: gateway.url, webSocket: false });
    expect(await poller.poll()).toMatchObject({ ok: true, verdict: 'provisioning' });
  });
});

/** A server that answers HTTP with whatever it is told to. */
async function serve(listener: Parameters<typeof createServer>[1]): Promise<{ server: Server; url: string }> {
  const server = createServer(listener);
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  ends.push(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

describe('what is no gateway is refused:', () => {
  it('a redirect is not followed', async () => {
    const asked: string[] = [];
    const { url } = await serve((request, response) => {
      asked.push(request.url ?? '');
      response.writeHead(302, { location: '/elsewhere' }).end();
    });
    const { poller } = follow({ url, webSocket: false });
    expect(await poller.poll()).toEqual({
      ok: false,
      error: 'the answer (HTTP 302) is a redirect, and none is followed',
    });
    expect(asked).toEqual(['/api/health']);
  });

  it('a body without end is read up to its limit, and the connection given up', async () => {
    let sent = 0;
    let closed = false;
    const { url } = await serve((_, response) => {
      response.on('close', () => {
        closed = true;
      });
      const more = (): void => {
        if (response.destroyed) return;
        sent += 16_384;
        if (response.write(' '.repeat(16_384))) setImmediate(more);
        else response.once('drain', more);
      };
      more();
    });
    const { poller } = follow({ url, webSocket: false, timeoutMs: 10_000 });
    expect(await poller.poll()).toMatchObject({ error: 'the answer (HTTP 200) is longer than 65536 bytes' });
    await until('the connection is closed', () => closed);
    expect(sent).toBeLessThan(8_000_000);
  });

  it('a body that unpacks to a thousand times its size is unpacked no further than the limit', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024, ' '));
    const { url } = await serve((_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip', 'content-type': 'application/json' }).end(bomb);
    });
    const { poller } = follow({ url, webSocket: false, timeoutMs: 10_000 });
    const before = process.memoryUsage().arrayBuffers;
    expect(await poller.poll()).toMatchObject({ error: 'the answer (HTTP 200) is longer than 65536 bytes' });
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(8 * 1024 * 1024);
  });

  it.each([
    ['no HTTP', 'SSH-2.0-OpenSSH_9.2\r\n'],
    ['headers without end', `HTTP/1.1 200 OK\r\n${'x: y\r\n'.repeat(100_000)}`],
    ['two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\n{}'],
    ['a body that is cut off', 'HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n{"ts":'],
    ['a broken chunk', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n'],
  ])('%s is a failed request', async (_, bytes) => {
    const server = createTcpServer((socket) => {
      socket.on('error', () => {});
      socket.end(bytes);
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    ends.push(() => server.close());
    const { port } = server.address() as AddressInfo;
    const { poller } = follow({ url: `http://127.0.0.1:${port}`, webSocket: false, timeoutMs: 5000 });
    const result = await poller.poll();
    expect(result.ok ? undefined : result.error).toMatch(/^the request failed( \([A-Z_]+\))?$/);
  });

  it('one that trickles is given up at the timeout', async () => {
    const { url } = await serve((_, response) => {
      const timer = setInterval(() => response.write(' '), 50);
      response.on('close', () => clearInterval(timer));
    });
    const { poller } = follow({ url, webSocket: false, timeoutMs: 500 });
    expect(await poller.poll()).toEqual({ ok: false, error: 'no answer within 500 ms' });
  });

  it('what accepts and says nothing is given up at the timeout', async () => {
    const server = createTcpServer(() => {}).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    ends.push(() => server.close());
    const { port } = server.address() as AddressInfo;
    const { poller } = follow({ url: `http://127.0.0.1:${port}`, timeoutMs: 300 });
    poller.start();
    await until('the WebSocket is given up', () => poller.state.webSocketError !== undefined);
    await until('HTTP is given up', () => poller.state.error === 'no answer within 300 ms');
    await poller.stop();
  });

  it.each([
    ['too big', () => 'x'.repeat(1_000_000), /it (failed|was closed)/],
    ['no snapshot', () => '{"ok":true}', /a message is no snapshot/],
    ['binary', () => Buffer.from('{}'), /a message that is no text/],
  ])('a WebSocket whose messages are %s is dropped for HTTP', async (_, message, why) => {
    const gateway = await GatewayWorker.start();
    ends.push(() => gateway.gone());
    const { server, url } = await serve((_request, response) => void response.writeHead(204).end());
    const sockets = new WebSocketServer({ server });
    let closed = 0;
    sockets.on('connection', (socket) => {
      socket.on('error', () => {});
      socket.on('close', () => closed++);
      socket.send(message());
    });
    const { poller } = follow({ url: gateway.url, webSocketUrl: url.replace('http', 'ws') });
    poller.start();
    await until('HTTP is used', () => poller.state.transport === 'http' && poller.state.reachable);
    expect(poller.state.webSocketError).toMatch(why);
    await until('it is closed', () => closed > 0);
  });

  it('a WebSocket that floods is dropped for HTTP', async () => {
    const gateway = await worker();
    const snapshot = JSON.stringify(await (await fetch(`${gateway.url}/api/health`)).json());
    const { server, url } = await serve((_request, response) => void response.writeHead(204).end());
    new WebSocketServer({ server }).on('connection', (socket) => {
      socket.on('error', () => {});
      for (let i = 0; i < 500; i++) socket.send(snapshot);
    });
    const { poller } = follow({ url: gateway.url, webSocketUrl: url.replace('http', 'ws') });
    let snapshots = 0;
    poller.once('unreachable', () => expect.fail('it was reachable all the time'));
    poller.on('snapshot', () => {
      if (poller.state.transport === 'websocket') snapshots++;
    });
    poller.start();
    await until('it is dropped', () => poller.state.webSocketError !== undefined);
    expect(poller.state.webSocketError).toContain('more than 100 messages in a second');
    expect(snapshots).toBe(100);
  });
});

it('a monitor follows many real gateways, one of which goes', async () => {
  const workers = await Promise.all(Array.from({ length: 12 }, worker));
  const monitor = new HealthMonitor({ intervalMs: 200, maxConcurrent: 4, maxBackoffMs: 200, timeoutMs: 2000 });
  ends.push(() => monitor.stop());
  const unreachable = new Set<string>();
  monitor.on('unreachable', ({ instance }) => unreachable.add(instance));
  for (const [index, { url }] of workers.entries()) monitor.add({ id: `w${index}`, url });
  monitor.start();
  await until('all run', () => monitor.list().every(({ instanceStatus }) => instanceStatus === 'running'));
  await workers[3]?.gone();
  await until('one is unreachable', () => monitor.get('w3')?.reachable === false);
  await workers[3]?.listen();
  await until('it is back', () => monitor.get('w3')?.reachable === true);
  expect([...unreachable]).toEqual(['w3']);
});
