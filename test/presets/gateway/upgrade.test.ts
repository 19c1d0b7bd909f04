import { EventEmitter } from 'node:events';
import type { Server } from 'node:http';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { onUpgrade } from '../../../src/presets/gateway/upgrade.js';
import { FakeClock } from '../../../src/testing/index.js';

function makeServer() {
  const clock = new FakeClock();
  const server = new EventEmitter() as Server;
  const off = onUpgrade(server, clock, () => false);
  const ask = () => {
    const socket = new PassThrough();
    server.emit('upgrade', { url: '/other', headers: {} }, socket, Buffer.alloc(0));
    return socket;
  };
  return { clock, server, off, ask };
}

describe('an upgrade that nobody takes', () => {
  it('is refused at once where nobody else listens', async () => {
    const { ask, clock } = makeServer();
    const socket = ask();
    expect(String(socket.read())).toMatch(/^HTTP\/1\.1 404 Not Found\r\nConnection: close\r\n/);
    expect(clock.pending).toBe(0);
  });

  it('is refused after ten seconds where others listen', async () => {
    const { ask, clock, server } = makeServer();
    server.on('upgrade', () => {});
    const socket = ask();
    await clock.advance(9999);
    expect(socket.readableLength).toBe(0);
    await clock.advance(1);
    expect(String(socket.read())).toMatch(/^HTTP\/1\.1 404 /);
  });

  it('is left alone where another has begun to read from it', async () => {
    const { ask, clock, server } = makeServer();
    const got: Buffer[] = [];
    server.on('upgrade', (_, socket) => socket.on('data', (piece) => got.push(piece)));
    ask();
    await clock.advance(60_000);
    expect(got).toEqual([]);
  });

  // Node hands over such a socket without any listener for its errors.
  it('harms nobody when its client resets the connection meanwhile', async () => {
    const { ask, clock, server } = makeServer();
    server.on('upgrade', () => {});
    const socket = ask();
    socket.destroy(new Error('ECONNRESET'));
    await clock.advance(0);
    expect(clock.pending).toBe(0);
  });
});

it('the listener goes when it is taken off', () => {
  const { server, off } = makeServer();
  off();
  expect(server.listenerCount('upgrade')).toBe(0);
});
