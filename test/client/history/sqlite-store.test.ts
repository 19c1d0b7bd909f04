import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { type SqliteDatabase, sqliteStore } from '../../../src/client/index.js';
import { A, batchOf, rowAt, T0 } from './support/rows.js';

const ALL = { from: 0, to: 8_640_000_000_000_000, limit: 10_000, order: 'asc' } as const;
const SEED_TABLE = `CREATE TABLE instance_health_snapshots (
  instance_id TEXT NOT NULL, startup_ok INTEGER NOT NULL, readiness_ok INTEGER NOT NULL, liveness_ok INTEGER NOT NULL,
  had_backup INTEGER NOT NULL, restored INTEGER NOT NULL, latency_ms INTEGER NOT NULL, inserted_at INTEGER NOT NULL)`;
const insert = (database: Database.Database, at: number) =>
  database.prepare('INSERT INTO instance_health_snapshots VALUES (?, 1, 1, 1, 0, 0, 7, ?)').run(A, T0 + at);
const versions = (database: Database.Database) =>
  database.prepare('SELECT version FROM instance_health_migrations ORDER BY version').pluck().all();
const indexes = (database: Database.Database) =>
  database
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL ORDER BY name")
    .pluck()
    .all();

describe('migrate()', () => {
  it('makes the table of the seed, with its columns and no others', async () => {
    const database = new Database(':memory:');
    await sqliteStore(database).migrate();
    const columns = database.prepare("SELECT name FROM pragma_table_info('instance_health_snapshots')").pluck().all();
    expect(columns).toEqual([
      'instance_id',
      'startup_ok',
      'readiness_ok',
      'liveness_ok',
      'had_backup',
      'restored',
      'latency_ms',
      'inserted_at',
    ]);
    expect(versions(database)).toEqual([1, 2, 3]);
  });

  it('takes over a table that somebody made by hand, with what is in it', async () => {
    const database = new Database(':memory:');
    database.exec(SEED_TABLE);
    insert(database, 0);
    const store = sqliteStore(database);
    await store.migrate();
    await store.write(batchOf([rowAt(1)]));
    expect(await store.range(A, ALL)).toEqual([rowAt(0), rowAt(1)]);
    expect(indexes(database)).toEqual(['instance_health_snapshots_inserted_at', 'instance_health_snapshots_uptime']);
  });

  it.each([1, 2])('upgrades from version %i, and keeps what is there', async (version) => {
    const database = new Database(':memory:');
    const older = sqliteStore(database);
    await older.migrate();
    insert(database, 0);
    database.exec(
      `DELETE FROM instance_health_migrations WHERE version > ${version}; DROP TABLE instance_health_writers`,
    );
    if (version < 2) {
      database.exec('DROP INDEX instance_health_snapshots_uptime; DROP INDEX instance_health_snapshots_inserted_at');
    }
    const store = sqliteStore(database);
    await store.migrate();
    await store.write(batchOf([rowAt(1)]));
    expect(await store.range(A, ALL)).toEqual([rowAt(0), rowAt(1)]);
    expect(versions(database)).toEqual([1, 2, 3]);
    expect(indexes(database)).toHaveLength(2);
  });

  it('refuses a schema that is newer than it knows', async () => {
    const database = new Database(':memory:');
    await sqliteStore(database).migrate();
    database.exec('INSERT INTO instance_health_migrations VALUES (4, 0)');
    await expect(sqliteStore(database).migrate()).rejects.toThrow('the schema has version 4, and this release knows 3');
  });

  it('refuses a table whose times are texts, and leaves the database as it was', async () => {
    const database = new Database(':memory:');
    database.exec(SEED_TABLE.replace('inserted_at INTEGER', 'inserted_at TEXT'));
    await expect(sqliteStore(database).migrate()).rejects.toThrow('inserted_at must be INTEGER');
    expect(database.inTransaction).toBe(false);
    expect(indexes(database)).toEqual([]);
  });

  it('waits 50 ms for a lock unless told otherwise', async () => {
    const database = new Database(':memory:');
    await sqliteStore(database).migrate();
    expect(database.pragma('busy_timeout', { simple: true })).toBe(50);
    await sqliteStore(database, { busyTimeoutMs: 0 }).migrate();
    expect(database.pragma('busy_timeout', { simple: true })).toBe(0);
  });

  it.each([
    [{}, true],
    [{ wal: true }, true],
    [{ wal: false }, false],
  ])('asks for write-ahead logging with %j: %s', async (options, asked) => {
    const database = new Database(':memory:');
    const told: string[] = [];
    const spy: SqliteDatabase = {
      exec: (sql) => {
        told.push(sql);
        return database.exec(sql);
      },
      prepare: (sql) => database.prepare(sql),
    };
    await sqliteStore(spy, options).migrate();
    expect(told.includes('PRAGMA journal_mode = WAL')).toBe(asked);
  });
});

