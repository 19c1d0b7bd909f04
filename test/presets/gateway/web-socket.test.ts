import { EventEmitter } from 'node:events';
import type { Server } from 'node:http';
import { PassThrough } from 'node:stream';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { Controller } from '../../../src/index.js';
import type { GatewayWebSocketOptions } from '../../../src/presets/gateway/index.js';
import { deferred, makeGateway } from './doubles.js';

/** A client that does what it is told to. */
class FakeSocket extends EventEmitter {
  readonly got: string[] = [];
  bufferedAmount = 0;
  readyState = 1;
  /** Whether it answers pings and goodbyes. */
  polite = true;
  send(text: string): void {
    this.got.push(text);
  }
  ping(): void {
    if (this.polite) this.emit('pong');
  }
  close(code: number): void {
    this.got.push(`close ${code}`);
    if (this.polite) this.gone();
  }
  terminate(): void {
    this.got.push('terminate');
    this.gone();
  }
  gone(): void {
    this.readyState = 3;
    this.emit('close', 1000, '');
  }
}

const made: FakeSocket[] = [];
const ws = vi.hoisted(() => ({ handleUpgrade: (_: (socket: unknown) => void): void => {} }));

vi.mock('ws', () => ({
  WebSocketServer: class {
    handleUpgrade(_: unknown, __: unknown, ___: unknown, callback: (socket: unknown) => void): void {
      ws.handleUpgrade(callback);
    }
  },
}));

beforeEach(() => {
  made.length = 0;
  ws.handleUpgrade = (callback) => {
    const socket = new FakeSocket();
    made.push(socket);
    callback(socket);
  };
});

async function attach(options: GatewayWebSocketOptions = {}) {
  const { gateway, world, clock } = makeGateway();
  const server = new EventEmitter() as Server;
  const sockets = await gateway.attachWebSocket(server, options);
  const come = async (url = '/api/health/ws', headers: object = {}) => {
    const socket = new PassThrough();
    server.emit('upgrade', { url, headers }, socket, Buffer.alloc(0));
    await clock.advance(0);
    return { socket, answer: String(socket.read() ?? '').split('\r\n')[0] };
  };
  return { gateway, world, clock, server, sockets, come };
}

const phases = (socket: FakeSocket | undefined): string[] =>
  (socket?.got ?? []).map((text) => (text.startsWith('{') ? JSON.parse(text).phase : text));

describe('a client', () => {
  it('gets a snapshot at once and one every five seconds', async () => {
    const { come, clock } = await attach();
    await come();
    await clock.advance(4999);
    expect(phases(made[0])).toEqual(['ready']);
    await clock.advance(1);
    expect(phases(made[0])).toEqual(['ready', 'ready']);
  });

  it('that does not answer a ping is dropped by the next one, thirty seconds later', async () => {
    const { come, clock, sockets } = await attach({ pollIntervalMs: 1_000_000 });
    await come();
    await come();
    if (made[0] !== undefined) made[0].polite = false;
    await clock.advance(59_999);
    expect(sockets.clients).toBe(2);
    await clock.advance(1);
    expect(sockets.clients).toBe(1);
    expect(phases(made[0])).toEqual(['ready', 'terminate']);
    await clock.advance(300_000);
    expect(sockets.clients).toBe(1);
  });

  it('that has gone leaves no timer behind, if it was the last one', async () => {
    const { come, clock, sockets } = await attach();
    await come();
    await come();
    made[0]?.gone();
    await clock.advance(1);
    expect(clock.pending).toBe(2);
    made[1]?.gone();
    expect(sockets.clients).toBe(0);
    expect(clock.pending).toBe(0);
    await come();
    await clock.advance(5000);
    expect(phases(made[2])).toEqual(['ready', 'ready']);
  });

  it.each([
    ['is of another origin', { allowOrigin: ['https://a.example'] }, { origin: 'https://b.example' }, '403 Forbidden'],
    ['a function refuses', { allowOrigin: () => false }, {}, '403 Forbidden'],
    ['a function that throws refuses', { allowOrigin: () => expect.unreachable() }, {}, '403 Forbidden'],
    ['is of no origin where a list is', { allowOrigin: ['https://a.example'] }, {}, ''],
    ['is of an origin of the list', { allowOrigin: ['https://a.example'] }, { origin: 'https://a.example' }, ''],
  ])('that %s is answered %#', async (_, options, headers, answer) => {
    const { come } = await attach(options as GatewayWebSocketOptions);
    expect((await come('/api/health/ws', headers)).answer).toBe(answer === '' ? '' : `HTTP/1.1 ${answer}`);
  });

  it('that is one too many gets 503, also while others are still on their way', async () => {
    const policy = deferred<boolean>();
    const { come, sockets, clock } = await attach({ maxClients: 2, details: () => policy.promise });
    await come();
    await come();
    expect((await come()).answer).toBe('HTTP/1.1 503 Service Unavailable');
    policy.resolve(true);
    await clock.advance(0);
    expect(sockets.clients).toBe(2);
  });

  it('whose socket another has taken harms nobody', async () => {
    const { come, sockets } = await attach();
    ws.handleUpgrade = () => {
      throw new Error('called more than once with the same socket');
    };
    const { socket } = await come();
    expect(socket.destroyed).toBe(true);
    expect(sockets.clients).toBe(0);
    expect(socket.listenerCount('error')).toBe(0);
  });
});

