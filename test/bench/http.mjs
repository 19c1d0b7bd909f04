// CPU per request of a readiness endpoint over bare node:http answering a constant, measured in the same round.
import { cpuPerRequest, launch, load, median, ours, peer } from './measure.mjs';

/** Length of the answer that bare node:http gives. */
const SHORT = 15;

const mine = (what, checks, workMs, mode, target) => ({
  what: `health-controller, ${what}`,
  url: ours('ours'),
  path: '/readyz',
  checks,
  workMs,
  mode,
  target,
});

function contestants(quick) {
  const list = (quick ? [100] : [1, 10, 100, 1000]).map((checks) => mine('cached checks', checks, 0, 'cached', 1.15));
  const others = quick
    ? [['@godaddy/terminus', peer('terminus')]]
    : [
        ['@godaddy/terminus', peer('terminus')],
        ['Promise.all by hand', ours('promise-all')],
        ['@nestjs/terminus', peer('nestjs-terminus')],
        ['@adonisjs/health', peer('adonis-health')],
        ['@adonisjs/health, its cache', peer('adonis-health'), 'cached'],
        ['@fastify/under-pressure', peer('under-pressure')],
        ['@cloudnative/health-connect', peer('health-connect')],
        ['express-actuator', peer('express-actuator')],
      ];
  for (const [checks, target] of [
    [1, 1.2],
    [10, 1.4],
    [100, 2.2],
  ]) {
    list.push(mine('trivial sync checks', checks, 0, 'sync', target));
    for (const [what, url, mode = 'sync'] of others) list.push({ what, url, path: '/readyz', checks, workMs: 0, mode });
  }
  if (!quick) {
    list.push({
      what: 'lightship (no checks)',
      url: peer('lightship'),
      path: '/ready',
      checks: 0,
      workMs: 0,
      mode: '',
    });
  }
  for (const [checks, target] of [
    [1, 1.3],
    [10, 1.4],
    [100, 1.8],
  ]) {
    list.push(mine('sync checks of 5 ms', checks, 5, 'sync', target));
  }
  return list;
}

/** Those with a target, and the peer that they are held against, are looked at more closely. */
const isCentral = ({ what, target }) => target !== undefined || what.startsWith('@godaddy');

export async function http({ quick }) {
  const rows = [];
  for (const contestant of contestants(quick)) {
    const { what, checks, workMs, target } = contestant;
    const seen = new Map((quick || workMs > 0 ? [20] : [1, 20]).map((connections) => [connections, []]));
    const rounds = isCentral(contestant) && !quick ? 3 : 1;
    for (let round = 0; round < rounds; round++) await (isCentral(contestant) ? closeLook : look)(contestant, seen);
    for (const [connections, figures] of seen) {
      const middle = (name) => median(figures.map((each) => each[name]));
      const row = {
        what,
        checks,
        connections,
        ratio: middle('ratio'),
        ...(isCentral(contestant) ? { ratioToSame: middle('ratioToSame') } : {}),
        cpuMicros: middle('cpuMicros'),
        perSecond: middle('perSecond'),
        p99Ms: middle('p99Ms'),
        ...(target === undefined ? {} : { target }),
      };
      rows.push(row);
      console.log(`${what}, ${checks} checks, ${connections} connections: ${row.ratio.toFixed(2)}`);
    }
  }
  return rows;
}

/**
 * One contestant and its baselines in processes of their own: two of the same program differ by a fifth for as long as
 * they live. Beside the constant stands one that has the contestant's length and comes when its checks are done: what
 * no answer of that size and time can be cheaper than.
 */
async function closeLook({ url, path, checks, workMs, mode }, seen) {
  const server = await launch(url, checks, workMs, mode);
  const { length } = await (await fetch(`http://127.0.0.1:${server.port}${path}`)).text();
  const bare = await launch(ours('bare'));
  const same = await launch(ours('bare'), Math.max(SHORT, length), workMs);
  load(server.port, path, 20, 1);
  for (const { port } of [bare, same]) load(port, '/', 20, 1);
  for (const [connections, figures] of seen) {
    const before = await cpuPerRequest(bare, '/', connections, 1);
    const one = await cpuPerRequest(server, path, connections, 1);
    const like = await cpuPerRequest(same, '/', connections, 1);
    const again = await cpuPerRequest(server, path, connections, 1);
    const after = await cpuPerRequest(bare, '/', connections, 1);
    const cpuMicros = (one.cpuMicros + again.cpuMicros) / 2;
    figures.push({
      ...one,
      cpuMicros,
      ratio: cpuMicros / ((before.cpuMicros + after.cpuMicros) / 2),
      ratioToSame: cpuMicros / like.cpuMicros,
    });
  }
  for (const each of [server, bare, same]) each.end();
}

/** A contestant and the constant, once. */
async function look({ url, path, checks, workMs, mode }, seen) {
  const server = await launch(url, checks, workMs, mode);
  const bare = await launch(ours('bare'));
  load(server.port, path, 20, 1);
  load(bare.port, '/', 20, 1);
  for (const [connections, figures] of seen) {
    const before = await cpuPerRequest(bare, '/', connections, 1);
    const one = await cpuPerRequest(server, path, connections, 1);
    figures.push({ ...one, ratio: one.cpuMicros / before.cpuMicros });
  }
  for (const each of [server, bare]) each.end();
}
