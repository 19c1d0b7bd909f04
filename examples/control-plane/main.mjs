// A control plane on one machine: five workers as child processes, a monitor that polls them, their history in SQLite, and a
// page that shows it all. `node examples/control-plane/main.mjs`, open the address that it prints in a browser, then Ctrl-C.
// Every half a minute one of the workers crashes and is started again. PORT and DATABASE (a file, otherwise in memory) are
// read from the environment. With --once it ends by itself when it has seen a crash and the recovery from it.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { Controller, withRestartPolicy } from 'health-controller';
import { HealthMonitor, SnapshotHistory, sqliteStore } from 'health-controller/client';
import { fromLoopback, serveHealth } from 'health-controller/http';
import { controllerSource, createStatusPage, monitorSource } from 'health-controller/page';
import { childProcess } from 'health-controller/presets';

const WORKER = fileURLToPath(new URL('worker.mjs', import.meta.url));
const IDS = ['alpha', 'bravo', 'charlie', 'delta', 'echo'];
const isOnce = process.argv.includes('--once');
const beganAt = performance.now();
/** @param {string} text */
const tell = (text) => console.log(`${((performance.now() - beganAt) / 1000).toFixed(1).padStart(6)} s  ${text}`);

const freePort = async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return typeof address === 'object' && address !== null ? address.port : 0;
};
/** @type {Map<string, string>} */
const urls = new Map();
for (const id of IDS) urls.set(id, `http://127.0.0.1:${await freePort()}`);

const controller = new Controller({ signals: true, reportRunState: true });
controller.on('service', ({ service, kind, restarts }) => tell(`worker ${service}: ${kind}, restarts: ${restarts}`));

for (const [id, url] of urls) {
  const process_ = childProcess({
    command: process.execPath,
    args: [WORKER, new URL(url).port],
    readyWhen: { http: `${url}/api/health?passive=1` },
  });
  // Slow enough that the crash can be seen from outside.
  controller.register(id, process_, withRestartPolicy({ initialBackoffMs: 2500 }));
}

// What the workers say themselves, as it is seen from outside.
const monitor = new HealthMonitor({ passive: true, intervalMs: 500, maxBackoffMs: 500 });
for (const [id, url] of urls) monitor.add({ id, url: `${url}/api/health` });
for (const event of /** @type {const} */ (['running', 'degraded', 'recovered', 'lost', 'found'])) {
  monitor.on(event, ({ instance }) => tell(`monitor: ${instance} is ${event}`));
}

const database = new Database(process.env.DATABASE ?? ':memory:');
const history = new SnapshotHistory({ store: sqliteStore(database), retentionMs: 7 * 86_400_000 });
history.attach(monitor);

const page = createStatusPage({
  title: 'Control plane',
  sources: [monitorSource(monitor, { name: 'Workers' }), controllerSource(controller, { name: 'This process' })],
  details: fromLoopback(),
  refreshIntervalMs: 1000,
});
const health = await serveHealth(controller, { port: Number(process.env.PORT ?? 0), host: '127.0.0.1', page });
tell(`open ${health.url}/status in a browser`);

controller.start();
await controller.whenReady();
monitor.start();

const crash = (/** @type {string} */ id) => {
  tell(`worker ${id} crashes`);
  // It goes without an answer.
  fetch(`${urls.get(id)}/crash`).catch(() => {});
};
/** The next event of a monitor about one worker. @param {'running' | 'recovered'} event @param {string} id */
const seen = (event, id) =>
  new Promise((resolve) => {
    const end = monitor.on(event, ({ instance }) => {
      if (instance !== id) return;
      end();
      resolve(undefined);
    });
  });

if (isOnce) {
  await Promise.all(IDS.map((id) => seen('running', id)));
  const recovered = seen('recovered', 'charlie');
  crash('charlie');
  await recovered;
  await controller.stop('it has been seen');
} else {
  let next = 0;
  const crashes = setInterval(() => crash(IDS[next++ % IDS.length] ?? 'alpha'), 30_000);
  await controller.wait();
  clearInterval(crashes);
}

await monitor.stop();
await history.flush();
for (const id of IDS) {
  const { ratio = 0, upMs, downMs } = await history.uptime(id, { from: Date.now() - 86_400_000 });
  tell(`${id.padEnd(8)} was up for ${(ratio * 100).toFixed(1)} % of the time (${upMs} ms up, ${downMs} ms down)`);
}
await history.close();
database.close();
process.exitCode = (await controller.wait()).exitCode;