describe('the end', () => {
  it('comes with a last snapshot and a goodbye, and takes all listeners off', async () => {
    const { come, clock, sockets, server, world } = await attach();
    await come();
    await come('/api/health/ws?passive=1');
    world.processes = [];
    await sockets.close();
    expect(made.map(phases)).toEqual([
      ['ready', 'degraded', 'close 1001'],
      ['ready', 'degraded', 'close 1001'],
    ]);
    expect(server.eventNames()).toEqual([]);
    expect(clock.pending).toBe(0);
  });

  it('drops who does not answer the goodbye within a second, and takes nobody meanwhile', async () => {
    const { come, clock, sockets } = await attach();
    await come();
    if (made[0] !== undefined) made[0].polite = false;
    const closed = sockets.close();
    await clock.advance(999);
    expect(sockets.clients).toBe(1);
    expect((await come()).answer).toBe('HTTP/1.1 503 Service Unavailable');
    await clock.advance(1);
    await closed;
    expect(phases(made[0])).toEqual(['ready', 'ready', 'close 1001', 'terminate']);
  });

  it('refuses who is on the way when it comes', async () => {
    const policy = deferred<boolean>();
    const { come, sockets, clock } = await attach({ details: () => policy.promise });
    const { socket } = await come();
    const closed = sockets.close();
    policy.resolve(false);
    await clock.advance(0);
    await closed;
    expect(String(socket.read())).toMatch(/^HTTP\/1\.1 503 /);
  });

  it('comes with the server, and at once where the drain has already begun', async () => {
    const { server, sockets, clock } = await attach();
    server.emit('close');
    await clock.advance(0);
    expect(server.eventNames()).toEqual([]);
    await sockets.close();

    const { gateway } = makeGateway();
    const controller = new Controller();
    gateway.attach(controller);
    controller.start();
    await controller.stop();
    const late = new EventEmitter() as Server;
    const ended = await gateway.attachWebSocket(late);
    await ended.close();
    expect(late.eventNames()).toEqual([]);
  });

  it('waits for nobody once the controller is stopped', async () => {
    const { gateway, clock } = makeGateway();
    const server = new EventEmitter() as Server;
    const controller = new Controller({ clock });
    await gateway.attachWebSocket(server, { controller });
    controller.start();
    server.emit('upgrade', { url: '/api/health/ws', headers: {} }, new PassThrough(), Buffer.alloc(0));
    await clock.advance(0);
    if (made[0] !== undefined) made[0].polite = false;
    const stopped = controller.stop();
    await clock.advance(0);
    await stopped;
    expect(phases(made[0]).at(-1)).toBe('terminate');
    await clock.advance(0);
    expect(clock.pending).toBe(0);
    expect(server.eventNames()).toEqual([]);
  });
});
