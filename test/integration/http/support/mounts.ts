import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import express from 'express';
import express4 from 'express4';
import fastify, { type FastifyInstance } from 'fastify';
import fastify4 from 'fastify4';
import { Hono } from 'hono';
import { healthRouter } from '../../../../src/http/express.js';
import { healthPlugin } from '../../../../src/http/fastify.js';
import { createFetchHandler } from '../../../../src/http/fetch.js';
import { createHealthHandler, type HealthReporter, type ReportPage } from '../../../../src/http/index.js';
import type { PolicyRequest } from '../../../../src/http/policies.js';
import type { Clock, Logger } from '../../../../src/index.js';

/** Options that every adapter takes. */
export interface CommonOptions {
  readonly basePath?: string;
  readonly paths?: { liveness?: string | false; readiness?: string | false; status?: string | false };
  readonly codes?: { healthy?: number; degraded?: number; unhealthy?: number };
  readonly details?: 'never' | 'always' | ((request: PolicyRequest) => boolean | Promise<boolean>);
  readonly logger?: Logger;
  readonly clock?: Clock;
  readonly page?: ReportPage;
}

/** A running application with health endpoints in it; whatever is not theirs is its catch-all page. */
export interface Mounted {
  readonly origin: string;
  close(): Promise<void>;
}

/** `prefix` is put before the paths by means of the framework: an Express mount point, a Fastify prefix. */
export type Mount = (reporter: HealthReporter, options: CommonOptions, prefix?: string) => Promise<Mounted>;

export const PAGE = '<h1>the application</h1>';

function catchAll(_request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/html' });
  response.end(PAGE);
}

export async function listening(server: Server): Promise<Mounted> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const node: Mount = (reporter, options, prefix = '') => {
  const health = createHealthHandler(reporter, { ...options, basePath: `${prefix}/${options.basePath ?? ''}` });
  return listening(
    createServer((request, response) => {
      if (!health(request, response)) catchAll(request, response);
    }),
  );
};

export const expressWith =
  (make: typeof express): Mount =>
  (reporter, options, prefix = '/') => {
    const app = make();
    app.use(prefix, healthRouter(reporter, options));
    app.use((_request, response) => {
      response.send(PAGE);
    });
    return listening(createServer(app));
  };

export const fastifyWith =
  (make: () => FastifyInstance): Mount =>
  async (reporter, options, prefix) => {
    const app = make();
    await app.register(healthPlugin, { reporter, ...options, ...(prefix === undefined ? {} : { prefix }) });
    app.all('/*', (_request, reply) => reply.type('text/html').send(PAGE));
    await app.listen({ port: 0, host: '127.0.0.1' });
    const { port } = app.server.address() as AddressInfo;
    return {
      origin: `http://127.0.0.1:${port}`,
      close: async () => {
        app.server.closeAllConnections();
        await app.close();
      },
    };
  };

const hono: Mount = (reporter, options, prefix = '') => {
  const health = createFetchHandler(reporter, { ...options, basePath: `${prefix}/${options.basePath ?? ''}` });
  const app = new Hono();
  app.use((context, next) => health(context.req.raw) ?? next());
  app.all('*', (context) => context.html(PAGE));
  return listening(createAdaptorServer({ fetch: app.fetch }) as Server);
};

/** Every way in which a server of Node can have the endpoints. */
export const MOUNTS: readonly (readonly [name: string, mount: Mount])[] = [
  ['node:http', node],
  ['Express 5', expressWith(express)],
  ['Express 4', expressWith(express4)],
  ['Fastify 5', fastifyWith(() => fastify())],
  ['Fastify 5 without exposeHeadRoutes', fastifyWith(() => fastify({ exposeHeadRoutes: false }))],
  ['Fastify 5 with ignoreTrailingSlash', fastifyWith(() => fastify({ routerOptions: { ignoreTrailingSlash: true } }))],
  ['Fastify 4', fastifyWith(() => fastify4() as unknown as FastifyInstance)],
  [
    'Fastify 4 without exposeHeadRoutes',
    fastifyWith(() => fastify4({ exposeHeadRoutes: false }) as unknown as FastifyInstance),
  ],
  ['fetch, in Hono', hono],
];
