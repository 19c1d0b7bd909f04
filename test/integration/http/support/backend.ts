// A small service as it runs in production, in a process of its own: node backend.mjs PORT [DRAIN_MS].
import { createServer } from 'node:http';
import { createHealthHandler, httpService } from '../../../../src/http/index.js';
import { Controller } from '../../../../src/index.js';

const [, , port = '0', drainDelayMs = '0'] = process.argv;
const controller = new Controller({ signals: true, drainDelayMs: Number(drainDelayMs), reportRunState: true });
const health = createHealthHandler(controller);

const server = createServer((request, response) => {
  if (health(request, response)) return;
  // Requests that take a while are the ones that a careless restart cuts.
  const takesMs = request.url === '/slow' ? 300 : 5;
  setTimeout(() => {
    response.setHeader('X-Instance', `${port}/${process.pid}`);
    response.end('done');
  }, takesMs);
});

controller.register('http', httpService(server, { port: Number(port), host: '127.0.0.1', controller }));
let maintenance = false;
process.on('SIGUSR2', () => {
  maintenance = !maintenance;
  controller.setMaintenance(maintenance);
});
controller.start();
process.exitCode = (await controller.wait()).exitCode;
