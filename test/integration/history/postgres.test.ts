import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { postgresStore, SnapshotHistory, type SnapshotHistoryOptions } from '../../../src/client/index.js';
import { A, B, batchOf, rowAt, snapshotOf, T0 } from '../../client/history/support/rows.js';
import { describeStore } from '../../client/history/support/store-contract.js';
import { eventually } from '../instance/support/eventually.js';
import { needs } from '../support/needs.js';
import { openLossyWire } from './support/lossy-wire.js';
import { type Postgres, postgresFolder, startPostgres } from './support/postgres.js';

const present = await needs('postgresql', () => postgresFolder() !== undefined);

describe.skipIf(!present)('PostgreSQL', () => {
  let server: Postgres;
  let admin: pg.Pool;
  let schemas = 0;

  beforeAll(async () => {
    server = await startPostgres();
    admin = server.pool();
  });

  afterAll(async () => {
    await server?.destroy();
  });

  /** A schema of its own, in which the pool finds and makes its tables. */
  async function openSchema(options: pg.PoolConfig = {}) {
    const schema = `s${++schemas}`;
    await admin.query(`CREATE SCHEMA ${schema}`);
    const pool = server.pool({ options: `-c search_path=${schema}`, ...options });
    return { pool, schema };
  }

  /** The latencies of all rows, which tests use as their numbers, in order. */
  async function numbersIn(schema: string): Promise<number[]> {
    const { rows } = await admin.query(`SELECT latency_ms FROM ${schema}.instance_health_snapshots ORDER BY 1`);
    return rows.map(({ latency_ms }) => latency_ms);
  }

  /** Records rows numbered from 1. */
  function numbered(history: SnapshotHistory) {
    let number = 0;
    const snapshot = snapshotOf();
    return (count: number) => {
      for (let n = 0; n < count; n++) {
        number++;
        history.record(number % 2 === 0 ? A : B, {
          ...snapshot,
          startup: { ok: true, status: 'success', latencyMs: number - 2 },
        });
      }
      return number;
    };
  }

  const upTo = (count: number) => Array.from({ length: count }, (_, n) => n + 1);
  const eager: Partial<SnapshotHistoryOptions> = { flushIntervalMs: 20, initialBackoffMs: 50, maxBackoffMs: 200 };

  describeStore(
    'PostgreSQL',
    async () => {
      const { pool, schema } = await openSchema();
      return {
        store: postgresStore(pool),
        destroy: async () => {
          await pool.end();
          await admin.query(`DROP SCHEMA ${schema} CASCADE`);
        },
      };
    },
    { runs: 100 },
  );

  describe('migrate()', () => {
    it('makes the table of the seed, with its columns and no others', async () => {
      const { pool, schema } = await openSchema();
      await postgresStore(pool).migrate();
      const { rows } = await admin.query(
        "SELECT column_name || ' ' || data_type AS is FROM information_schema.columns WHERE table_schema = $1 AND table_name = 'instance_health_snapshots' ORDER BY ordinal_position",
        [schema],
      );
      expect(rows.map(({ is }) => is)).toEqual([
        'instance_id uuid',
        'startup_ok boolean',
        'readiness_ok boolean',
        'liveness_ok boolean',
        'had_backup boolean',
        'restored boolean',
        'latency_ms integer',
        'inserted_at timestamp with time zone',
      ]);
    });

    it('is done once by many processes at the same time', async () => {
      const { schema } = await openSchema();
      const pools = Array.from({ length: 10 }, () => server.pool({ options: `-c search_path=${schema}`, max: 1 }));
      await Promise.all(pools.map((pool) => postgresStore(pool).migrate()));
      const { rows } = await admin.query(`SELECT version FROM ${schema}.instance_health_migrations ORDER BY 1`);
      expect(rows).toEqual([{ version: 1 }, { version: 2 }, { version: 3 }]);
      await Promise.all(pools.map((pool) => pool.end()));
    });

    it('takes over a table that somebody made by hand, with what is in it', async () => {
      const { pool, schema } = await openSchema();
      await admin.query(`
        CREATE TABLE ${schema}.instances (id uuid PRIMARY KEY); INSERT INTO ${schema}.instances VALUES ('${A}');
        CREATE TABLE ${schema}.instance_health_snapshots (
          instance_id uuid REFERENCES ${schema}.instances, startup_ok boolean, readiness_ok boolean, liveness_ok boolean,
          had_backup boolean, restored boolean, latency_ms integer, inserted_at timestamptz);
        INSERT INTO ${schema}.instance_health_snapshots VALUES ('${A}', true, true, true, false, false, 7, '2026-01-01Z')`);
      const store = postgresStore(pool);
      await store.migrate();
      await store.write(batchOf([rowAt(1)]));
      const all = { from: 0, to: T0 * 2, limit: 10, order: 'asc' } as const;
      expect(await store.range(A, all)).toEqual([rowAt(0), rowAt(1)]);
    });

    it.each([1, 2])('upgrades from version %i, and keeps what is there', async (version) => {
      const { pool } = await openSchema();
      const older = postgresStore(pool);
      await older.migrate();
      await older.write(batchOf([rowAt(0)]));
      await pool.query(
        `DELETE FROM instance_health_migrations WHERE version > ${version}; DROP TABLE instance_health_writers`,
      );
      if (version < 2) {
        await pool.query('DROP INDEX instance_health_snapshots_uptime, instance_health_snapshots_inserted_at');
      }
      const store = postgresStore(pool);
      await store.migrate();
      await store.write(batchOf([rowAt(1)]));
      expect(await store.uptime(A, { from: T0, to: T0 + 100, maxGapMs: 5 })).toEqual({ upMs: 6, downMs: 0 });
      const { rows } = await pool.query('SELECT max(version) AS version FROM instance_health_migrations');
      expect(rows).toEqual([{ version: 3 }]);
    });

    it('refuses a schema that is newer than it knows, and a table of other types', async () => {
      const newer = await openSchema();
      await postgresStore(newer.pool).migrate();
      await newer.pool.query('INSERT INTO instance_health_migrations VALUES (4, now())');
      await expect(postgresStore(newer.pool).migrate()).rejects.toThrow('has version 4, and this release knows 3');
      const other = await openSchema();
      await postgresStore(other.pool, { ids: 'text' }).migrate();
      await expect(postgresStore(other.pool).migrate()).rejects.toThrow('instance_id must be uuid');
      await other.pool.query('ALTER TABLE instance_health_snapshots ALTER inserted_at TYPE timestamp');
      await expect(postgresStore(other.pool, { ids: 'text' }).migrate()).rejects.toThrow(
        'inserted_at must be timestamp with',
      );
    });

    it('makes a column of texts where ids are texts', async () => {
      const { pool } = await openSchema();
      const store = postgresStore(pool, { ids: 'text' });
      await store.migrate();
      await store.write(batchOf([rowAt(0, { instanceId: "worker-1 'x' {,\\\"}" })]));
      expect((await store.latest("worker-1 'x' {,\\\"}"))?.insertedAt).toBe(T0);
    });
  });

  it('reads uptime by its index alone', async () => {
    const { pool } = await openSchema();
    const store = postgresStore(pool);
    await store.migrate();
    for (let batch = 0; batch < 10; batch++) {
      await store.write(
        batchOf(
          Array.from({ length: 500 }, (_, n) => rowAt(batch * 500 + n, n % 20 === 0 ? {} : { instanceId: B })),
          batch * 500 + 1,
        ),
      );
    }
    await pool.query('VACUUM ANALYZE instance_health_snapshots');
    const asked: { text: string; values: unknown[] }[] = [];
    await postgresStore({
      query: async (text, values = []) => {
        asked.push({ text, values });
        return pool.query(text, values);
      },
    }).uptime(A, { from: T0, to: T0 + 1000, maxGapMs: 100 });
    const [{ text = '', values = [] } = {}] = asked;
    const { rows } = await pool.query(`EXPLAIN ${text}`, values);
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(plan).toContain('Index Only Scan using instance_health_snapshots_uptime');
    expect(plan).not.toContain('Sort');
  });

  it('drops the rows whose instance is not there, and writes all others', async () => {
    const { pool, schema } = await openSchema();
    const store = postgresStore(pool);
    await store.migrate();
    await pool.query(`CREATE TABLE instances (id uuid PRIMARY KEY); INSERT INTO instances VALUES ('${A}');
      ALTER TABLE instance_health_snapshots ADD FOREIGN KEY (instance_id) REFERENCES instances ON DELETE CASCADE`);
    const history = new SnapshotHistory({ store, ...eager });
    const reasons = new Set<string>();
    history.on('dropped', ({ reason }) => reasons.add(reason));
    numbered(history)(100);
    expect(await history.flush()).toBe(true);
    expect(history.stats).toMatchObject({ written: 50, dropped: 50, failures: 0 });
    expect(await numbersIn(schema)).toEqual(upTo(100).filter((number) => number % 2 === 0));
    expect([...reasons]).toEqual(['refused']);
    await history.close();
  });

  it('has everything once after it was killed and started again in the middle of writing', async () => {
    const { pool, schema } = await openSchema();
    const history = new SnapshotHistory({ store: postgresStore(pool), batchSize: 50, ...eager });
    const record = numbered(history);
    const told: string[] = [];
    history.on('failed', ({ operation }) => told.push(`failed ${operation}`));
    history.on('recovered', () => told.push('recovered'));
    for (let round = 0; round < 3; round++) {
      record(2000);
      await eventually(
        () => history.stats.written,
        (written) => written > round * 2000 + 300,
      );
      const failures = history.stats.failures;
      const killed = server.kill();
      const acknowledged = history.stats.written;
      record(500);
      await killed;
      await eventually(
        () => history.stats.failures,
        (count) => count > failures,
      );
      expect(history.stats.queued).toBeGreaterThan(0);
      await server.start();
      const kept = await numbersIn(schema);
      expect(kept.length).toBeGreaterThanOrEqual(acknowledged);
      await eventually(
        () => history.stats.queued,
        (queued) => queued === 0,
      );
    }
    const { recorded, written, dropped } = history.stats;
    expect({ recorded, written, dropped }).toEqual({ recorded: 7500, written: 7500, dropped: 0 });
    expect(await numbersIn(schema)).toEqual(upTo(7500));
    expect(told).toContain('failed write');
    expect(told.at(-1)).toBe('recovered');
    await history.close();
  });

  it('drops what the queue cannot hold while it is down, and counts it to the row', async () => {
    const { pool, schema } = await openSchema();
    const history = new SnapshotHistory({ store: postgresStore(pool), batchSize: 50, maxQueued: 300, ...eager });
    let told = 0;
    history.on('dropped', ({ count }) => {
      told += count;
    });
    const record = numbered(history);
    record(100);
    await history.flush();
    await server.kill();
    record(1000);
    await eventually(
      () => history.stats.failures,
      (failures) => failures > 0,
    );
    await server.start();
    await eventually(
      () => history.stats.queued,
      (queued) => queued === 0,
    );
    const { written, dropped } = history.stats;
    await history.close();
    expect(dropped).toBe(700);
    expect(told).toBe(700);
    expect(await numbersIn(schema)).toHaveLength(written);
    expect(written + dropped).toBe(1100);
  });

  it('has rows once whose write was committed and whose answer was lost', async () => {
    const wire = await openLossyWire(server.port);
    const { pool, schema } = await openSchema({ port: wire.port });
    const history = new SnapshotHistory({ store: postgresStore(pool), ...eager });
    const record = numbered(history);
    for (let round = 1; round <= 5; round++) {
      const failures = history.stats.failures;
      record(10);
      await history.flush();
      record(10);
      wire.withhold();
      await eventually(
        () => numbersIn(schema),
        ({ length }) => length === round * 20,
      );
      expect(history.stats.written).toBe(round * 20 - 10);
      wire.cut();
      await eventually(
        () => history.stats.written,
        (written) => written === round * 20,
      );
      expect(history.stats.failures).toBeGreaterThan(failures);
    }
    expect(await numbersIn(schema)).toEqual(upTo(100));
    await history.close();
    await pool.end();
    await wire.close();
  });

  it('has rows once that were written late, by a call that was given up', async () => {
    const { pool, schema } = await openSchema();
    const history = new SnapshotHistory({ store: postgresStore(pool), storeTimeoutMs: 150, ...eager });
    const record = numbered(history);
    record(10);
    await history.flush();
    const other = await admin.connect();
    await other.query(`BEGIN; LOCK TABLE ${schema}.instance_health_snapshots`);
    record(10);
    await eventually(
      () => history.stats.failures,
      (failures) => failures >= 3,
    );
    record(10);
    await other.query('COMMIT');
    other.release();
    await eventually(
      () => history.stats.queued,
      (queued) => queued === 0,
    );
    await history.close();
    await pool.end();
    expect(await numbersIn(schema)).toEqual(upTo(30));
  });

  it('forgets writers that have written nothing for thirty days, when it removes rows', async () => {
    const { pool } = await openSchema();
    const store = postgresStore(pool);
    await store.migrate();
    for (const writer of ['old', 'new']) await store.write(batchOf([rowAt(0)], 1, writer));
    await pool.query("UPDATE instance_health_writers SET seen_at = now() - interval '31 days' WHERE writer = 'old'");
    await store.prune(T0, 10);
    const { rows } = await pool.query('SELECT writer FROM instance_health_writers');
    expect(rows).toEqual([{ writer: 'new' }]);
  });

  it('is pruned by two histories at once without harm', async () => {
    const { pool, schema } = await openSchema();
    const store = postgresStore(pool);
    await store.migrate();
    await store.write(batchOf(Array.from({ length: 2000 }, (_, n) => rowAt(n))));
    const prune = async () => {
      let sum = 0;
      for (let count = 1; count > 0; sum += count) count = await store.prune(T0 + 1500, 100);
      return sum;
    };
    const [first, second] = await Promise.all([prune(), prune()]);
    expect(first + second).toBe(1500);
    expect(await numbersIn(schema)).toHaveLength(500);
  });
});
