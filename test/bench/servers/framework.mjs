// One application of a framework: bare, answering a constant of the same length, or with the health endpoints mounted.
// `framework.mjs CHECKS 0 NAME:bare|ours`
import { createServer } from 'node:http';
import { createAdaptorServer } from '@hono/node-server';
import express from 'express';
import express4 from 'express4';
import fastify from 'fastify';
import fastify4 from 'fastify4';
import { Controller } from 'health-controller';
import { healthRouter } from 'health-controller/express';
import { healthPlugin } from 'health-controller/fastify';
import { createFetchHandler } from 'health-controller/fetch';
import { Hono } from 'hono';
import { checksOf, count, mode, serve } from './serve.mjs';

const controller = new Controller();
for (const { name, check } of checksOf(count, 0)) controller.registerCheck({ name, check, intervalMs: 10_000 });
controller.start();
await controller.whenReady();

const ask = createFetchHandler(controller);
const constant = await (await ask(new Request('http://h/readyz'))).text();

const [name, which] = mode.split(':');
const ours = which === 'ours';

function ofExpress(make) {
  const app = make();
  if (ours) app.use(healthRouter(controller));
  else app.get('/readyz', (_request, response) => response.type('json').send(constant));
  return createServer(app);
}

async function ofFastify(make) {
  const app = make();
  if (ours) await app.register(healthPlugin, { reporter: controller });
  else app.get('/readyz', (_request, reply) => reply.type('application/json').send(constant));
  await app.ready();
  return app.server;
}

function ofHono() {
  const app = new Hono();
  if (ours) app.use((context, next) => ask(context.req.raw) ?? next());
  else app.get('/readyz', (context) => context.body(constant, 200, { 'Content-Type': 'application/json' }));
  return createAdaptorServer({ fetch: app.fetch });
}

const frameworks = {
  'Express 5': () => ofExpress(express),
  'Express 4': () => ofExpress(express4),
  'Fastify 5': () => ofFastify(fastify),
  'Fastify 4': () => ofFastify(fastify4),
  Hono: ofHono,
};
await serve(await frameworks[name]());
