// @ts-check
// What monitoring costs: `node --expose-gc test/bench/monitor.mjs [instances] [seconds] [apart|together] [fetch|http]`,
// after a build.
//   memory            heap of an instance that was added, and of one that has been polled, its newest snapshot included; and
//                     of all that fetch keeps besides
//   CPU over idle     of this process, while all are polled at the default interval of five seconds, beside the same
//                     number of bare fetches a second that read their bodies as text
// The instances are answered by one server in a process of its own, so that its cost is not counted. `together`: they are
// paths of one origin, whose connections are kept. `apart`: each is an origin of its own on 127.0.0.0/8, as in life: fetch
// keeps a pool for each, and opens a new connection for each poll, since it keeps an idle one for four seconds. `http`: by
// the function over node:http that docs/how-to/poll-instances.md shows, instead of the global fetch.
import { get } from 'node:http';
import { Readable } from 'node:stream';
import { HealthMonitor } from 'health-controller/client';
import { launch, ours } from './measure.mjs';

const [instances = 10_000, seconds = 20] = process.argv.slice(2, 4).map(Number);
const apart = (process.argv[4] ?? 'apart') === 'apart';
const INTERVAL_MS = 5000;
const byHttp = process.argv[5] === 'http';
const { gc } = globalThis;
if (gc === undefined) throw new Error('run it with node --expose-gc');

/** @type {import('health-controller/client').SnapshotFetch} */
const fetchByHttp = (url, { headers, signal }) =>
  new Promise((resolve, reject) => {
    get(url, { headers, signal, agent: false }, (response) => {
      const { statusCode = 0 } = response;
      const header = (/** @type {string} */ name) => response.headers[name]?.toString() ?? null;
      resolve({ status: statusCode, headers: { get: header }, body: Readable.toWeb(response) });
    }).on('error', reject);
  });

/** @param {number} ms */
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Heap in use, after what is garbage has gone. */
async function heap() {
  for (let i = 0; i < 3; i++) {
    gc?.();
    await wait(50);
  }
  return process.memoryUsage().heapUsed;
}

/**
 * The share of a CPU that this process uses, in percent.
 * @param {number} ms
 */
async function cpuPercent(ms) {
  const before = process.cpuUsage();
  const beganAt = performance.now();
  await wait(ms);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 10 / (performance.now() - beganAt);
}

const server = await launch(ours('snapshots'));
/** @param {number} i */
const urlOf = (i) => {
  const host = apart ? `127.1.${i >> 8}.${i & 255}` : '127.0.0.1';
  return `http://${host}:${server.port}/instance-${i}/api/health`;
};
// What fetch itself needs is loaded before anything is measured.
await (await fetch(`http://127.0.0.1:${server.port}/warm`)).text();
const idle = await cpuPercent(2000);

const empty = await heap();
const monitor = new HealthMonitor({ fetch: byHttp ? fetchByHttp : undefined });
for (let i = 0; i < instances; i++) monitor.add({ id: `instance-${i}`, url: urlOf(i) });
const added = await heap();

const beganAt = performance.now();
let running = 0;
const all = new Promise((resolve) => {
  monitor.on('running', () => ++running === instances && resolve(undefined));
});
monitor.start();
await all;
const firstMs = performance.now() - beganAt;
// Until each has found its place in the interval.
await wait(2 * INTERVAL_MS);

await server.ask('forget');
const before = process.memoryUsage().rss;
const monitored = await cpuPercent(seconds * 1000);
const { asked, instances: reached } = await server.ask('how often');
const after = process.memoryUsage().rss;
const ages = monitor.list().map(({ snapshotAgeMs = Number.POSITIVE_INFINITY }) => snapshotAgeMs);
await monitor.stop();
const healthy = monitor.list().filter(({ verdict }) => verdict === 'healthy').length;
const polled = await heap();
for (let i = 0; i < instances; i++) monitor.remove(`instance-${i}`);
const ofFetch = await heap();

// The same number of requests a second, spread as evenly, with nothing around them.
let fetched = 0;
const perTick = Math.max(1, Math.round((asked / seconds) * 0.01));
const bare = setInterval(() => {
  for (let i = 0; i < perTick; i++) {
    fetched++;
    void fetch(urlOf(fetched % instances)).then((response) => response.text());
  }
}, 10);
await wait(1000);
fetched = 0;
const fetching = await cpuPercent(Math.min(10, seconds) * 1000);
clearInterval(bare);
await wait(200);
server.end();

/** @param {number} value */
const percent = (value) => `${value.toFixed(1)} %`;
const perPoll = ((monitored - idle) / 100 / (asked / seconds)) * 1e6;
const perFetch = ((fetching - idle) / 100 / (fetched / Math.min(10, seconds))) * 1e6;
console.log(
  `${instances} instances every ${INTERVAL_MS} ms: ${healthy} healthy, all known after ${firstMs.toFixed(0)} ms`,
);
console.log(
  `asked ${(asked / seconds).toFixed(0)} times a second, ${reached} of them in ${seconds} s; oldest snapshot ${Math.max(...ages).toFixed(0)} ms`,
);
console.log(
  `CPU over idle: ${percent(monitored - idle)} of one (idle ${percent(idle)}), ${perPoll.toFixed(0)} µs a poll; a bare fetch ${perFetch.toFixed(0)} µs: ${(perPoll / perFetch).toFixed(2)} times`,
);
/** @param {number} bytes */
const each = (bytes) => (bytes / instances).toFixed(0);
console.log(
  `memory: ${each(added - empty)} bytes an instance that is added, ${each(polled - ofFetch)} one that has been polled; fetch keeps ${each(ofFetch - empty)} besides; RSS ${(before / 2 ** 20).toFixed(0)} MiB, ${(after / 2 ** 20).toFixed(0)} MiB after ${seconds} s`,
);
