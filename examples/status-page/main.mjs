// A status page beside the health routes: `node examples/status-page/main.mjs`, open the address that it prints in a
// browser, then Ctrl-C. PORT is read from the environment. One of its checks fails for ten seconds of every thirty.
import { createServer } from 'node:http';
import { Controller, degraded, unhealthy } from 'health-controller';
import { createHealthHandler, fromLoopback, httpService } from 'health-controller/http';
import { controllerSource, createStatusPage } from 'health-controller/page';

const port = Number(process.env.PORT ?? 8080);
const controller = new Controller({ signals: true, reportRunState: true });

controller.registerCheck({
  name: 'queue',
  critical: false,
  check: () => degraded('1,204 messages wait', { waiting: 1204 }, 'backlog'),
});
controller.registerCheck({
  name: 'upstream',
  intervalMs: 1000,
  check: () => performance.now() % 30_000 < 20_000 || unhealthy('connect ECONNREFUSED 10.0.0.5:443', {}, 'connect'),
});

// Error texts and data are for who connects from this machine itself.
const page = createStatusPage({
  title: 'Orders',
  sources: [controllerSource(controller)],
  details: fromLoopback(),
  refreshIntervalMs: 2000,
});
const health = createHealthHandler(controller, { page });

const server = createServer((request, response) => {
  if (health(request, response)) return;
  response.writeHead(404).end();
});
controller.register('http', httpService(server, { port, host: '127.0.0.1', controller }));
controller.start();
await controller.whenReady();

const address = server.address();
console.log(`open http://127.0.0.1:${typeof address === 'object' ? address?.port : port}/status in a browser`);
const outcome = await controller.wait();
console.log(`ended: ${outcome.cause}, exit code ${outcome.exitCode}`);
process.exitCode = outcome.exitCode;
