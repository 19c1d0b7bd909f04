// @ts-check
// What observing costs: `node test/bench/sandbox-services.mjs [services] [seconds]`, after a build.
//   one observation     CPU of this process for each, one after the other and 32 at one time, beside a bare undici
//                       request that does the same: a new connection, headers, and away
//   many services       CPU over an idle process, and memory for each, at the default interval of five seconds
// The observed server is a process of its own, so that its cost is not counted.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { SandboxServices } from 'health-controller/presets/sandbox-service';
import { Client } from 'undici';

const SERVE = 'serve';

if (process.argv[2] === SERVE) serve();
else await measure(Number(process.argv[2] ?? 5000), Number(process.argv[3] ?? 20));

function serve() {
  const server = createServer((_request, response) => response.end('ok'));
  server.listen(0, '127.0.0.1', 4096, () => {
    const address = server.address();
    process.send?.(typeof address === 'object' ? address?.port : 0);
  });
  process.on('disconnect', () => process.exit());
}

/**
 * @param {number} services
 * @param {number} seconds
 */
async function measure(services, seconds) {
  const child = fork(new URL(import.meta.url), [SERVE]);
  const [port] = await once(child, 'message');
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc');
  try {
    for (const concurrent of [1, 32]) {
      // The first round warms up.
      await observed(port, 500, concurrent);
      await asked(port, 500, concurrent);
      const ours = await observed(port, 4000, concurrent);
      const theirs = await asked(port, 4000, concurrent);
      const ratio = (ours / theirs).toFixed(2);
      console.log(
        `one observation, ${concurrent} at one time: ${ours.toFixed(0)} µs of CPU; undici ${theirs.toFixed(0)} µs; ${ratio} times`,
      );
    }
    await many(port, services, seconds, gc);
  } finally {
    child.disconnect();
  }
}

/**
 * CPU of this process, in microseconds for each of `count` observations.
 * @param {number} port
 * @param {number} count
 * @param {number} concurrent
 */
async function observed(port, count, concurrent) {
  const services = new SandboxServices({ intervalMs: 60_000, maxConcurrent: concurrent });
  const sandbox = services.sandbox('w', 's');
  for (let i = 0; i < count; i++) services.expose({ workspace: 'w', sandbox: 's', service: `${i}`, port });
  let left = count;
  const done = new Promise((resolve) => {
    services.on('change', ({ to, service }) => {
      if (to !== 'healthy') throw new Error(`${to}: ${service.health.message}`);
      if (--left === 0) resolve(undefined);
    });
  });
  const before = process.cpuUsage();
  sandbox.ready('r');
  await done;
  const { user, system } = process.cpuUsage(before);
  await services.stop();
  return (user + system) / count;
}

/**
 * The same of bare requests: a client for each, closed when the headers are there.
 * @param {number} port
 * @param {number} count
 * @param {number} concurrent
 */
async function asked(port, count, concurrent) {
  const before = process.cpuUsage();
  let begun = 0;
  const lane = async () => {
    while (begun++ < count) {
      const client = new Client(`http://127.0.0.1:${port}`, { pipelining: 0, headersTimeout: 1000, bodyTimeout: 0 });
      const { statusCode, body } = await client.request({ path: '/', method: 'GET', reset: true });
      if (statusCode !== 200) throw new Error(`HTTP ${statusCode}`);
      body.on('error', () => {});
      await client.destroy();
    }
  };
  await Promise.all(Array.from({ length: concurrent }, lane));
  const { user, system } = process.cpuUsage(before);
  return (user + system) / count;
}

/**
 * @param {number} port
 * @param {number} count
 * @param {number} seconds
 * @param {() => void} gc
 */
async function many(port, count, seconds, gc) {
  const rest = await share(seconds / 4);
  gc();
  const heapBefore = process.memoryUsage().heapUsed;
  const services = new SandboxServices();
  for (let i = 0; i < count; i++) {
    services.expose({ workspace: 'w', sandbox: `s${i}`, port, readinessCheck: { path: '/readyz' } });
    services.sandbox('w', `s${i}`).ready('r');
  }
  // Until every one is known, and on its own place in the interval.
  await new Promise((resolve) => setTimeout(resolve, 10_000));
  const cpu = await share(seconds);
  gc();
  const each = (process.memoryUsage().heapUsed - heapBefore) / count;
  const states = services.list().map(({ health }) => health.state);
  const healthy = states.filter((state) => state === 'healthy').length;
  console.log(
    `${count} services every 5 s: ${((cpu - rest) * 100).toFixed(1)} % of a CPU over idle, ` +
      `${(((cpu - rest) * 5e6) / count).toFixed(0)} µs an observation, ${each.toFixed(0)} bytes each; ${healthy} healthy`,
  );
  await services.stop();
}

/**
 * The share of a CPU that this process uses.
 * @param {number} seconds
 */
async function share(seconds) {
  const before = process.cpuUsage();
  const beganAt = performance.now();
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / (performance.now() - beganAt);
}
