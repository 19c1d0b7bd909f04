// What a history costs: writing a million rows of fifty instances, the loop's delay meanwhile and at the pace of 10,000
// instances polled every 5 s, and reading uptime out of a table of that size. PostgreSQL is left out where it is not
// on this machine.
//   node --import tsx test/bench/history.mjs [rows]
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import Database from 'better-sqlite3';
import { systemClock } from 'health-controller';
import { memoryStore, postgresStore, SnapshotHistory, sqliteStore } from 'health-controller/client';
import { postgresFolder, startPostgres } from '../integration/history/support/postgres.ts';
import { median } from './measure.mjs';

const [rows = 1_000_000] = process.argv.slice(2).map(Number);
const INSTANCES = Array.from({ length: 50 }, (_, n) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`);
const PERIOD_MS = 5000;
const T0 = Date.UTC(2026, 0, 1);
const end = T0 + (rows / INSTANCES.length) * PERIOD_MS;
const turn = () => new Promise((resolve) => setImmediate(resolve));
const ms = (value) => `${value.toFixed(value < 10 ? 2 : 0)} ms`;

const probe = (ok) => ({ ok, status: ok ? 'success' : 'failure', latencyMs: 4 });
const snapshots = [true, false].map((ok) => ({
  startup: probe(true),
  readiness: probe(ok),
  liveness: probe(true),
  restoreStatus: { hadBackup: false, restored: false },
}));

/** Calls it while the loop's delay is watched. */
async function watched(work) {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  await turn();
  delay.enable();
  const cpu = process.cpuUsage();
  const began = performance.now();
  await work();
  const tookMs = performance.now() - began;
  const { user, system } = process.cpuUsage(cpu);
  delay.disable();
  const loop = `loop's delay p99 ${ms(delay.percentile(99) / 1e6)}, most ${ms(delay.max / 1e6)}`;
  return { tookMs, cpuMs: (user + system) / 1000, loop };
}

async function timeOf(work, times = 20) {
  const took = [];
  for (let n = 0; n < times; n++) {
    const began = performance.now();
    await work();
    took.push(performance.now() - began);
  }
  return `${ms(median(took))} (most ${ms(Math.max(...took))})`;
}

async function measure(name, store) {
  let wall = T0;
  const clock = { ...systemClock, wall: () => wall };
  const history = new SnapshotHistory({ store, clock });
  await history.latest(INSTANCES[0]);
  const written = await watched(async () => {
    for (let row = 0; row < rows; row++) {
      wall = T0 + Math.floor(row / INSTANCES.length) * PERIOD_MS;
      history.record(INSTANCES[row % INSTANCES.length], snapshots[row % 97 === 0 ? 1 : 0]);
      if (row % 100 === 99) while (history.stats.queued > 5000) await turn();
    }
    await history.flush();
  });
  wall = end;
  if (history.stats.written !== rows) throw new Error(`${name}: ${JSON.stringify(history.stats)}`);
  const perSecond = Math.round((rows / written.tookMs) * 1000).toLocaleString('en');
  const cpuMicros = ((written.cpuMs / rows) * 1000).toFixed(1);
  console.log(
    `${name}: ${rows} rows, ${perSecond} a second, ${cpuMicros} µs CPU a row of this process; ${written.loop}`,
  );

  const id = INSTANCES[7];
  const count = Math.floor(rows / INSTANCES.length);
  console.log(`  uptime of ${count} rows of one instance: ${await timeOf(() => history.uptime(id, { from: T0 }))}`);
  console.log(`  uptime of an hour: ${await timeOf(() => history.uptime(id, { from: end - 3_600_000 }))}`);
  console.log(`  latest: ${await timeOf(() => history.latest(id))}`);
  console.log(`  range of the newest 1000: ${await timeOf(() => history.range(id, { order: 'desc' }))}`);
  console.log(`  removal of the oldest 1000: ${await timeOf(() => store.prune(T0 + 10 * 365 * 86_400_000, 1000), 5)}`);

  // Ten thousand instances every 5 s, for 5 s.
  const before = history.stats.written;
  const paced = await watched(async () => {
    for (let tick = 0; tick < 100; tick++) {
      wall += 50;
      for (let n = 0; n < 100; n++) history.record(INSTANCES[n % INSTANCES.length], snapshots[0]);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    await history.flush();
  });
  const share = ((paced.cpuMs / paced.tookMs) * 100).toFixed(1);
  const at = Math.round(((history.stats.written - before) / paced.tookMs) * 1000);
  console.log(`  at ${at} rows a second: ${share} % CPU of this process; ${paced.loop}`);
  await history.close();
}

await measure('memory', memoryStore({ capacityPerInstance: Math.ceil(rows / INSTANCES.length) + 1000 }));

const folder = mkdtempSync(join(tmpdir(), 'hc-bench-'));
const file = join(folder, 'history.db');
const database = new Database(file);
await measure('SQLite', sqliteStore(database));
database.pragma('wal_checkpoint(TRUNCATE)');
console.log(`  ${(statSync(file).size / rows).toFixed(0)} bytes a row`);
database.close();
rmSync(folder, { recursive: true });

if (postgresFolder() === undefined) console.log('PostgreSQL: not measured, since it is not on this machine');
else {
  const server = await startPostgres();
  try {
    const pool = server.pool();
    await measure('PostgreSQL', postgresStore(pool));
    const { rows: sizes } = await pool.query("SELECT pg_total_relation_size('instance_health_snapshots') AS bytes");
    console.log(`  ${(Number(sizes[0].bytes) / rows).toFixed(0)} bytes a row`);
  } finally {
    await server.destroy();
  }
}
