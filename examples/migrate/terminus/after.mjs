// The same with health-controller. /healthz stays where it was, as readiness; /livez is new, and stays green in the drain.
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Controller } from 'health-controller';
import { createHealthHandler, httpService } from 'health-controller/http';

const database = { query: async () => 1, close: async () => console.log('the database is closed') };

const controller = new Controller({
  signals: true,
  drainDelayMs: Number(process.env.DRAIN_MS ?? 5000), // beforeShutdown
  shutdownTimeoutMs: 10_000, // timeout, over the clean-up too
});

// onSignal: services stop in the reverse order of their registration, so the database goes last.
controller.register('database', { stop: () => database.close() });
controller.registerCheck({
  name: 'query',
  check: async () => void (await database.query('select 1')),
  intervalMs: 5000,
});

const health = createHealthHandler(controller, { paths: { readiness: '/healthz' } });
const server = createServer(async (request, response) => {
  if (health(request, response)) return;
  await sleep(200);
  response.end('done');
});
const port = Number(process.env.PORT ?? 8080);
controller.register('http', httpService(server, { port, controller, logger: console }));

controller.start();
const { exitCode } = await controller.wait();
console.log('ended'); // onShutdown
process.exitCode = exitCode; // useExit0: the process ends by itself
