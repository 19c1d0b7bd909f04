// CPU per request of a readiness endpoint over bare node:http answering a constant, measured in the same round.
import { cpuPerRequest, launch, load, median, ours, peer } from './measure.mjs';

const CONNECTIONS = [1, 20];

function contestants(quick) {
  const list = [];
  const add = (what, url, path, checks, workMs, mode, target) =>
    list.push({ what, url, path, checks, workMs, mode, target });
  for (const checks of [1, 10, 100, 1000])
    add('health-controller, cached checks', ours('ours'), '/readyz', checks, 0, 'cached', 1.15);
  for (const [checks, target] of [
    [1, 1.2],
    [10, 1.4],
    [100, 2.2],
  ]) {
    add('health-controller, trivial sync checks', ours('ours'), '/readyz', checks, 0, 'sync', target);
    add('@godaddy/terminus', peer('terminus'), '/readyz', checks, 0, 'sync');
    add('Promise.all by hand', ours('promise-all'), '/readyz', checks, 0, 'sync');
    if (quick) continue;
    add('@nestjs/terminus', peer('nestjs-terminus'), '/readyz', checks, 0, 'sync');
    add('@adonisjs/health', peer('adonis-health'), '/readyz', checks, 0, 'sync');
    add('@adonisjs/health, its cache', peer('adonis-health'), '/readyz', checks, 0, 'cached');
    add('@fastify/under-pressure', peer('under-pressure'), '/readyz', checks, 0, 'sync');
    add('@cloudnative/health-connect', peer('health-connect'), '/readyz', checks, 0, 'sync');
    add('express-actuator', peer('express-actuator'), '/readyz', checks, 0, 'sync');
  }
  if (!quick) add('lightship (no checks)', peer('lightship'), '/ready', 0, 0, 'sync');
  for (const [checks, target] of [
    [1, 1.3],
    [10, 1.4],
    [100, 1.8],
  ]) {
    add('health-controller, sync checks of 5 ms', ours('ours'), '/readyz', checks, 5, 'sync', target);
  }
  return list;
}

export async function http({ quick }) {
  const rounds = quick ? 2 : 5;
  const seconds = quick ? 1 : 2;
  const bare = await launch(ours('bare'));
  load(bare.port, '/', 20, 1);
  const rows = [];
  for (const { what, url, path, checks, workMs, mode, target } of contestants(quick)) {
    const server = await launch(url, checks, workMs, mode);
    load(server.port, path, 20, 1);
    for (const connections of workMs > 0 ? [20] : CONNECTIONS) {
      const ratios = [];
      const seen = [];
      for (let round = 0; round < rounds; round++) {
        // The baseline before and after, so that what the machine does meanwhile falls on both.
        const before = await cpuPerRequest(bare, '/', connections, seconds);
        const one = await cpuPerRequest(server, path, connections, seconds);
        const after = await cpuPerRequest(bare, '/', connections, seconds);
        ratios.push(one.cpuMicros / ((before.cpuMicros + after.cpuMicros) / 2));
        seen.push(one);
      }
      const row = {
        what,
        checks,
        connections,
        ratio: median(ratios),
        cpuMicros: median(seen.map((each) => each.cpuMicros)),
        perSecond: median(seen.map((each) => each.perSecond)),
        p99Ms: median(seen.map((each) => each.p99Ms)),
        ...(target === undefined ? {} : { target }),
      };
      rows.push(row);
      console.log(`${what}, ${checks} checks, ${connections} connections: ${row.ratio.toFixed(2)}`);
    }
    server.end();
  }
  bare.end();
  return rows;
}
