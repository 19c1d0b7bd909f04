// A small real service under a health controller. `npm run demo` shows its worker crashing and being restarted, the
// service losing its upstream and getting it back, and being stopped with a request in flight; `npm run demo -- --serve` keeps it running until Ctrl-C.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Controller, withRestartPolicy } from 'health-controller';
import { serveHealth } from 'health-controller/http';
import { diskSpace, eventLoopDelay, httpCheck, writableDirectory } from 'health-controller/presets';
import { ask, note, show, tell, until } from './account.mjs';
import { Api } from './api.mjs';
import { Worker } from './worker.mjs';

const serve = process.argv.includes('--serve');

tell('Starting an upstream server in a process of its own, and the service that depends on it:');
let upstream = await startUpstream(0);
const { port } = upstream;
const upstreamUrl = `http://127.0.0.1:${port}/`;
const directory = await mkdtemp(join(tmpdir(), 'health-controller-demo-'));

const controller = new Controller({
  signals: true, // SIGTERM and SIGINT begin the shutdown
  drainDelayMs: 500, // the time that a load balancer needs to notice
  reportRunState: true, // a service that is not up yet closes readiness
});

const api = new Api(upstreamUrl);
const worker = new Worker(directory);
controller.register('api', api);
controller.register('worker', worker, withRestartPolicy({ initialBackoffMs: 1000 }));
controller.registerCheck(httpCheck({ name: 'upstream', url: upstreamUrl, intervalMs: 500, timeoutMs: 1000 }));
controller.registerCheck(writableDirectory({ path: directory, intervalMs: 1000 }));
controller.registerCheck(diskSpace({ path: directory, critical: false, intervalMs: 1000 }));
controller.registerCheck(eventLoopDelay({ intervalMs: 500 }));

controller.on('state', ({ from, to }) => note(`the controller: ${from} -> ${to}`));
controller.on('service', ({ service, kind, error }) => {
  note(`service ${service}: ${kind}${kind === 'retrying' ? ` (${error})` : ''}`);
});
controller.on('check', ({ name, from, to, result }) => {
  note(`check ${name}: ${from} -> ${to}${result.reason === undefined ? '' : ` (${result.reason})`}`);
});

try {
  controller.start();
  const health = await serveHealth(controller, { port: 0, host: '127.0.0.1' });
  if (!(await controller.whenReady({ timeoutMs: 10_000 }))) throw new Error('the service did not become ready');
  note(`ready: the API is at ${api.url}/price, health at ${health.url}/livez, /readyz and /status`);
  await (serve ? stay(health.url) : play(health.url));
} catch (error) {
  console.error(error);
  controller.stop('the demo failed');
  process.exitCode = 1;
}

const outcome = await controller.wait();
await upstream.end();
await rm(directory, { recursive: true });
process.exitCode ||= outcome.exitCode;
tell(
  `Stopped by ${outcome.signal ?? outcome.reason} in ${Math.round(outcome.durationMs)} ms, ` +
    `unfinished: ${outcome.unfinished.join(', ') || 'nothing'}, exit code ${process.exitCode}. ` +
    `The worker did ${worker.jobs} jobs.`,
);

/** The account, seen from outside: every answer is that of a real request. @param {string} url */
async function play(url) {
  tell('Everything is there, so the process is alive and ready:');
  await show(`${url}/livez?format=text`);
  await show(`${url}/readyz?format=text&verbose`);
  await show(`${api.url}/price`);

  await pause();
  tell('The worker crashes. It is started again by itself; until then nobody should be sent here:');
  const recovered = new Promise((resolve) => {
    const off = controller.on('service', ({ kind }) => {
      if (kind !== 'started') return;
      off();
      resolve(undefined);
    });
  });
  const jobs = worker.jobs;
  worker.breakNextJob();
  await until(`${url}/readyz`, 503);
  await show(`${url}/readyz?format=text`);
  await show(`${url}/livez?format=text`);
  await recovered;
  await until(`${url}/readyz`, 200);
  const { up, restartCount } = controller.serviceInfo('worker') ?? {};
  note(`the worker is up: ${up}, restarts: ${restartCount}, at work again: ${worker.jobs > jobs}`);
  await show(`${url}/readyz?format=text`);

  await pause();
  tell('Killing the upstream: nobody should be sent here now, but a restart would not help:');
  await upstream.end();
  await until(`${url}/readyz`, 503);
  await show(`${url}/readyz?format=text`);
  await show(`${url}/livez?format=text`);
  await show(`${api.url}/price`);

  await pause();
  tell('Starting it again:');
  upstream = await startUpstream(port);
  await until(`${url}/readyz`, 200);
  await show(`${url}/readyz?format=text`);
  await show(`${url}/livez?format=text`);
  await show(`${api.url}/price`);

  await pause();
  tell('SIGTERM, while a request for /report is under way:');
  const report = ask(`${api.url}/report`);
  await once(api, 'report');
  const stopping = new Promise((resolve) => controller.once('state', resolve));
  process.kill(process.pid, 'SIGTERM');
  await stopping;
  await show(`${url}/readyz?format=text`);
  await show(`${url}/livez?format=text`);
  await show(`${api.url}/price`);
  const { status, body } = await report;
  note(`the request that was under way: ${status} ${body.trim()}`);
}

/** For whoever reads along. */
function pause() {
  return sleep(800);
}

/** Until Ctrl-C. The upstream is started again 5 seconds after somebody has killed it. @param {string} url */
async function stay(url) {
  tell(
    `Watch ${url}/readyz?format=text&verbose and kill the upstream, process ${upstream.pid}. Ctrl-C stops the service.`,
  );
  while (controller.state === 'running') {
    await Promise.race([upstream.ended, controller.wait()]);
    await Promise.race([sleep(5000, undefined, { ref: false }), controller.wait()]);
    if (controller.state !== 'running') return;
    upstream = await startUpstream(port);
    note(`the upstream is back, process ${upstream.pid}`);
  }
}

/** @param {number} wanted the port; 0 means any */
async function startUpstream(wanted) {
  const child = fork(fileURLToPath(new URL('upstream.mjs', import.meta.url)), [String(wanted)]);
  const ended = once(child, 'exit');
  const [got] = await Promise.race([once(child, 'message'), ended]);
  if (child.exitCode !== null) throw new Error(`the upstream ended with exit code ${child.exitCode}`);
  note(`upstream: process ${child.pid} listens on port ${got}`);
  return {
    pid: child.pid,
    port: Number(got),
    ended,
    async end() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
