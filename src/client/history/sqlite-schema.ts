import type { SqliteDatabase } from './sqlite-database.js';

/** Each brings the schema from the version before it to its own, the first one to version 1. Never changed, only added to. */
const MIGRATIONS: readonly string[] = [
  // The table of seed 000. One that somebody made by hand is taken over.
  `CREATE TABLE IF NOT EXISTS instance_health_snapshots (
    instance_id TEXT NOT NULL,
    startup_ok INTEGER NOT NULL,
    readiness_ok INTEGER NOT NULL,
    liveness_ok INTEGER NOT NULL,
    had_backup INTEGER NOT NULL,
    restored INTEGER NOT NULL,
    latency_ms INTEGER NOT NULL,
    inserted_at INTEGER NOT NULL
  )`,
  // What uptime reads is all in the first; the second is for pruning.
  `CREATE INDEX IF NOT EXISTS instance_health_snapshots_uptime
    ON instance_health_snapshots (instance_id, inserted_at, startup_ok, readiness_ok);
  CREATE INDEX IF NOT EXISTS instance_health_snapshots_inserted_at
    ON instance_health_snapshots (inserted_at)`,
  // How far each writer has come, so that no row is written twice.
  `CREATE TABLE instance_health_writers (
    writer TEXT NOT NULL PRIMARY KEY,
    sequence INTEGER NOT NULL,
    seen_at INTEGER NOT NULL
  ) WITHOUT ROWID`,
];

const VERSIONS = `CREATE TABLE IF NOT EXISTS instance_health_migrations (
  version INTEGER NOT NULL PRIMARY KEY,
  applied_at INTEGER NOT NULL
)`;
const NOW_MS = "CAST(strftime('%s', 'now') AS INTEGER) * 1000";

/** Makes the schema as it is now. Several processes that do so at once wait for each other, or fail as busy. */
export function migrateSqlite(database: SqliteDatabase): void {
  inTransaction(database, () => {
    database.exec(VERSIONS);
    const found = database.prepare('SELECT coalesce(max(version), 0) AS version FROM instance_health_migrations').get();
    const version = Number((found as { version: unknown }).version);
    if (version > MIGRATIONS.length) {
      throw new Error(`the schema has version ${version}, and this release knows ${MIGRATIONS.length}: update it`);
    }
    for (const [index, migration] of MIGRATIONS.entries()) {
      if (index < version) continue;
      database.exec(migration);
      database.exec(`INSERT INTO instance_health_migrations VALUES (${index + 1}, ${NOW_MS})`);
    }
    refuseForeignTable(database);
  });
}

/** Of a table that was there before us, times written as texts would never compare with ours. */
function refuseForeignTable(database: SqliteDatabase): void {
  const found = database
    .prepare("SELECT type FROM pragma_table_info('instance_health_snapshots') WHERE name = 'inserted_at'")
    .get();
  const type = String((found as { type?: unknown } | undefined)?.type);
  if (type.toUpperCase() === 'INTEGER') return;
  throw new Error(`instance_health_snapshots.inserted_at must be INTEGER (milliseconds since 1970), and is ${type}`);
}

/** All or nothing. A transaction that somebody else has open on this connection is left alone: then this throws. */
export function inTransaction<Value>(database: SqliteDatabase, work: () => Value): Value {
  database.exec('BEGIN IMMEDIATE');
  try {
    const value = work();
    database.exec('COMMIT');
    return value;
  } catch (error) {
    try {
      database.exec('ROLLBACK');
    } catch {
      // SQLite has rolled it back itself, as it does when the disk is full.
    }
    throw error;
  }
}
