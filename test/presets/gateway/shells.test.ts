import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import type { FastifyHost } from '../../../src/presets/gateway/index.js';
import { makeGateway } from './doubles.js';

const requestOf = (url: string | undefined, method = 'GET') =>
  Object.assign(new EventEmitter(), { url, method, headers: {}, rawHeaders: [] }) as unknown as IncomingMessage;

function makeResponse() {
  const written: unknown[] = [];
  const response = {
    destroyed: false,
    headersSent: false,
    writableEnded: false,
    writeHead: (status: number) => written.push(status),
    end: (body?: string) => written.push(body?.slice(0, 5)),
  };
  return { response: response as unknown as ServerResponse, written };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('the handler of node:http', () => {
  it('answers what is its own and says so', async () => {
    const { gateway } = makeGateway();
    const { response, written } = makeResponse();
    expect(gateway.handler()(requestOf('/api/health'), response)).toBe(true);
    await turn();
    expect(written).toEqual([200, '{"ts"']);
  });

  it.each(['/other', undefined])('touches nothing else (%s) and says so', async (url) => {
    const { gateway, world } = makeGateway();
    const { response, written } = makeResponse();
    expect(gateway.handler()(requestOf(url), response)).toBe(false);
    await turn();
    expect([...written, ...world.calls]).toEqual([]);
  });
});

it('the router of Express hands on what is not its own', async () => {
  const { gateway } = makeGateway();
  const { response, written } = makeResponse();
  let handedOn = 0;
  const { router } = gateway.handler();
  router(requestOf('/other'), response, () => handedOn++);
  expect(handedOn).toBe(1);
  router(requestOf('/api/health'), response, () => handedOn++);
  await turn();
  expect(handedOn).toBe(1);
  expect(written).toEqual([200, '{"ts"']);
});

it('the plugin of Fastify hooks into the instance it is registered with, below its prefix', async () => {
  const { gateway } = makeGateway();
  const { response, written } = makeResponse();
  const hooks: Parameters<FastifyHost['addHook']>[1][] = [];
  const instance: FastifyHost = { prefix: '/outer', addHook: (_, hook) => hooks.push(hook) };
  let done = 0;
  gateway.handler({ basePath: 'base' }).plugin(instance, { prefix: '/inner' }, () => done++);
  expect(done).toBe(1);
  let handedOn = 0;
  let hijacked = 0;
  const ask = (url: string | undefined): void => {
    const reply = { raw: response, hijack: () => hijacked++ };
    hooks[0]?.({ raw: requestOf(url), headers: {} }, reply, () => handedOn++);
  };
  ask('/api/health');
  ask(undefined);
  expect([handedOn, hijacked]).toEqual([2, 0]);
  ask('/outer/inner/base/api/health');
  await turn();
  expect([handedOn, hijacked]).toEqual([2, 1]);
  expect(written).toEqual([200, '{"ts"']);
});
