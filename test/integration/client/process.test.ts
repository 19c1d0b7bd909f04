import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { promisify } from 'node:util';
import { afterEach, expect, it } from 'vitest';
import { freePort } from '../gateway/support/worker.js';
import { GatewayWorker } from './support/worker.js';

const ROOT = new URL('../../../', import.meta.url);
const ends: (() => Promise<unknown> | unknown)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

/** Runs a program until it ends by itself; gives what it printed. */
async function run(program: string, url: string): Promise<unknown> {
  const text = `
    import { HealthMonitor, HealthPoller } from 'health-controller/client';
    import { WebSocket } from 'ws';
    const url = ${JSON.stringify(url)};
    ${program}`;
  const args = ['--input-type=module', '--eval', text];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { cwd: ROOT, timeout: 30_000 });
  expect(stderr).toBe('');
  return stdout === '' ? undefined : JSON.parse(stdout);
}

async function worker(): Promise<GatewayWorker> {
  const made = await GatewayWorker.start();
  ends.push(() => made.gone());
  return made;
}

const PRINT = 'console.log(JSON.stringify(poller.state.instanceStatus));';

it('a process that only polls ends by itself', async () => {
  const { url } = await worker();
  const program = `
    const poller = new HealthPoller({ url, webSocket: false });
    poller.start();
    const monitor = new HealthMonitor();
    monitor.add({ id: 'a', url });
    monitor.start();
    process.once('exit', () => { ${PRINT} });`;
  // What was under way may still be answered.
  expect(['provisioning', 'running']).toContain(await run(program, url));
});

it('also while a try hangs', async () => {
  const server = createServer(() => {}).listen(0, '127.0.0.1');
  await once(server, 'listening');
  ends.push(() => server.close());
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const program = `
    const poller = new HealthPoller({ url, webSocket: false, timeoutMs: 1000, fetch: () => new Promise(() => {}) });
    poller.start();
    ${PRINT}`;
  expect(await run(program, `http://127.0.0.1:${port}`)).toBe('provisioning');
});

it('one that waits for an instance to run is kept alive until it does', async () => {
  const port = await freePort();
  const late = new GatewayWorker();
  late.port = port;
  ends.push(() => late.gone());
  setTimeout(() => void late.listen(), 1500);
  const program = `
    const poller = new HealthPoller({ url, webSocket: WebSocket, intervalMs: 200, maxBackoffMs: 200 });
    poller.start();
    const running = await poller.whenRunning();
    await poller.stop();
    console.log(JSON.stringify(running));`;
  expect(await run(program, `http://127.0.0.1:${port}`)).toBe(true);
});

it('one that has stopped its WebSockets ends, and holds no timer and no socket', async () => {
  const { url } = await worker();
  const program = `
    const poller = new HealthPoller({ url, webSocket: WebSocket });
    const monitor = new HealthMonitor({ webSocket: WebSocket });
    for (const id of ['a', 'b', 'c']) monitor.add({ id, url });
    poller.start();
    monitor.start();
    const open = () => [poller.state, ...monitor.list()].every(({ transport }) => transport === 'websocket');
    while (!open()) await new Promise((resolve) => setTimeout(resolve, 20));
    await Promise.all([poller.stop(), monitor.stop()]);
    const left = process.getActiveResourcesInfo().filter((kind) => /Timeout|TCP/.test(kind));
    console.log(JSON.stringify(left));`;
  expect(await run(program, url)).toEqual([]);
});
