// @ts-check
// Sets up what an npm script needs, and nothing that is there already:
//   node .ci/ensure.mjs         the dependencies of package-lock.json
//   node .ci/ensure.mjs build   and a dist/ that is not older than what it is made of
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { commands, subpaths } from './subpaths.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
process.chdir(root);

if (!dependenciesAreInstalled()) npm('ci');
if (process.argv.includes('build') && !buildIsFresh()) npm('run', 'build');

/** Compared by content: a checkout touches the lockfile without changing it. */
function dependenciesAreInstalled() {
  const installed = packagesOf('node_modules/.package-lock.json');
  if (installed === undefined) return false;
  return Object.entries(packagesOf('package-lock.json') ?? {}).every(([path, { version, optional, peer }]) => {
    // Optional ones are for other platforms, for the most part.
    return path === '' || optional || peer || installed[path]?.version === version;
  });
}

/**
 * @param {string} path
 * @returns {Record<string, { version?: string, optional?: boolean, peer?: boolean }> | undefined}
 */
function packagesOf(path) {
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')).packages : undefined;
}

function buildIsFresh() {
  const made = [...subpaths(), ...commands()].flatMap(({ files }) => files);
  if (!made.every((path) => existsSync(path))) return false;
  const oldest = Math.min(...made.map(modified));
  return [...sources('src'), 'package.json', 'package-lock.json', 'tsconfig.json', 'tsup.config.ts'].every(
    (path) => modified(path) <= oldest,
  );
}

/** @param {string} path */
function modified(path) {
  return statSync(path).mtimeMs;
}

/**
 * Folders too: they change when a file goes.
 * @param {string} folder
 * @returns {string[]}
 */
function sources(folder) {
  const below = readdirSync(folder, { withFileTypes: true }).flatMap((found) => {
    const path = `${folder}/${found.name}`;
    return found.isDirectory() ? sources(path) : [path];
  });
  return [folder, ...below];
}

/** @param {string[]} args */
function npm(...args) {
  // Under `npm run` the very npm that runs us; its output must not be read as that of the script.
  const cli = process.env.npm_execpath;
  const [command, first] = cli?.endsWith('.js') ? [process.execPath, [cli]] : ['npm', []];
  const { status } = spawnSync(command, [...first, ...args], {
    stdio: ['ignore', 'inherit', 'inherit'],
    shell: process.platform === 'win32' && command === 'npm',
  });
  if (status !== 0) process.exit(status ?? 1);
}
