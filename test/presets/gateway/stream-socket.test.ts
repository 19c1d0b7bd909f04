import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { WebSocket } from 'ws';
import type { Observation } from '../../../src/presets/gateway/observation.js';
import { StreamSocket } from '../../../src/presets/gateway/stream-socket.js';

/** What of a WebSocket is used. */
class FakeSocket extends EventEmitter {
  readonly done: string[] = [];
  bufferedAmount = 0;
  readyState = 1;
  send(text: string): void {
    this.done.push(`send ${text}`);
  }
  ping(): void {
    this.done.push('ping');
  }
  close(code: number, reason: string): void {
    this.done.push(`close ${code} ${reason}`);
  }
  terminate(): void {
    this.done.push('terminate');
  }
}

const SEEN = { text: (details: boolean) => (details ? 'full' : 'masked') } as Observation;

function makeClient(details = false) {
  const socket = new FakeSocket();
  const closed: StreamSocket[] = [];
  const client = new StreamSocket(socket as unknown as WebSocket, details, 1000, (self) => closed.push(self));
  return { socket, client, closed };
}

describe('a client of a stream', () => {
  it('gets the text that it may see', () => {
    const [masked, full] = [makeClient(false), makeClient(true)];
    masked.client.show(SEEN);
    full.client.show(SEEN);
    expect(masked.socket.done).toEqual(['send masked']);
    expect(full.socket.done).toEqual(['send full']);
  });

  it('is dropped once more than it may leave unread is waiting for it', () => {
    const { client, socket } = makeClient();
    socket.bufferedAmount = 1000;
    client.show(SEEN);
    socket.bufferedAmount = 1001;
    client.show(SEEN);
    expect(socket.done).toEqual(['send masked', 'terminate']);
  });

  it.each([0, 2, 3])('gets nothing while its state is %i, not open', (readyState) => {
    const { client, socket } = makeClient();
    socket.readyState = readyState;
    client.show(SEEN);
    client.beat();
    expect(socket.done).toEqual([]);
  });

  it('is dropped when it has not answered a ping by the next one', () => {
    const { client, socket } = makeClient();
    client.beat();
    socket.emit('pong');
    client.beat();
    client.beat();
    expect(socket.done).toEqual(['ping', 'ping', 'terminate']);
  });

  it('is dropped when its connection breaks, and told of once it is closed', () => {
    const { client, socket, closed } = makeClient();
    socket.emit('error', new Error('ECONNRESET'));
    expect(socket.done).toEqual(['terminate']);
    socket.emit('close');
    expect(closed).toEqual([client]);
  });

  it('is closed as by an endpoint that goes away', () => {
    const { client, socket } = makeClient();
    client.leave();
    expect(socket.done).toEqual(['close 1001 going away']);
  });
});
