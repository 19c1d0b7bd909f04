// What probes meet when a check is slow or hangs, here and in the peers: how often it is run, and who gets an answer.
import { launch, ours, peer } from './measure.mjs';

const PROBES = 200;
const SLOW_MS = 200;
const PATIENCE_MS = 3000;

const SERVERS = [
  ['health-controller', ours('ours')],
  ['@godaddy/terminus', peer('terminus')],
  ['@nestjs/terminus', peer('nestjs-terminus')],
  ['@adonisjs/health', peer('adonis-health')],
  ['@fastify/under-pressure', peer('under-pressure')],
  ['@cloudnative/health-connect', peer('health-connect')],
  ['express-actuator', peer('express-actuator')],
];

export async function faults() {
  const rows = [];
  for (const [what, url] of SERVERS) {
    const row = { what, probes: PROBES, slowRuns: await slow(url), ...(await hung(url)) };
    rows.push(row);
    console.log(`${what}: ${row.slowRuns} runs of a slow check, ${row.answered} of ${PROBES} answered over a hung one`);
  }
  return rows;
}

/** So many probes at once over a check of 200 ms: how often it ran. */
async function slow(url) {
  const server = await launch(url, 1, SLOW_MS, 'sync');
  const before = (await server.ask('cpu')).runs;
  await probe(server.port);
  const { runs } = await server.ask('cpu');
  server.end();
  return runs - before;
}

/** The same over one that hangs, by clients that give up after 3 s: who was answered, and what is left unsettled. */
async function hung(url) {
  const server = await launch(url, 1, Number.POSITIVE_INFINITY, 'sync');
  await server.ask('hang');
  const before = await server.ask('gc');
  const answered = await probe(server.port);
  const after = await server.ask('gc');
  server.end();
  return { answered, hungRuns: after.runs - before.runs, growthBytes: after.heap - before.heap };
}

async function probe(port) {
  const asked = Array.from({ length: PROBES }, async () => {
    const answer = await fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(PATIENCE_MS) });
    await answer.text();
  });
  return (await Promise.allSettled(asked)).filter(({ status }) => status === 'fulfilled').length;
}
