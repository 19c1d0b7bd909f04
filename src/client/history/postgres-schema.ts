import type { InstanceIdKind } from './instance-ids.js';

const SQL_TYPES: Readonly<Record<InstanceIdKind, string>> = { uuid: 'uuid', text: 'text' };

/** Each brings the schema from the version before it to its own, the first one to version 1. Never changed, only added to. */
const MIGRATIONS: readonly ((idType: string) => string)[] = [
  // The table of seed 000. One that somebody made by hand is taken over.
  (idType) => `CREATE TABLE IF NOT EXISTS instance_health_snapshots (
      instance_id ${idType} NOT NULL,
      startup_ok boolean NOT NULL,
      readiness_ok boolean NOT NULL,
      liveness_ok boolean NOT NULL,
      had_backup boolean NOT NULL,
      restored boolean NOT NULL,
      latency_ms integer NOT NULL,
      inserted_at timestamptz NOT NULL
    );`,
  // What uptime reads is all in the first; the second is for pruning.
  () => `CREATE INDEX IF NOT EXISTS instance_health_snapshots_uptime
      ON instance_health_snapshots (instance_id, inserted_at, startup_ok, readiness_ok);
    CREATE INDEX IF NOT EXISTS instance_health_snapshots_inserted_at
      ON instance_health_snapshots (inserted_at);`,
  // How far each writer has come, so that no row is written twice.
  () => `CREATE TABLE instance_health_writers (
      writer text NOT NULL PRIMARY KEY,
      sequence bigint NOT NULL,
      previous bigint NOT NULL,
      seen_at timestamptz NOT NULL
    );`,
];

/** Any number that is always the same: who migrates waits for whoever holds a lock of it. */
const LOCK = 4_917_220_313;

/**
 * The schema as it is now, made by several statements in one query, which PostgreSQL runs as one transaction. So it
 * needs no connection of its own, and several processes wait for each other.
 */
export function migratePostgres(ids: InstanceIdKind): string {
  const idType = SQL_TYPES[ids];
  const steps = MIGRATIONS.map(
    (migration, index) => `
  IF at < ${index + 1} THEN
    ${migration(idType)}
    INSERT INTO instance_health_migrations VALUES (${index + 1}, now());
  END IF;`,
  );
  return `
SELECT pg_advisory_xact_lock(${LOCK});
CREATE TABLE IF NOT EXISTS instance_health_migrations (version integer NOT NULL PRIMARY KEY, applied_at timestamptz NOT NULL);
DO $migrate$
DECLARE at integer;
BEGIN
  SELECT coalesce(max(version), 0) INTO at FROM instance_health_migrations;
  IF at > ${MIGRATIONS.length} THEN
    RAISE EXCEPTION 'the schema has version %, and this release knows ${MIGRATIONS.length}: update it', at;
  END IF;${steps.join('')}
${typeCheck('instance_id', idType, `the store takes ids of the kind "${ids}"`)}
${typeCheck('inserted_at', 'timestamp with time zone', 'times are moments')}
END
$migrate$`;
}

/** Of a table that was there before us. */
function typeCheck(column: string, type: string, why: string): string {
  const found = `(SELECT format_type(atttypid, NULL) FROM pg_attribute
      WHERE attrelid = 'instance_health_snapshots'::regclass AND attname = '${column}')`;
  return `  IF ${found} IS DISTINCT FROM '${type}' THEN
    RAISE EXCEPTION 'instance_health_snapshots.${column} must be ${type}, since ${why}, and is %', ${found};
  END IF;`;
}
