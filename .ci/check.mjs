// @ts-check
// `npm run check`: everything that needs no installed server. Runs every step, also after one that failed, then says
// which did. `npm run check -- lint types` runs those steps only.
import { spawn } from 'node:child_process';
import { delimiter } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** @typedef {{ name: string, command: string, show?: boolean }} Step `show`: its output is of interest also when it passed */

/** Started together, two at a time: none of these reads dist/, but for the build, which makes it. @type {Step[]} */
const first = [
  { name: 'build', command: 'tsup --silent' },
  { name: 'lint', command: 'biome check --error-on-warnings .' },
  { name: 'docs', command: 'typedoc --logLevel Warn' },
];

/** @type {Step[]} */
const then = [
  { name: 'types', command: 'tsc' },
  { name: 'unused', command: 'knip' },
  { name: 'publint', command: 'publint --strict' },
  { name: 'attw', command: 'attw --pack . --format ascii' },
  { name: 'size', command: 'size-limit', show: true },
];

/** Alone: it uses every core itself. @type {Step[]} */
const last = [
  {
    name: 'tests',
    command:
      'vitest run --coverage --project unit --project package --project examples --reporter default --reporter json --outputFile.json .cache/reports/check.json',
  },
];

const asked = process.argv.slice(2);
const known = [...first, ...then, ...last].map(({ name }) => name);
const unknown = asked.filter((name) => !known.includes(name));
if (unknown.length > 0) {
  console.error(`check: no step ${unknown.join(', ')}; there are ${known.join(', ')}`);
  process.exit(2);
}

/** @type {string[]} */
const failed = [];
const began = performance.now();
await twoAtATime(first);
await twoAtATime(then);
for (const step of last) await run(step, true);

const seconds = ((performance.now() - began) / 1000).toFixed(1);
console.log(failed.length === 0 ? `\ncheck: passed in ${seconds} s` : `\ncheck: failed: ${failed.join(', ')}`);
process.exitCode = failed.length === 0 ? 0 : 1;

/** @param {Step[]} steps */
async function twoAtATime(steps) {
  const queue = steps.values();
  const lane = async () => {
    for (const step of queue) await run(step, false);
  };
  await Promise.all([lane(), lane()]);
}

/**
 * @param {Step} step
 * @param {boolean} live whether its output is shown as it comes, rather than in one piece once it has ended
 */
async function run({ name, command, show }, live) {
  if (asked.length > 0 && !asked.includes(name)) return;
  const start = performance.now();
  const child = spawn(command, {
    cwd: root,
    shell: true,
    stdio: ['ignore', live ? 'inherit' : 'pipe', live ? 'inherit' : 'pipe'],
    env: { ...process.env, PATH: `${root}node_modules/.bin${delimiter}${process.env.PATH}` },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
  }
  const code = await new Promise((resolve) => child.once('close', resolve));
  if (code !== 0) failed.push(name);
  const took = `${((performance.now() - start) / 1000).toFixed(1)} s`;
  console.log(`--- ${name}: ${code === 0 ? 'passed' : `FAILED (exit code ${code})`}, ${took}`);
  if (code !== 0 || show) console.log(output.trimEnd());
}