describe('write()', () => {
  it('marks a broken constraint as a refusal, and leaves nothing of the batch behind', async () => {
    const database = new Database(':memory:');
    const store = sqliteStore(database);
    await store.migrate();
    database.exec('CREATE UNIQUE INDEX once ON instance_health_snapshots (instance_id, inserted_at)');
    await store.write(batchOf([rowAt(0)]));
    const refusal = store.write(batchOf([rowAt(1), rowAt(0)], 2));
    await expect(refusal).rejects.toMatchObject({ refused: true, message: expect.stringMatching(/UNIQUE/) });
    expect(await store.range(A, ALL)).toEqual([rowAt(0)]);
    expect(database.inTransaction).toBe(false);
  });

  it('does not call it a refusal where the database is at fault', async () => {
    const database = new Database(':memory:');
    const store = sqliteStore(database);
    await store.migrate();
    database.exec('DROP TABLE instance_health_writers');
    const failure = await store.write(batchOf([rowAt(0)])).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'SQLITE_ERROR' });
    expect(failure).not.toHaveProperty('refused');
  });

  it('leaves a transaction alone that somebody else has open on the connection', async () => {
    const database = new Database(':memory:');
    const store = sqliteStore(database);
    await store.migrate();
    database.exec('BEGIN');
    insert(database, 0);
    await expect(store.write(batchOf([rowAt(1)]))).rejects.toThrow(/within a transaction/);
    database.exec('COMMIT');
    expect(await store.range(A, ALL)).toEqual([rowAt(0)]);
  });
});

it('reads what a connection gives as BigInt', async () => {
  const database = new Database(':memory:');
  database.defaultSafeIntegers();
  const store = sqliteStore(database);
  await store.migrate();
  await store.write(batchOf([rowAt(0, { readinessOk: false })]));
  expect(await store.latest(A)).toEqual(rowAt(0, { readinessOk: false }));
  expect(await store.uptime(A, { from: T0, to: T0 + 10, maxGapMs: 5 })).toEqual({ upMs: 0, downMs: 5 });
  expect(await store.prune(T0 + 1, 5)).toBe(1);
});

it('forgets writers that have written nothing for thirty days, when it removes rows', async () => {
  const database = new Database(':memory:');
  const store = sqliteStore(database);
  await store.migrate();
  await store.write(batchOf([rowAt(0)], 1, 'old'));
  await store.write(batchOf([rowAt(0)], 1, 'new'));
  database.exec("UPDATE instance_health_writers SET seen_at = seen_at - 30 * 86400 - 2 WHERE writer = 'old'");
  await store.prune(T0, 10);
  expect(database.prepare('SELECT writer FROM instance_health_writers').pluck().all()).toEqual(['new']);
});

it.each(['uptime', 'latest', 'asc', 'prune'])('reads by an index and sorts nothing that is large: %s', async (name) => {
  const database = new Database(':memory:');
  const plans = new Map<string, string>();
  const spy: SqliteDatabase = {
    exec: (sql) => database.exec(sql),
    prepare: (sql) => {
      if (/instance_health_snapshots/.test(sql) && !/INSERT/.test(sql)) {
        const values = (sql.match(/\?/g) ?? []).map(() => 1);
        const plan = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...values) as { detail: string }[];
        plans.set(sql, plan.map(({ detail }) => detail).join('; '));
      }
      return database.prepare(sql);
    },
  };
  const store = sqliteStore(spy);
  await store.migrate();
  plans.clear();
  if (name === 'uptime') await store.uptime(A, { from: T0, to: T0 + 1, maxGapMs: 1 });
  else if (name === 'latest') await store.latest(A);
  else if (name === 'asc') await store.range(A, ALL);
  else await store.prune(T0, 1);
  const [plan = ''] = plans.values();
  expect(plan).toMatch(
    name === 'uptime' ? /COVERING INDEX instance_health_snapshots_uptime/ : /USING (COVERING )?INDEX/,
  );
  // Sorted by the index, but for rows of one time.
  expect(plan).not.toMatch(/USE TEMP B-TREE FOR ORDER BY/);
});
