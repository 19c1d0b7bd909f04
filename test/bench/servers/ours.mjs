import { createServer } from 'node:http';
import { Controller } from 'health-controller';
import { createHealthHandler } from 'health-controller/http';
import { checksOf, count, mode, serve, workMs } from './serve.mjs';

const controller = new Controller();
for (const { name, check } of checksOf(count, workMs)) {
  controller.registerCheck({ name, check, intervalMs: mode === 'cached' ? 10_000 : 0, timeoutMs: 1000 });
}
controller.start();
const health = createHealthHandler(controller);
await serve(createServer((request, response) => health(request, response) || response.writeHead(404).end()));
