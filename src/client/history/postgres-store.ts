import { checkValue, having, isErrorLike, oneOf, readOptions } from '../../kit.js';
import type { InstanceIdKind } from './instance-ids.js';
import { migratePostgres } from './postgres-schema.js';
import { type SnapshotRow, SQL_ORDER } from './row.js';
import { rowFrom } from './row-from.js';
import {
  type KnownTime,
  type RowRange,
  refusal,
  type SnapshotBatch,
  type SnapshotStore,
  type UptimeWindow,
} from './store.js';

/** What runs queries: a `Pool` of pg. Each call may go to another connection. */
export interface PostgresPool {
  query(text: string, values?: unknown[]): Promise<{ readonly rows: unknown[] }>;
}

/** Options of {@link postgresStore}. */
export interface PostgresStoreOptions {
  /**
   * What ids of instances are, and with it the type of the column `instance_id`. A table of the other type is refused.
   * @defaultValue 'uuid'
   */
  readonly ids?: InstanceIdKind | undefined;
}

const SHAPE = { ids: oneOf('uuid', 'text') };

/**
 * Keeps rows in PostgreSQL 12 or later, through a `Pool` of pg 8 that is yours: listen to its `error` events, or a
 * connection that PostgreSQL ends while it is idle ends your process; end it after the history is closed. The tables are
 * made in the first schema of its `search_path`.
 * @throws HealthControllerError `invalid_option`
 */
export function postgresStore(pool: PostgresPool, options: PostgresStoreOptions = {}): SnapshotStore {
  checkValue('postgresStore(): the pool', having('query'), pool);
  const given: PostgresStoreOptions = readOptions('postgresStore()', SHAPE, options);
  return new PostgresStore(pool, given.ids ?? 'uuid');
}

const AT = (parameter: string) => `to_timestamp(${parameter}::float8 / 1000)`;
const COLUMNS = `instance_id::text AS instance_id, startup_ok, readiness_ok, liveness_ok, had_backup, restored, latency_ms,
  (extract(epoch FROM inserted_at) * 1000)::float8 AS inserted_at`;
// The columns of the table, not those of the answer, which have the same names.
const ASCENDING = SQL_ORDER.map((column) => `kept.${column}`).join(', ');
const DESCENDING = SQL_ORDER.map((column) => `kept.${column} DESC`).join(', ');
const FROM = 'FROM instance_health_snapshots AS kept';
/** In milliseconds: intervals are added up first, since one number out of each is what costs. */
const sum = (filter: string) =>
  `(coalesce(extract(epoch FROM sum(until - since) FILTER (WHERE until > since AND ${filter})), 0) * 1000)::float8`;

function statements(id: string) {
  const range = (order: string) => `SELECT ${COLUMNS} ${FROM}
    WHERE instance_id = $1::${id} AND kept.inserted_at >= ${AT('$2')} AND kept.inserted_at < ${AT('$3')}
    ORDER BY ${order} LIMIT $4::int`;
  return {
    // One statement, so that it is all or nothing. Who writes the same rows at the same time waits at the writer's mark,
    // and finds it moved.
    write: `WITH mark AS (
        INSERT INTO instance_health_writers AS known VALUES ($1::text, $2::bigint, 0, now())
        ON CONFLICT (writer) DO UPDATE SET sequence = excluded.sequence, previous = known.sequence, seen_at = now()
          WHERE known.sequence < excluded.sequence
        RETURNING previous
      )
      INSERT INTO instance_health_snapshots
        (instance_id, startup_ok, readiness_ok, liveness_ok, had_backup, restored, latency_ms, inserted_at)
      SELECT instance_id, startup_ok, readiness_ok, liveness_ok, had_backup, restored, latency_ms, ${AT('inserted_at')}
      FROM mark, unnest($3::bigint[], $4::${id}[], $5::bool[], $6::bool[], $7::bool[], $8::bool[], $9::bool[],
          $10::int[], $11::float8[])
        AS batch (sequence, instance_id, startup_ok, readiness_ok, liveness_ok, had_backup, restored, latency_ms,
          inserted_at)
      WHERE batch.sequence > mark.previous`,
    latest: `SELECT ${COLUMNS} ${FROM} WHERE instance_id = $1::${id} ORDER BY ${DESCENDING} LIMIT 1`,
    asc: range(ASCENDING),
    desc: range(DESCENDING),
    uptime: `SELECT ${sum('up')} AS up_ms, ${sum('NOT up')} AS down_ms FROM (
        SELECT startup_ok AND readiness_ok AS up, greatest(inserted_at, ${AT('$2')}) AS since,
          least(lead(inserted_at) OVER ordered, inserted_at + make_interval(secs => $4::float8 / 1000), ${AT('$3')})
            AS until
        ${FROM}
        WHERE instance_id = $1::${id} AND inserted_at > ${AT('$2')} - make_interval(secs => $4::float8 / 1000)
          AND inserted_at < ${AT('$3')}
        WINDOW ordered AS (ORDER BY inserted_at, startup_ok, readiness_ok)
      ) AS standing`,
    // Rows that somebody else is just removing are his.
    prune: `WITH pruned AS (
        DELETE ${FROM} WHERE ctid = ANY (ARRAY(
          SELECT ctid FROM instance_health_snapshots WHERE inserted_at < ${AT('$1')}
          ORDER BY inserted_at LIMIT $2::int FOR UPDATE SKIP LOCKED))
        RETURNING 1
      ), forgotten AS (
        DELETE FROM instance_health_writers WHERE seen_at < now() - interval '30 days'
      )
      SELECT count(*)::int AS rows FROM pruned`,
  };
}

