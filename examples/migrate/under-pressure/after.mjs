// The same with health-controller, and a drain before the application closes. The status route stays where it was.
import fastify from 'fastify';
import { Controller } from 'health-controller';
import { healthPlugin } from 'health-controller/fastify';
import { httpService } from 'health-controller/http';
import { eventLoopDelay } from 'health-controller/presets';

const database = { query: async () => 1 };

const controller = new Controller({
  signals: true,
  drainDelayMs: Number(process.env.DRAIN_MS ?? 5000),
  reportRunState: true,
});
// maxEventLoopDelay, maxRssBytes, healthCheck
controller.registerCheck(eventLoopDelay({ unhealthyAboveMs: 250, intervalMs: 1000 }));
controller.registerCheck({ name: 'memory', check: () => process.memoryUsage.rss() < 2e9 });
controller.registerCheck({
  name: 'database',
  check: async () => (await database.query('select 1')) === 1,
  intervalMs: 5000,
});

const app = fastify();
await app.register(healthPlugin, { reporter: controller });
// Shedding load is for the application to decide: here, as before, nothing is served while the loop is late.
app.addHook('onRequest', async (_request, reply) => {
  if (controller.checkResult('event-loop-delay')?.status !== 'unhealthy') return;
  return reply.code(503).header('retry-after', 10).send({ error: 'Service Unavailable' });
});
app.get('/work', async () => 'done');
app.get('/block', async () => {
  const until = performance.now() + 1500;
  while (performance.now() < until);
  return 'blocked';
});

const port = Number(process.env.PORT ?? 8080);
controller.register('http', httpService(app, { port, controller, logger: console }));
controller.start();
process.exitCode = (await controller.wait()).exitCode;
