// @ts-check
// Runs in a folder in which the package is installed, under whatever runtime: every part that claims to need no Node is
// used once for real. Prints what it has seen, as JSON.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { Controller } from 'health-controller';
import { HealthMonitor, HealthPoller, memoryStore, SnapshotHistory } from 'health-controller/client';
import { createFetchHandler } from 'health-controller/fetch';
import { createHealthHandler } from 'health-controller/http';
import { controllerSource, createStatusPage } from 'health-controller/page';

const controller = new Controller();
controller.registerCheck({ name: 'sync', check: async () => {} });
controller.registerCheck({ name: 'polled', check: async () => {}, intervalMs: 1000 });
controller.registerCheck({ name: 'hung', check: () => new Promise(() => {}), timeoutMs: 50, type: 'liveness' });
controller.start();
const ready = await controller.whenReady({ timeoutMs: 5000 });
const { services } = await controller.liveness();

const health = createHealthHandler(controller);
const probe = { ok: true, status: 'success', latencyMs: 1 };
const snapshot = JSON.stringify({ ts: new Date().toISOString(), startup: probe, readiness: probe, liveness: probe });
const server = createServer((request, response) => {
  if (health(request, response)) return;
  response.setHeader('content-type', 'application/json');
  response.end(snapshot);
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const address = server.address();
const port = typeof address === 'object' && address !== null ? address.port : 0;
const base = `http://127.0.0.1:${port}`;

const status = async (/** @type {string} */ path) => (await fetch(base + path)).status;
const twice = await Promise.all([status('/readyz'), status('/readyz'), status('/livez')]);
const byFetch = await createFetchHandler(controller)(new Request('http://h/readyz'));

const poller = new HealthPoller({ url: `${base}/api/health` });
poller.start();
const running = await poller.whenRunning({ timeoutMs: 10_000 });
const { transport } = poller.state;
await poller.stop();

const history = new SnapshotHistory({ store: memoryStore() });
const monitor = new HealthMonitor();
history.attach(monitor);
monitor.add({ id: 'one', url: base });
const seen = new Promise((resolve) => monitor.once('running', resolve));
monitor.start();
await seen;
await monitor.stop();
await history.flush();
const row = await history.latest('one');
await history.close();

const page = createStatusPage({ sources: [controllerSource(controller)] });
const html = await (await page.fetch(new Request('http://h/status-page')))?.text();
page.close();

const required = createRequire(import.meta.url)('health-controller');
const { exitCode } = await controller.stop();
server.closeAllConnections();
await new Promise((resolve) => server.close(resolve));

console.log(
  JSON.stringify({
    ready,
    hung: services.find(({ name }) => name === 'hung')?.reason,
    twice,
    byFetch: byFetch?.status,
    running,
    transport,
    recorded: row?.readinessOk,
    page: html?.includes('<td') ?? false,
    required: typeof required.Controller,
    exitCode,
  }),
);
