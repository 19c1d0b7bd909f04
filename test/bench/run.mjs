// `npm run bench`: measures, and writes docs/explanation/performance.md with a picture, and .cache/bench.json.
// `npm run bench -- --quick`: a minute's version, which prints its page and writes nothing.
// `npm run bench -- --only=http,hung`: some sections; the others stay as they were measured before.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { adapters } from './adapters.mjs';
import { faults } from './faults.mjs';
import { http } from './http.mjs';
import { installedSize, installPeers, peersFolder, root } from './measure.mjs';
import { page } from './page.mjs';
import { picture } from './picture.mjs';

const quick = process.argv.includes('--quick');
const only = process.argv
  .find((arg) => arg.startsWith('--only='))
  ?.slice('--only='.length)
  .split(',');
/** What fits into a minute. */
const QUICK = ['http', 'reports', 'growth', 'hung', 'imports', 'shutdown'];
const wanted = (name) => (only === undefined ? !quick || QUICK.includes(name) : only.includes(name));

/** A program of alone.mjs, in a process of its own. */
function alone(name, figure = '') {
  const file = fileURLToPath(new URL('./alone.mjs', import.meta.url));
  const out = execFileSync(process.execPath, ['--expose-gc', file, name, String(figure)], { encoding: 'utf8' });
  return JSON.parse(out.trim().split('\n').at(-1));
}

/** CPU milliseconds of loading an entry: the least of many interleaved rounds, since all that disturbs only adds. */
function imports() {
  const entries = {
    'health-controller (ESM)': `${root}dist/index.js`,
    'health-controller (CommonJS)': `${root}dist/index.cjs`,
    '@godaddy/terminus': `${peersFolder}node_modules/@godaddy/terminus/index.js`,
  };
  const times = Object.fromEntries(Object.keys(entries).map((name) => [name, []]));
  for (let round = 0; round < (quick ? 5 : 20); round++) {
    for (const [name, file] of Object.entries(entries)) {
      const program = `const before = process.cpuUsage(); await import(${JSON.stringify(pathToFileURL(file).href)}); const { user, system } = process.cpuUsage(before); console.log((user + system) / 1000);`;
      times[name].push(
        Number(execFileSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' })),
      );
    }
  }
  return Object.entries(times).map(([what, list]) => ({ what, ms: Math.min(...list) }));
}

function sizes() {
  const { dependencies = {} } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));
  if (Object.keys(dependencies).length > 0) throw new Error('count what the package depends on');
  const rows = [{ what: 'health-controller', bytes: installedSize(`${root}dist`), packages: 1 }];
  for (const name of [
    '@godaddy/terminus',
    '@nestjs/terminus',
    '@adonisjs/health',
    '@fastify/under-pressure',
    'lightship',
  ]) {
    rows.push({
      what: name,
      bytes: installedSize(`${peersFolder}node_modules/${name}`),
      packages: dependenciesOf(name),
    });
  }
  return rows;
}

/** How many packages come with one, itself included. */
function dependenciesOf(name) {
  const seen = new Set();
  const visit = (each) => {
    if (seen.has(each)) return;
    let manifest;
    try {
      manifest = JSON.parse(readFileSync(`${peersFolder}node_modules/${each}/package.json`, 'utf8'));
    } catch {
      return;
    }
    seen.add(each);
    for (const next of Object.keys(manifest.dependencies ?? {})) visit(next);
  };
  visit(name);
  return seen.size;
}

/** What a program of its own prints, line by line. */
function printed(file, args = []) {
  const program = fileURLToPath(new URL(`./${file}`, import.meta.url));
  const out = execFileSync(process.execPath, ['--expose-gc', '--import', 'tsx', program, ...args.map(String)], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  process.stdout.write(out);
  return out.trimEnd().split('\n');
}

installPeers();
const json = `${root}.cache/bench.json`;
const earlier = only !== undefined && !quick && existsSync(json) ? JSON.parse(readFileSync(json, 'utf8')) : {};
const result = {
  ...earlier,
  date: new Date().toISOString().slice(0, 10),
  node: process.version,
  machine: `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}, ${Math.round(totalmem() / 2 ** 30)} GiB`,
  peers: JSON.parse(readFileSync(new URL('./peers/package.json', import.meta.url), 'utf8')).dependencies,
};
/** Measures a section, and keeps it at once: what comes later may fail. */
async function section(name, measure) {
  if (!wanted(name)) return;
  Object.assign(result, await measure());
  if (quick) return;
  mkdirSync(`${root}.cache`, { recursive: true });
  writeFileSync(json, `${JSON.stringify(result, undefined, 2)}\n`);
  if (result.growth) writeFileSync(`${root}docs/explanation/performance-growth.svg`, picture(result.growth));
  writeFileSync(`${root}docs/explanation/performance.md`, page(result));
}

const GROWTH = quick ? [10, 1000] : [10, 100, 1000, 10_000, 100_000];
const MONITORED = quick ? [1000, 5] : [10_000, 10];
await section('http', async () => ({ http: await http({ quick }) }));
await section('adapters', async () => ({ adapters: await adapters({ quick }) }));
await section('reports', () => ({ cachedReport: alone('cachedReport'), syncReport: alone('syncReport') }));
await section('polling', () => ({ idle: alone('polling', 0), polling: alone('polling', 10_000) }));
await section('growth', () => ({ growth: GROWTH.map((count) => alone('growth', count)) }));
await section('hung', async () => ({ hung: alone('hung'), faults: await faults() }));
await section('imports', () => ({ imports: imports(), sizes: sizes() }));
await section('shutdown', () => ({ shutdown: alone('shutdown') }));
await section('presets', () => ({
  gateway: printed('gateway.mjs'),
  sandboxServices: printed('sandbox-services.mjs'),
}));
await section('monitor', () => ({
  monitor: [
    ['paths of one origin, asked by fetch', ['together', 'fetch']],
    ['origins of their own, asked by fetch', ['apart', 'fetch']],
    ['origins of their own, asked by node:http', ['apart', 'http']],
  ].flatMap(([what, how]) => [what, ...printed('monitor.mjs', [...MONITORED, ...how])]),
}));
await section('history', () => ({ history: printed('history.mjs', [quick ? 20_000 : 1_000_000]) }));

console.log(page(result));
process.exit(0);
