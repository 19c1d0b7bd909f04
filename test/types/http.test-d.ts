import { createServer } from 'node:http';
import { createServer as createHttp2Server, type Http2ServerRequest } from 'node:http2';
import { createServer as createSecureServer } from 'node:https';
import express from 'express';
import fastify from 'fastify';
import { healthRouter } from '../../src/http/express.js';
import { healthPlugin } from '../../src/http/fastify.js';
import { createFetchHandler } from '../../src/http/fetch.js';
import { bearerToken, createHealthHandler, fromLoopback, httpService, serveHealth } from '../../src/http/index.js';
import { Controller } from '../../src/index.js';

const controller = new Controller();
const plain = {
  status: () => controller.status(),
  liveness: () => controller.liveness(),
  readiness: () => controller.readiness(),
};

// The ready-made policies fit everywhere.
createHealthHandler(plain, { details: fromLoopback() });
createFetchHandler(plain, { details: bearerToken('x') });
void serveHealth(plain, { port: 0, details: bearerToken('x') });
express().use(healthRouter(plain, { details: fromLoopback() }));
void fastify().register(healthPlugin, { reporter: plain, details: fromLoopback() });

// A policy sees the request of its framework.
createHealthHandler(plain, { details: (request) => request.socket.remoteAddress === '::1' });
createFetchHandler(plain, { details: (request) => request.headers.has('x') });
express().use('/internal', healthRouter(plain, { details: (request: express.Request) => request.ip === '::1' }));
express.Router().use(healthRouter(plain));
void fastify().register(healthPlugin, { reporter: plain, prefix: '/x', details: ({ ip }) => ip === '::1' });

// HTTP/2 and HTTPS too.
const overHttp2 = createHealthHandler<Http2ServerRequest>(plain);
createHttp2Server((request, response) => {
  if (!overHttp2(request, response)) response.end();
});
const handler = createHealthHandler(controller);
createSecureServer({}, (request, response) => void handler(request, response));

// A server or an application, as a fragment of a service.
controller.register('http', httpService(createServer(), { port: 0, controller }), { stopTimeoutMs: 5 });
controller.register('https', httpService(createSecureServer(), { port: 0 }));
controller.register('fastify', httpService(fastify(), { port: 0, host: 'localhost' }));

// @ts-expect-error a port is needed
void serveHealth(controller, { host: 'localhost' });
// @ts-expect-error not a port
void serveHealth(controller, { port: '80' });
// @ts-expect-error a misspelt policy
createHealthHandler(controller, { details: 'allways' });
// @ts-expect-error a policy answers yes or no
createHealthHandler(controller, { details: () => 'yes' });
// @ts-expect-error a misspelt kind
createHealthHandler(controller, { paths: { lifeness: '/x' } });
// @ts-expect-error true is no path
createHealthHandler(controller, { paths: { liveness: true } });
// @ts-expect-error no reporter
createHealthHandler({ status: plain.status });
// @ts-expect-error a secret is needed
bearerToken();
// @ts-expect-error a reporter is needed
void fastify().register(healthPlugin, { prefix: '/x' });
// @ts-expect-error no server
httpService(express(), { port: 0 });
