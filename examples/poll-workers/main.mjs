// Instances polled by several workers on one Redis: `node examples/poll-workers/main.mjs`, with a Redis at
// redis://127.0.0.1:6379 or at REDIS_URL. Three workers poll five stand-in instances every half second. One instance
// restarts, one worker is killed, and the polling goes on. It ends by itself.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { Redis } from 'ioredis';
import { recordOf, TRANSITIONS } from './keep.mjs';
import { openQueue, schedule, unschedule } from './queue.mjs';

const url = process.env.REDIS_URL ?? 'redis://127.0.0.1:6379';
const redis = new Redis(url);
const queue = openQueue(url);
const beganAt = performance.now();
const print = (text) => console.log(`${((performance.now() - beganAt) / 1000).toFixed(1).padStart(5)} s  ${text}`);
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// Five stand-in instances: paths of one server, each of which counts how often it is asked.
const restarting = new Set();
const polls = new Map();
const probe = (ok) => ({ ok, status: ok ? 'success' : 'failure', latencyMs: 1 });
const server = createServer((request, response) => {
  const id = request.url.split('/')[1];
  polls.set(id, (polls.get(id) ?? 0) + 1);
  const ok = !restarting.has(id);
  const phase = ok ? 'ready' : 'degraded';
  const body = { ts: new Date().toISOString(), startup: probe(ok), readiness: probe(ok), liveness: probe(true), phase };
  response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
}).listen(0, '127.0.0.1');
await once(server, 'listening');
const { port } = server.address();
const instances = ['alpha', 'beta', 'gamma', 'delta', 'epsilon'].map((id) => ({
  id,
  url: `http://127.0.0.1:${port}/${id}/api/health`,
}));

// What the workers keep of an earlier run would be gone on with.
await redis.del(TRANSITIONS, ...instances.map(({ id }) => recordOf(id)));
for (const instance of instances) await schedule(queue, instance, 500);

const workers = await Promise.all(
  [1, 2, 3].map(async () => {
    const worker = fork(fileURLToPath(new URL('worker.mjs', import.meta.url)), {
      env: { ...process.env, REDIS_URL: url },
    });
    await once(worker, 'message');
    return worker;
  }),
);
print(`${workers.length} workers poll ${instances.length} instances`);

// Every transition once, in order, whichever worker saw it.
const reader = redis.duplicate();
const seen = new Map();
const told = (async () => {
  for (let last = '0'; ; ) {
    const read = await reader.xread('BLOCK', 5000, 'STREAMS', TRANSITIONS, last).catch(() => undefined);
    if (read === undefined) return;
    for (const [id, [, instance, , transition]] of read?.[0]?.[1] ?? []) {
      last = id;
      seen.set(`${instance} ${transition}`, true);
      print(`${instance} is ${transition}`);
    }
  }
})();
const until = async (what) => {
  while (!seen.has(what)) await wait(50);
};

await Promise.all(instances.map(({ id }) => until(`${id} running`)));
restarting.add('beta');
await until('beta degraded');
print('one worker is killed');
workers[0].kill('SIGKILL');
restarting.delete('beta');
await until('beta recovered');
const before = new Map(polls);
await wait(3000);
const goOn = instances.every(({ id }) => polls.get(id) > before.get(id));
print(goOn ? 'the others go on with all of them' : 'some are polled no more');

for (const { id } of instances) await unschedule(queue, id);
const ended = workers.slice(1).map((worker) => once(worker, 'exit'));
for (const worker of workers.slice(1)) worker.kill('SIGTERM');
print(`the workers ended with ${(await Promise.all(ended)).map(([code]) => code).join(' and ')}`);
reader.disconnect();
await told;
await queue.close();
await redis.quit();
server.close();
server.closeAllConnections();
