// `npm run bench`: measures, and writes docs/explanation/performance.md with a picture, and .cache/bench.json.
// `npm run bench -- --quick`: a minute's version, which prints its page and writes nothing.
// `npm run bench -- --only=http`: one section; the others stay as they were measured before.
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
const only = process.argv.find((arg) => arg.startsWith('--only='))?.slice('--only='.length);
/** What fits into a minute. */
const QUICK = ['http', 'reports', 'growth', 'hung', 'imports', 'shutdown'];
const wanted = (name) => (only === undefined ? !quick || QUICK.includes(name) : only === name);

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
  const list = execFileSync('npm', ['ls', '--all', '--parseable', '--omit=dev'], { cwd: root, encoding: 'utf8' });
  const rows = [
    { what: 'health-controller', bytes: installedSize(`${root}dist`), packages: list.trim().split('\n').length },
  ];
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
if (wanted('http')) result.http = await http({ quick });
if (wanted('adapters')) result.adapters = await adapters({ quick });
if (wanted('reports')) {
  result.cachedReport = alone('cachedReport');
  result.syncReport = alone('syncReport');
}
if (wanted('polling')) {
  result.idle = alone('polling', 0);
  result.polling = alone('polling', 10_000);
}
if (wanted('growth')) {
  const counts = quick ? [10, 1000] : [10, 100, 1000, 10_000, 100_000];
  result.growth = counts.map((count) => alone('growth', count));
}
if (wanted('hung')) {
  result.hung = alone('hung');
  result.faults = await faults();
}
if (wanted('imports')) {
  result.imports = imports();
  result.sizes = sizes();
}
if (wanted('shutdown')) result.shutdown = alone('shutdown');
if (wanted('presets')) {
  result.gateway = printed('gateway.mjs');
  result.sandboxServices = printed('sandbox-services.mjs');
}
if (wanted('monitor')) {
  result.monitor = [
    ['paths of one origin, asked by fetch', ['together', 'fetch']],
    ['origins of their own, asked by fetch', ['apart', 'fetch']],
    ['origins of their own, asked by node:http', ['apart', 'http']],
  ].flatMap(([what, how]) => [what, ...printed('monitor.mjs', [quick ? 1000 : 10_000, quick ? 5 : 20, ...how])]);
}
if (wanted('history')) result.history = printed('history.mjs', [quick ? 20_000 : 1_000_000]);

if (!quick) {
  mkdirSync(`${root}.cache`, { recursive: true });
  writeFileSync(json, `${JSON.stringify(result, undefined, 2)}\n`);
  if (result.growth) writeFileSync(`${root}docs/explanation/performance-growth.svg`, picture(result.growth));
  writeFileSync(`${root}docs/explanation/performance.md`, page(result));
}
console.log(page(result));
process.exit(0);
