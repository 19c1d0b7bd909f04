// Starts servers, loads them, and reads their own CPU time: throughput on a shared machine says little.
import { execFileSync, fork, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { cpus } from 'node:os';
import { fileURLToPath, pathToFileURL } from 'node:url';

export const root = fileURLToPath(new URL('../../', import.meta.url));
const peersFrom = fileURLToPath(new URL('./peers/', import.meta.url));
const peersIn = `${root}.cache/bench-peers/`;

/** Installs the peers in a folder of their own, once per list of versions. */
export function installPeers() {
  mkdirSync(peersIn, { recursive: true });
  const wanted = readFileSync(`${peersFrom}package.json`, 'utf8');
  const has = existsSync(`${peersIn}installed.json`) ? readFileSync(`${peersIn}installed.json`, 'utf8') : '';
  for (const name of readdirSync(peersFrom)) copyFileSync(`${peersFrom}${name}`, `${peersIn}${name}`);
  copyFileSync(fileURLToPath(new URL('./servers/serve.mjs', import.meta.url)), `${peersIn}serve.mjs`);
  if (has === wanted) return;
  console.log('installing the peers …');
  const args = ['install', '--no-package-lock', '--no-audit', '--no-fund', '--loglevel=error'];
  const { status } = spawnSync('npm', args, { cwd: peersIn, stdio: 'inherit' });
  if (status !== 0) throw new Error('the peers could not be installed');
  copyFileSync(`${peersIn}package.json`, `${peersIn}installed.json`);
}

export const ours = (name) => new URL(`./servers/${name}.mjs`, import.meta.url);
export const peer = (name) => pathToFileURL(`${peersIn}${name}.mjs`);
export const peersFolder = peersIn;

/**
 * The server on one core, the load on another, where there is a tool for it: left to the scheduler they share one now and
 * then, and a run then costs twice what the next one does.
 */
const pinned = cpus().length > 1 && spawnSync('taskset', ['-V']).error === undefined;
const pin = (core, command, args) => (pinned ? ['taskset', ['-c', String(core), command, ...args]] : [command, args]);

/** A program of the benchmark in a process of its own. */
export async function launch(url, ...args) {
  const [execPath, execArgv] = pin(1, process.execPath, ['--expose-gc']);
  const child = fork(fileURLToPath(url), args.map(String), {
    execPath,
    execArgv,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const { port } = await new Promise((resolve, reject) => {
    child.once('message', resolve);
    child.once('exit', (code) => reject(new Error(`${url} ended with ${code} before it was up`)));
  });
  return {
    port,
    ask: (question) =>
      new Promise((resolve) => {
        child.once('message', resolve);
        child.send(question);
      }),
    end: () => child.disconnect(),
  };
}

const hasWrk = spawnSync('wrk', ['-v']).error === undefined;

/** So many connections for so many seconds, from another process: requests, requests a second, p99 in ms. */
export function load(port, path, connections, seconds) {
  const url = `http://127.0.0.1:${port}${path}`;
  return hasWrk ? wrk(url, connections, seconds) : autocannon(url, connections, seconds);
}

function wrk(url, connections, seconds) {
  const out = execFileSync(...pin(0, 'wrk', ['-t1', `-c${connections}`, `-d${seconds}s`, '--latency', url]), {
    encoding: 'utf8',
  });
  if (/Non-2xx/.test(out)) throw new Error(`${url} did not answer 200:\n${out}`);
  const [, p99 = '0', unit = 'ms'] = /99%\s+([\d.]+)(us|ms|s)/.exec(out) ?? [];
  return {
    requests: Number(/(\d+) requests in/.exec(out)?.[1]),
    perSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(out)?.[1]),
    p99Ms: Number(p99) * { us: 0.001, ms: 1, s: 1000 }[unit],
  };
}

function autocannon(url, connections, seconds) {
  const bin = `${peersIn}node_modules/.bin/autocannon`;
  const out = execFileSync(...pin(0, bin, ['-j', '-c', String(connections), '-d', String(seconds), url]), {
    encoding: 'utf8',
  });
  const result = JSON.parse(out);
  if (result.non2xx > 0) throw new Error(`${url} did not answer 200`);
  return { requests: result.requests.total, perSecond: result.requests.average, p99Ms: result.latency.p99 };
}

/** CPU microseconds of the server per request. */
export async function cpuPerRequest(server, path, connections, seconds) {
  const before = await server.ask('cpu');
  const seen = load(server.port, path, connections, seconds);
  const after = await server.ask('cpu');
  return { ...seen, cpuMicros: (after.cpuMicros - before.cpuMicros) / seen.requests };
}

export function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Bytes and packages of an installed package with all it brings. */
export function installedSize(folder) {
  let bytes = 0;
  for (const name of readdirSync(folder, { recursive: true })) {
    const { size, isFile } = ((stat) => ({ size: stat.size, isFile: stat.isFile() }))(statSync(`${folder}/${name}`));
    if (isFile) bytes += size;
  }
  return bytes;
}
