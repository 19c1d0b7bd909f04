// What a gateway costs: a snapshot over its two requests, a thousand WebSocket clients, and a look at two thousand
// processes. CPU time is that of the process that does the work: wall time on a shared machine says little.
//   node test/bench/gateway.mjs [snapshots] [clients] [processes]
import { spawn } from 'node:child_process';
import { get } from 'node:http';
import { Gateway } from 'health-controller/presets/gateway';
import { WebSocket } from 'ws';
import { median } from './measure.mjs';

const [snapshots = 400, clients = 1000, processes = 2000] = process.argv.slice(2).map(Number);
const RUNNING = [{ id: '1', command: 'openclaw-gateway', status: 'running' }];

const cpuMs = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

/** Median CPU milliseconds of one call of each, over rounds of many: in turn, since the machine is not always the same. */
async function costsOf(calls, times, rounds = 9) {
  const costs = calls.map(() => []);
  for (let round = -1; round < rounds; round++) {
    for (const [i, call] of calls.entries()) {
      const before = cpuMs();
      for (let n = 0; n < times; n++) await call();
      // The first round warms up.
      if (round >= 0) costs[i].push((cpuMs() - before) / times);
    }
  }
  return costs.map(median);
}

/** Runs a program of a few lines in a process of its own; it says where it listens. */
async function launch(program) {
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const { port } = await new Promise((resolve) => child.once('message', resolve));
  const ask = (question) =>
    new Promise((resolve) => {
      child.once('message', resolve);
      child.send(question);
    });
  return { port, ask, end: () => child.kill('SIGKILL') };
}

const plainRequest = (url) =>
  new Promise((resolve, reject) => {
    get(url, { agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (piece) => {
        text += piece;
      });
      response.on('end', () => resolve(text));
    }).on('error', reject);
  });

async function snapshotCost() {
  const server = await launch(`
    import { createServer } from 'node:http';
    const server = createServer((_, response) => response.end('{"ok":true}')).listen(0, '127.0.0.1', () => {
      process.send({ port: server.address().port });
    });`);
  const healthUrl = `http://127.0.0.1:${server.port}/health`;
  const gateway = new Gateway({ healthUrl, processes: () => RUNNING });
  const take = () => gateway.snapshot({ passive: true });
  const bare = () => Promise.all([plainRequest(healthUrl), plainRequest(healthUrl)]);
  const [ours, theirs] = await costsOf([take, bare], snapshots);
  const idle = new Gateway({ fetch: async () => new Response('{"ok":true}'), processes: () => RUNNING });
  const many = () => Promise.all(Array.from({ length: 1000 }, () => idle.snapshot({ passive: true })));
  const [shared] = await costsOf([many], 50);
  server.end();
  console.log(
    `snapshot: ${(ours * 1000).toFixed(0)} µs CPU, its two requests alone ${(theirs * 1000).toFixed(0)} µs: ${(ours / theirs).toFixed(2)}`,
  );
  console.log(`snapshot for 1,000 concurrent callers: ${shared.toFixed(2)} ms CPU in all`);
}

async function fanOut() {
  const server = await launch(`
    import { createServer } from 'node:http';
    import { Gateway } from 'health-controller/presets/gateway';
    const gateway = new Gateway({
      fetch: async () => new Response('{"ok":true}'),
      processes: () => [{ id: '1', command: 'openclaw-gateway', status: 'running' }],
    });
    const server = createServer();
    await gateway.attachWebSocket(server, { pollIntervalMs: 1000 });
    server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
    process.on('message', () => {
      const { user, system } = process.cpuUsage();
      process.send({ cpuMs: (user + system) / 1000, rss: process.memoryUsage().rss });
    });`);
  const empty = await server.ask('cpu');
  /** When each client got each snapshot, by its stamp. */
  const arrivals = new Map();
  const sockets = Array.from({ length: clients }, () => new WebSocket(`ws://127.0.0.1:${server.port}/api/health/ws`));
  for (const socket of sockets) {
    socket.on('message', (text) => {
      const { ts } = JSON.parse(String(text));
      const times = arrivals.get(ts) ?? [];
      arrivals.set(ts, times);
      times.push(performance.now());
    });
  }
  await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once('open', resolve))));
  await new Promise((resolve) => setTimeout(resolve, 2500));
  arrivals.clear();
  const before = await server.ask('cpu');
  await new Promise((resolve) => setTimeout(resolve, 10_500));
  const after = await server.ask('cpu');
  const whole = [...arrivals.values()].filter(({ length }) => length === clients);
  const spreads = whole.map((times) => times.at(-1) - times[0]);
  const perTick = (after.cpuMs - before.cpuMs) / arrivals.size;
  const perClient = (after.rss - empty.rss) / clients / 1024;
  console.log(
    `fan-out to ${clients} clients: ${perTick.toFixed(1)} ms CPU a snapshot, ${median(spreads).toFixed(1)} ms from the first client to the last (median of ${whole.length}), ${perClient.toFixed(1)} KiB a client`,
  );
  for (const socket of sockets) socket.terminate();
  server.end();
}

async function procScan() {
  const sleepers = Array.from({ length: processes }, () => spawn('sleep', ['120'], { stdio: 'ignore' }));
  await new Promise((resolve) => setTimeout(resolve, 2000));
  const gateway = new Gateway({ fetch: async () => new Response('{"ok":true}') });
  const times = [];
  const look = async () => {
    const { readiness } = await gateway.snapshot({ passive: true });
    times.push(readiness.latencyMs);
  };
  const [cost] = await costsOf([look], 5);
  console.log(`look at ${processes} processes and more: ${cost.toFixed(0)} ms CPU, ${median(times).toFixed(0)} ms`);
  for (const sleeper of sleepers) sleeper.kill('SIGKILL');
}

await snapshotCost();
await fanOut();
await procScan();
