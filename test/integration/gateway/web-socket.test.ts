import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ClientOptions, WebSocket, WebSocketServer } from 'ws';
import { httpService } from '../../../src/http/index.js';
import { Controller } from '../../../src/index.js';
import { Gateway, type GatewayOptions, type GatewaySnapshot } from '../../../src/presets/gateway/index.js';
import { until } from './support/worker.js';

let server: Server;
const clients = new Set<WebSocket>();

beforeEach(async () => {
  server = createServer((_, response) => response.end('the application'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(async () => {
  for (const client of clients) client.terminate();
  clients.clear();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

function makeGateway(options: GatewayOptions = {}) {
  const looks: number[] = [];
  const gateway = new Gateway({
    fetch: async () => new Response('{"ok":true}'),
    processes: () => {
      looks.push(performance.now());
      return [{ id: String(looks.length), command: 'openclaw-gateway', status: 'running' }];
    },
    ...options,
  });
  return { gateway, looks };
}

const portOf = (): number => (server.address() as AddressInfo).port;

/** A client that notes what it gets; `refused` is the status that it got instead. */
function listen(path = '/api/health/ws', options: ClientOptions = {}) {
  const socket = new WebSocket(`ws://127.0.0.1:${portOf()}${path}`, options);
  clients.add(socket);
  const snapshots: GatewaySnapshot[] = [];
  socket.on('error', () => {});
  socket.on('message', (text) => snapshots.push(JSON.parse(String(text))));
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.once('close', (code, reason) => resolve({ code, reason: String(reason) }));
  });
  const refused = new Promise<number>((resolve) => {
    socket.once('unexpected-response', (_, response) => {
      resolve(response.statusCode ?? 0);
      socket.terminate();
    });
  });
  const first = () => until('the first snapshot', () => snapshots.length > 0);
  return { socket, snapshots, closed, refused, first };
}

/** A client that has shaken hands and then does not do what a client does. */
async function shakeHands(): Promise<Socket> {
  const socket = connect(portOf(), '127.0.0.1');
  socket.on('error', () => {});
  socket.write(
    'GET /api/health/ws HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
      'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
  );
  await once(socket, 'data');
  return socket;
}

describe.each(['/api/health/ws', '/api/admin/gateway/status/ws', '/api/health/ws/?x=1'])('at %s', (path) => {
  it('a client gets a snapshot at once and one every interval', async () => {
    const { gateway } = makeGateway();
    await gateway.attachWebSocket(server, { pollIntervalMs: 50 });
    const { snapshots } = listen(path);
    await until('three snapshots', () => snapshots.length >= 3);
    expect(snapshots[0]).toMatchObject({ phase: 'ready', status: 'running' });
  });
});

it('200 clients at a time get the same snapshots, of one look per interval', async () => {
  const { gateway, looks } = makeGateway();
  const sockets = await gateway.attachWebSocket(server, { pollIntervalMs: 300 });
  const all = Array.from({ length: 200 }, () => listen());
  await Promise.all(all.map(({ first }) => first()));
  expect(sockets.clients).toBe(200);
  const before = looks.length;
  const beganAt = performance.now();
  await until('three more each', () => all.every(({ snapshots }) => snapshots.length >= 4));
  const intervals = Math.ceil((performance.now() - beganAt) / 300);
  expect(looks.length - before).toBeLessThanOrEqual(intervals + 1);
  const newest = all[0]?.snapshots.at(-1);
  await until('all have the newest', () => all.every(({ snapshots }) => snapshots.some(({ ts }) => ts === newest?.ts)));
});

it('nothing is polled without clients', async () => {
  const { gateway, looks } = makeGateway();
  const sockets = await gateway.attachWebSocket(server, { pollIntervalMs: 20 });
  await new Promise((resolve) => setTimeout(resolve, 150));
  expect(looks).toEqual([]);
  const client = listen();
  await client.first();
  client.socket.close();
  await client.closed;
  await until('it is gone', () => sockets.clients === 0);
  const { length } = looks;
  await new Promise((resolve) => setTimeout(resolve, 150));
  expect(looks).toHaveLength(length);
});

it('a passive client has nothing started, an activating one has', async () => {
  const done: string[] = [];
  const { gateway } = makeGateway({ processes: () => [], ensureGateway: () => done.push('ensure') });
  await gateway.attachWebSocket(server, { pollIntervalMs: 20 });
  const passive = listen('/api/health/ws?passive=1');
  await until('three', () => passive.snapshots.length >= 3);
  expect(done).toEqual([]);
  const active = listen();
  await active.first();
  await until('a start', () => done.length > 0);
});

it('a client that vanishes is forgotten', async () => {
  const { gateway } = makeGateway();
  const sockets = await gateway.attachWebSocket(server, { pollIntervalMs: 20 });
  const stays = listen();
  const vanishes = await shakeHands();
  await until('two', () => sockets.clients === 2);
  vanishes.resetAndDestroy();
  await until('one', () => sockets.clients === 1);
  const { length } = stays.snapshots;
  await until('the other goes on', () => stays.snapshots.length > length + 2);
});

it('a client that stalls is dropped by the heartbeat, and holds up nobody', async () => {
  const { gateway } = makeGateway();
  const sockets = await gateway.attachWebSocket(server, { pollIntervalMs: 50, heartbeatIntervalMs: 200 });
  const stalled = await shakeHands();
  stalled.pause();
  const well = listen();
  await well.first();
  await until('the stalled one is dropped', () => sockets.clients === 1);
  const { length } = well.snapshots;
  await until('the other goes on', () => well.snapshots.length > length + 2);
  expect(well.socket.readyState).toBe(WebSocket.OPEN);
  stalled.destroy();
});

it('a client for which too much waits is dropped, long before the memory is full', async () => {
  const { gateway } = makeGateway({
    processes: () => {
      throw new Error('x'.repeat(1000));
    },
  });
  const sockets = await gateway.attachWebSocket(server, {
    pollIntervalMs: 1,
    maxBufferedBytes: 20_000,
    details: 'always',
  });
  const stalled = await shakeHands();
  stalled.pause();
  await until('it is dropped', () => sockets.clients === 0, 45_000);
  stalled.destroy();
});

it('what clients send is ignored, but a flood ends their connection', async () => {
  const { gateway } = makeGateway();
  await gateway.attachWebSocket(server, { pollIntervalMs: 20 });
  const chatty = listen();
  await chatty.first();
  chatty.socket.send('hello');
  const { length } = chatty.snapshots;
  await until('it goes on', () => chatty.snapshots.length > length + 2);
  chatty.socket.send('x'.repeat(10_000));
  expect((await chatty.closed).code).toBeGreaterThanOrEqual(1006);
});

it('one client more than maxClients is refused with 503, until another leaves', async () => {
  const { gateway } = makeGateway();
  const sockets = await gateway.attachWebSocket(server, { maxClients: 2 });
  const two = [listen(), listen()];
  await Promise.all(two.map(({ first }) => first()));
  expect(await listen().refused).toBe(503);
  two[0]?.socket.close();
  await until('one is left', () => sockets.clients === 1);
  await listen().first();
});

it('clients that come at the same moment cannot exceed maxClients', async () => {
  const { gateway } = makeGateway();
  const details = (): Promise<boolean> => new Promise((resolve) => setTimeout(() => resolve(false), 50));
  const sockets = await gateway.attachWebSocket(server, { maxClients: 3, details });
  const all = Array.from({ length: 10 }, () => listen());
  await until('all are answered', async () => {
    const open = all.filter(({ socket }) => socket.readyState !== WebSocket.CONNECTING);
    return open.length === 10;
  });
  expect(sockets.clients).toBe(3);
});

describe('allowOrigin', () => {
  it('as a list takes those in it, and programs, which have none', async () => {
    const { gateway } = makeGateway();
    await gateway.attachWebSocket(server, { allowOrigin: ['https://admin.example'] });
    await listen('/api/health/ws', { origin: 'https://admin.example' }).first();
    await listen().first();
    expect(await listen('/api/health/ws', { origin: 'https://evil.example' }).refused).toBe(403);
  });

  it('as a function decides; one that throws says no', async () => {
    const { gateway } = makeGateway();
    await gateway.attachWebSocket(server, {
      allowOrigin: (origin) => {
        if (origin === undefined) throw new Error('no origin');
        return origin.endsWith('.example');
      },
    });
    await listen('/api/health/ws', { origin: 'https://a.example' }).first();
    expect(await listen('/api/health/ws', { origin: 'https://a.test' }).refused).toBe(403);
    expect(await listen().refused).toBe(403);
  });
});

it('error texts are withheld, but from whom the policy allows them', async () => {
  const { gateway } = makeGateway({ processes: () => Promise.reject(new Error('token s3cret')) });
  await gateway.attachWebSocket(server, { details: ({ headers }) => headers.authorization === 'Bearer x' });
  const anybody = listen();
  const admin = listen('/api/health/ws', { headers: { authorization: 'Bearer x' } });
  await Promise.all([anybody.first(), admin.first()]);
  expect(anybody.snapshots[0]?.readiness.error).toBe('the processes could not be listed');
  expect(admin.snapshots[0]?.readiness.error).toContain('s3cret');
});

describe('the end', () => {
  it('in the drain of the controller: a last snapshot, then the close code 1001, and no new clients', async () => {
    const { gateway, looks } = makeGateway();
    const controller = new Controller({ drainDelayMs: 500 });
    gateway.attach(controller);
    const sockets = await gateway.attachWebSocket(server, { pollIntervalMs: 60_000 });
    controller.start();
    const client = listen();
    await client.first();
    const { length } = looks;
    const stopped = controller.stop();
    const { code, reason } = await client.closed;
    expect({ code, reason }).toEqual({ code: 1001, reason: 'going away' });
    expect(client.snapshots).toHaveLength(2);
    expect(looks.length).toBe(length + 1);
    expect(controller.state).toBe('stopping');
    await sockets.close();
    expect(server.listenerCount('upgrade')).toBe(0);
    expect((await stopped).exitCode).toBe(0);
  });

  it('of a controller that is given to attachWebSocket() alone is the same', async () => {
    const { gateway } = makeGateway();
    const controller = new Controller();
    await gateway.attachWebSocket(server, { controller });
    controller.start();
    const client = listen();
    await client.first();
    await controller.stop();
    expect((await client.closed).code).toBe(1001);
  });

  it('lets a server stop that httpService runs', async () => {
    const { gateway } = makeGateway();
    const own = createServer();
    const controller = new Controller({ drainDelayMs: 100 });
    controller.register('http', httpService(own, { port: 0, host: '127.0.0.1', controller }));
    gateway.attach(controller);
    await gateway.attachWebSocket(own);
    controller.start();
    await controller.whenReady();
    const socket = new WebSocket(`ws://127.0.0.1:${(own.address() as AddressInfo).port}/api/health/ws`);
    await once(socket, 'message');
    const outcome = await controller.stop();
    expect(outcome).toMatchObject({ exitCode: 0, unfinished: [] });
    expect(outcome.durationMs).toBeLessThan(3000);
  });

  it('does not wait for who does not say goodbye', async () => {
    const { gateway } = makeGateway();
    const sockets = await gateway.attachWebSocket(server);
    const stalled = await shakeHands();
    stalled.pause();
    await until('it is there', () => sockets.clients === 1);
    const beganAt = performance.now();
    await sockets.close();
    expect(performance.now() - beganAt).toBeLessThan(3000);
    expect(sockets.clients).toBe(0);
    stalled.destroy();
  });

  it('refuses who comes while it says goodbye', async () => {
    const { gateway } = makeGateway();
    const sockets = await gateway.attachWebSocket(server);
    const stalled = await shakeHands();
    stalled.pause();
    await until('it is there', () => sockets.clients === 1);
    const closed = sockets.close();
    expect(await listen().refused).toBe(503);
    await closed;
    stalled.destroy();
  });

  it('may be asked for twice, and without clients', async () => {
    const { gateway } = makeGateway();
    const sockets = await gateway.attachWebSocket(server);
    await Promise.all([sockets.close(), sockets.close()]);
    expect(server.listenerCount('upgrade')).toBe(0);
    expect(server.listenerCount('close')).toBe(0);
  });
});

describe('an upgrade that is not ours', () => {
  it('is refused with 404 where nobody else listens for upgrades', async () => {
    const { gateway } = makeGateway();
    await gateway.attachWebSocket(server);
    expect(await listen('/chat').refused).toBe(404);
  });

  it('is left to who else listens', async () => {
    const { gateway } = makeGateway();
    await gateway.attachWebSocket(server);
    const chat = new WebSocketServer({ noServer: true });
    server.on('upgrade', (request, socket, head) => {
      if (request.url === '/chat') chat.handleUpgrade(request, socket, head, (client) => client.send('{"chat":true}'));
    });
    const chatting = listen('/chat');
    await chatting.first();
    expect(chatting.snapshots).toEqual([{ chat: true }]);
    await listen().first();
  });
});

it.each([
  ['no key', 'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13'],
  [
    'an old version',
    'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 7\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
  ],
  ['another protocol', 'Connection: Upgrade\r\nUpgrade: h2c'],
])('a handshake with %s is refused and harms nobody', async (_, headers) => {
  const { gateway } = makeGateway();
  const sockets = await gateway.attachWebSocket(server);
  const socket = connect(portOf(), '127.0.0.1');
  socket.write(`GET /api/health/ws HTTP/1.1\r\nHost: x\r\n${headers}\r\n\r\n`);
  const [answer] = (await once(socket, 'data')) as [Buffer];
  expect(String(answer)).toMatch(/^HTTP\/1\.1 4\d\d /);
  expect(sockets.clients).toBe(0);
  await listen().first();
  socket.destroy();
});

it('wrong options are refused', async () => {
  const { gateway } = makeGateway();
  for (const options of [
    { pollIntervalMs: 0 },
    { maxClients: 0 },
    { heartbeatIntervalMs: '30000' },
    { maxBufferedBytes: -1 },
    { allowOrigin: 'https://x' },
    { details: true },
    { controller: {} },
    { basePath: '/../x' },
    { intervalMs: 5 },
  ]) {
    await expect(gateway.attachWebSocket(server, options as object)).rejects.toMatchObject({ code: 'invalid_option' });
  }
  await expect(gateway.attachWebSocket({} as Server)).rejects.toMatchObject({ code: 'invalid_option' });
  expect(server.listenerCount('upgrade')).toBe(0);
});
