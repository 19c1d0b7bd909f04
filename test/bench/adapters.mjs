// CPU per request of each adapter over its bare framework answering a constant, with ten cached checks. Alone:
// `node test/bench/adapters.mjs [--quick]`.
import { fileURLToPath } from 'node:url';
import { cpuPerRequest, launch, load, median, ours } from './measure.mjs';

const NAMES = ['Express 5', 'Express 4', 'Fastify 5', 'Fastify 4', 'Hono'];
const CHECKS = 10;
const CONNECTIONS = 20;

export async function adapters({ quick }) {
  const rounds = quick ? 1 : 3;
  const rows = [];
  for (const what of NAMES) {
    const ratios = [];
    for (let round = 0; round < rounds; round++) ratios.push(await pair(what));
    rows.push({ what, checks: CHECKS, connections: CONNECTIONS, ratio: median(ratios), target: 1.15 });
    console.log(`${what}: ${median(ratios).toFixed(2)}`);
  }
  return rows;
}

/** In processes of their own each time: two of the same program differ by a fifth, for as long as they live. */
async function pair(what) {
  const bare = await launch(ours('framework'), CHECKS, 0, `${what}:bare`);
  const mounted = await launch(ours('framework'), CHECKS, 0, `${what}:ours`);
  for (const { port } of [bare, mounted]) load(port, '/readyz', CONNECTIONS, 1);
  const figures = { bare: [], mounted: [] };
  for (let i = 0; i < 3; i++) {
    figures.bare.push((await cpuPerRequest(bare, '/readyz', CONNECTIONS, 1)).cpuMicros);
    figures.mounted.push((await cpuPerRequest(mounted, '/readyz', CONNECTIONS, 1)).cpuMicros);
  }
  bare.end();
  mounted.end();
  return median(figures.mounted) / median(figures.bare);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await adapters({ quick: process.argv.includes('--quick') });
