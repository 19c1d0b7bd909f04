// An Express application that loses no request when it is replaced: `node examples/express/main.mjs`, then
// `curl localhost:8080/readyz`, then Ctrl-C. PORT and DRAIN_MS are read from the environment.
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import express from 'express';
import { Controller, degraded } from 'health-controller';
import { fromLoopback, healthRouter } from 'health-controller/express';
import { httpService } from 'health-controller/http';

const port = Number(process.env.PORT ?? 8080);
const controller = new Controller({
  signals: true,
  // While load balancers notice that /readyz has turned 503, everything is still served.
  drainDelayMs: Number(process.env.DRAIN_MS ?? 5000),
  reportRunState: true,
});

const app = express();
// First of all: neither authentication nor a rate limit may answer a probe.
app.use(healthRouter(controller, { details: fromLoopback() }));
app.get('/work', async (_request, response) => {
  await sleep(200);
  response.send('done');
});
// Nothing that begins with a probe's path ends here.
app.use((_request, response) => {
  response.status(404).send('no such page');
});

let cacheWarm = false;
controller.registerCheck({
  name: 'cache',
  critical: false,
  check: () => (cacheWarm ? true : degraded('still warming up', undefined, 'warming_up')),
});
controller.register('http', httpService(createServer(app), { port, controller, logger: console }));
controller.start();

await controller.whenReady();
cacheWarm = true;
const outcome = await controller.wait();
console.log(`ended: ${outcome.cause}, exit code ${outcome.exitCode}`);
process.exitCode = outcome.exitCode;