class PostgresStore implements SnapshotStore {
  readonly ids: InstanceIdKind;
  readonly #pool: PostgresPool;
  readonly #sql: ReturnType<typeof statements>;

  constructor(pool: PostgresPool, ids: InstanceIdKind) {
    this.#pool = pool;
    this.ids = ids;
    this.#sql = statements(ids);
  }

  async migrate(): Promise<void> {
    await this.#pool.query(migratePostgres(this.ids));
  }

  async write({ writer, rows }: SnapshotBatch): Promise<void> {
    const values = [
      writer,
      rows.at(-1)?.sequence ?? 0,
      rows.map(({ sequence }) => sequence),
      rows.map(({ instanceId }) => instanceId),
      rows.map(({ startupOk }) => startupOk),
      rows.map(({ readinessOk }) => readinessOk),
      rows.map(({ livenessOk }) => livenessOk),
      rows.map(({ hadBackup }) => hadBackup),
      rows.map(({ restored }) => restored),
      rows.map(({ latencyMs }) => latencyMs),
      rows.map(({ insertedAt }) => insertedAt),
    ];
    try {
      await this.#pool.query(this.#sql.write, values);
    } catch (error) {
      throw isErrorLike(error) && saysRefused(error) ? refusal(error) : error;
    }
  }

  async latest(instanceId: string): Promise<SnapshotRow | undefined> {
    const { rows } = await this.#pool.query(this.#sql.latest, [instanceId]);
    return rows.map(rowFrom)[0];
  }

  async range(instanceId: string, { from, to, limit, order }: RowRange): Promise<readonly SnapshotRow[]> {
    const { rows } = await this.#pool.query(this.#sql[order], [instanceId, from, to, limit]);
    return rows.map(rowFrom);
  }

  async uptime(instanceId: string, { from, to, maxGapMs }: UptimeWindow): Promise<KnownTime> {
    const { rows } = await this.#pool.query(this.#sql.uptime, [instanceId, from, to, maxGapMs]);
    const found = rows[0] as { up_ms: unknown; down_ms: unknown };
    return { upMs: Math.round(Number(found.up_ms)), downMs: Math.round(Number(found.down_ms)) };
  }

  async prune(before: number, limit: number): Promise<number> {
    const { rows } = await this.#pool.query(this.#sql.prune, [before, limit]);
    return Number((rows[0] as { rows: unknown }).rows);
  }

  async close(): Promise<void> {}
}

/**
 * Whether an error says that the rows are at fault: data exceptions, broken constraints, a check option of a view, and
 * what a trigger raised.
 */
function saysRefused(error: Error): boolean {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && (/^(22|23|44)...$/.test(code) || code === 'P0001');
}
