// A Fastify application with health endpoints, whose own 503 begins only when the drain is over:
// `node examples/fastify/main.mjs`, then `curl localhost:8080/readyz`, then Ctrl-C.
import { setTimeout as sleep } from 'node:timers/promises';
import fastify from 'fastify';
import { Controller } from 'health-controller';
import { healthPlugin } from 'health-controller/fastify';
import { httpService } from 'health-controller/http';
import { eventLoopDelay } from 'health-controller/presets';

const port = Number(process.env.PORT ?? 8080);
const controller = new Controller({
  signals: true,
  drainDelayMs: Number(process.env.DRAIN_MS ?? 5000),
  reportRunState: true,
});

const app = fastify();
// With await, so that hooks that are added from here on come after it.
await app.register(healthPlugin, { reporter: controller });
app.addHook('onRequest', async (request, reply) => {
  if (request.headers['x-blocked'] !== undefined) return reply.code(403).send('blocked');
});
app.get('/work', async () => {
  await sleep(200);
  return 'done';
});
app.addHook('onClose', async () => console.log('Fastify closes'));

controller.registerCheck(eventLoopDelay({ degradedAboveMs: 500, critical: false }));
controller.register('http', httpService(app, { port, controller, logger: console }));
controller.start();

const outcome = await controller.wait();
console.log(`ended: ${outcome.cause}, exit code ${outcome.exitCode}`);
process.exitCode = outcome.exitCode;
