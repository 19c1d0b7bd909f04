// A Hono application on Node: `node examples/hono/main.mjs`, then `curl localhost:8080/readyz`, then Ctrl-C.
// The middleware is the same on Bun, Deno and Workers; examples/fetch shows those without Hono.
import { setTimeout as sleep } from 'node:timers/promises';
import { createAdaptorServer } from '@hono/node-server';
import { Controller } from 'health-controller';
import { createFetchHandler } from 'health-controller/fetch';
import { httpService } from 'health-controller/http';
import { Hono } from 'hono';

const port = Number(process.env.PORT ?? 8080);
const controller = new Controller({
  signals: true,
  drainDelayMs: Number(process.env.DRAIN_MS ?? 5000),
  reportRunState: true,
});

const health = createFetchHandler(controller);
const app = new Hono();
app.use((context, next) => health(context.req.raw) ?? next());
app.get('/work', async (context) => {
  await sleep(200);
  return context.text('done');
});

const server = createAdaptorServer({ fetch: app.fetch });
controller.register('http', httpService(server, { port, controller, logger: console }));
controller.start();

const outcome = await controller.wait();
console.log(`ended: ${outcome.cause}, exit code ${outcome.exitCode}`);
process.exitCode = outcome.exitCode;
