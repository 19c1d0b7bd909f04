import { EventEmitter } from 'node:events';
import type { Server } from 'node:http';
import { PassThrough } from 'node:stream';
import { expect, it, vi } from 'vitest';
import { makeGateway } from './doubles.js';

// As where the optional peer is not installed.
vi.mock('ws', () => {
  throw new Error("Cannot find package 'ws'");
});

it('everything but WebSockets works without ws, and attachWebSocket() says what is missing', async () => {
  const { gateway } = makeGateway();
  expect((await gateway.snapshot()).phase).toBe('ready');
  const server = new EventEmitter() as Server;
  const attached = gateway.attachWebSocket(server);
  expect(server.listenerCount('upgrade')).toBe(1);
  const early = new PassThrough();
  server.emit('upgrade', { url: '/api/health/ws', headers: {} }, early, Buffer.alloc(0));
  await expect(attached).rejects.toMatchObject({
    code: 'invalid_option',
    message: expect.stringMatching(/^attachWebSocket\(\): expected the package ws to be installed/),
  });
  expect(server.eventNames()).toEqual([]);
  await vi.waitFor(() => expect(early.destroyed).toBe(true));
});
