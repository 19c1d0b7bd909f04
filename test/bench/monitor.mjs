// @ts-check
// What monitoring costs: `node --expose-gc test/bench/monitor.mjs [instances] [seconds]`, after a build.
//   bytes each        heap of an instance that was added, and of one that has been polled, its newest snapshot included
//   CPU over idle     of this process, while all are polled at the default interval of five seconds, beside the same
//                     number of bare fetches a second that read their bodies as text
//   being late        how much longer than asked for the longest wait between two polls of an instance was, on average
// The instances are paths of one server in a process of its own, so that its cost is not counted.
import { HealthMonitor } from 'health-controller/client';
import { launch, ours } from './measure.mjs';

const [instances = 10_000, seconds = 20] = process.argv.slice(2).map(Number);
const INTERVAL_MS = 5000;
const { gc } = globalThis;
if (gc === undefined) throw new Error('run it with node --expose-gc');

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
const base = `http://127.0.0.1:${server.port}`;
// What fetch itself needs is loaded before anything is measured.
await (await fetch(`${base}/warm`)).text();
const idle = await cpuPercent(2000);

const empty = await heap();
const monitor = new HealthMonitor();
for (let i = 0; i < instances; i++) monitor.add({ id: `instance-${i}`, url: `${base}/instance-${i}/api/health` });
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
const polled = await heap();
const healthy = monitor.list().filter(({ verdict }) => verdict === 'healthy').length;

// The same number of requests a second, spread as evenly, with nothing around them.
let fetched = 0;
const perTick = Math.max(1, Math.round((asked / seconds) * 0.01));
const bare = setInterval(() => {
  for (let i = 0; i < perTick; i++) {
    fetched++;
    void fetch(`${base}/instance-${fetched % instances}/api/health`).then((response) => response.text());
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
console.log(
  `memory: ${((added - empty) / instances).toFixed(0)} bytes an instance that is added, ${((polled - empty) / instances).toFixed(0)} one that has been polled; RSS ${(before / 2 ** 20).toFixed(0)} MiB, ${(after / 2 ** 20).toFixed(0)} MiB after ${seconds} s`,
);
