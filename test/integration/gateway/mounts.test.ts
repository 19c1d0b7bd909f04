import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import express from 'express';
import express4 from 'express4';
import fastify, { type FastifyInstance } from 'fastify';
import fastify4 from 'fastify4';
import { Hono } from 'hono';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { bearerToken, Gateway, type GatewayHandlerOptions } from '../../../src/presets/gateway/index.js';
import { ask } from '../http/support/ask.js';
import { listening, PAGE } from '../http/support/mounts.js';

type NodeServer = ReturnType<typeof createServer>;

interface Mounted {
  readonly origin: string;
  readonly server: NodeServer;
  close(): Promise<unknown>;
}

type Mount = (gateway: Gateway, options: GatewayHandlerOptions, prefix: string) => Promise<Mounted>;

const started = async (server: NodeServer): Promise<Mounted> => ({ server, ...(await listening(server)) });

const node: Mount = (gateway, options, prefix) => {
  const handle = gateway.handler({ ...options, basePath: prefix });
  return started(
    createServer((request, response) => {
      if (!handle(request, response)) response.end(PAGE);
    }),
  );
};

const expressWith =
  (make: typeof express): Mount =>
  (gateway, options, prefix) => {
    const app = make();
    app.use(`/${prefix}`, gateway.handler(options).router);
    app.use((_, response) => {
      response.send(PAGE);
    });
    return started(createServer(app));
  };

const fastifyWith =
  (make: () => FastifyInstance): Mount =>
  async (gateway, options, prefix) => {
    const app = make();
    await app.register(gateway.handler(options).plugin, { prefix });
    app.all('/*', (_, reply) => reply.type('text/html').send(PAGE));
    await app.listen({ port: 0, host: '127.0.0.1' });
    const { port } = app.server.address() as AddressInfo;
    return {
      origin: `http://127.0.0.1:${port}`,
      server: app.server,
      close: () => {
        app.server.closeAllConnections();
        return app.close();
      },
    };
  };

const hono: Mount = (gateway, options, prefix) => {
  const { fetch: handle } = gateway.handler({ ...options, basePath: prefix });
  const app = new Hono();
  app.use(async (context, next) => (await handle(context.req.raw)) ?? next());
  app.all('*', (context) => context.html(PAGE));
  return started(createAdaptorServer({ fetch: app.fetch }) as NodeServer);
};

const MOUNTS: readonly [string, Mount][] = [
  ['node:http', node],
  ['Express 5', expressWith(express)],
  ['Express 4', expressWith(express4)],
  ['Fastify 5', fastifyWith(() => fastify())],
  ['Fastify 4', fastifyWith(() => fastify4() as unknown as FastifyInstance)],
  ['fetch, in Hono', hono],
];

describe.each(MOUNTS)('mounted in %s', (_, mount) => {
  let mounted: Mounted | undefined;
  afterEach(() => mounted?.close());

  const start = async (prefix = '') => {
    const done: string[] = [];
    const gateway = new Gateway({
      fetch: async () => new Response('{"ok":true}'),
      processes: () => [{ id: '7', command: 'openclaw-gateway', status: 'running' }],
      scheduleBackup: () => done.push('backup'),
      stopGateway: () => done.push('stop'),
      ensureGateway: () => done.push('ensure'),
    });
    mounted = await mount(gateway, { authorize: bearerToken('s3cret'), details: bearerToken('s3cret') }, prefix);
    return { origin: mounted.origin, server: mounted.server, gateway, done };
  };

  it('the endpoint and its aliases answer, and nothing adds to their headers', async () => {
    const { origin, gateway } = await start();
    for (const path of ['/api/health', '/api/status/', '/api/admin/gateway/status/polling?x=1']) {
      const { status, headers, body } = await ask(origin, path);
      expect(status).toBe(200);
      const { ts, ...rest } = JSON.parse(body);
      expect(Date.parse(ts)).not.toBeNaN();
      expect(rest).toMatchObject({ phase: 'ready', processId: '7' });
      expect(headers).toMatchObject({
        'cache-control': 'no-store',
        'content-type': 'application/json; charset=utf-8',
        'x-content-type-options': 'nosniff',
        'content-length': String(body.length),
      });
      expect(headers).not.toHaveProperty('etag');
    }
    expect((await gateway.snapshot({ passive: true })).phase).toBe('ready');
  });

  it('HEAD is passive, GET is not', async () => {
    const { origin, done } = await start();
    const head = await ask(origin, '/api/health', { method: 'HEAD' });
    expect(head).toMatchObject({ status: 200, body: '' });
    expect(Number(head.headers['content-length'])).toBeGreaterThan(100);
    await ask(origin, '/api/health?passive=1');
    expect(done).toEqual([]);
    await ask(origin, '/api/health');
    expect(done).toEqual(['backup']);
  });

  it('a restart needs POST and the token, and takes a body that it does not read', async () => {
    const { origin, done } = await start();
    const path = '/api/admin/gateway/restart';
    const authorization = 'Bearer s3cret';
    expect((await ask(origin, path, { headers: { authorization } })).status).toBe(405);
    expect((await ask(origin, path, { method: 'POST' })).status).toBe(401);
    const form = { 'content-type': 'text/plain', cookie: 'session=1' };
    expect((await ask(origin, path, { method: 'POST', headers: form, body: '{}' })).status).toBe(401);
    expect(done).toEqual([]);
    const headers = { authorization, 'content-type': 'application/json' };
    const answer = await ask(origin, path, {
      method: 'POST',
      headers,
      body: JSON.stringify({ x: 'y'.repeat(100_000) }),
    });
    expect(answer).toMatchObject({ status: 200, body: '{"restart":"done"}' });
    expect(done).toEqual(['stop', 'ensure']);
  });

  it('every other path is left to the application', async () => {
    const { origin } = await start();
    for (const path of ['/', '/api/healthy', '/api/health/ws', '/api/health/x']) {
      expect((await ask(origin, path)).body).toBe(PAGE);
    }
  });

  it('it stands below a prefix of the framework', async () => {
    const { origin } = await start('gw');
    expect((await ask(origin, '/gw/api/health')).status).toBe(200);
    expect((await ask(origin, '/api/health')).body).toBe(PAGE);
  });

  it('many at a time share one look', async () => {
    const { origin } = await start();
    const answers = await Promise.all(Array.from({ length: 50 }, () => ask(origin, '/api/health')));
    expect(answers.every(({ status }) => status === 200)).toBe(true);
  });

  it('its server has the WebSocket too', async () => {
    const { origin, server, gateway } = await start();
    const sockets = await gateway.attachWebSocket(server);
    const client = new WebSocket(`${origin.replace('http', 'ws')}/api/health/ws`);
    const message = await new Promise<string>((resolve, reject) => {
      client.once('message', (text) => resolve(String(text)));
      client.once('error', reject);
    });
    expect(JSON.parse(message)).toMatchObject({ phase: 'ready' });
    await sockets.close();
  });
});
