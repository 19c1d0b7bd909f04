import { checkValue, duration, flag, having, isErrorLike, oneOf, readOptions } from '../../kit.js';
import type { InstanceIdKind } from './instance-ids.js';
import { type SnapshotRow, SQL_ORDER } from './row.js';
import { rowFrom } from './row-from.js';
import { type SqliteDatabase, type SqliteStatement, saysRefused } from './sqlite-database.js';
import { inTransaction, migrateSqlite } from './sqlite-schema.js';
import {
  type KnownTime,
  type RowRange,
  refusal,
  type SnapshotBatch,
  type SnapshotStore,
  type UptimeWindow,
} from './store.js';

/** Options of {@link sqliteStore}. */
export interface SqliteStoreOptions {
  /**
   * What ids of instances are.
   * @defaultValue 'text'
   */
  readonly ids?: InstanceIdKind | undefined;
  /**
   * How long SQLite waits, with the event loop blocked, for a database that another connection has locked. After that the
   * history tries again later, without blocking. 0: it does not wait.
   * @defaultValue 50
   */
  readonly busyTimeoutMs?: number | undefined;
  /**
   * Whether the file is put into write-ahead logging, which it then keeps: readers and the writer do not lock each other
   * out. False: the journal stays as it is.
   * @defaultValue true
   */
  readonly wal?: boolean | undefined;
}

const SHAPE = { ids: oneOf('uuid', 'text'), busyTimeoutMs: duration(0), wal: flag() };
/** From then on a writer that writes no more is forgotten: no late write of it can be on its way. */
const WRITER_FORGOTTEN_S = 30 * 86_400;

/**
 * Keeps rows in SQLite, through a connection that is yours: a `Database` of better-sqlite3. Give it a connection of its
 * own, since its settings are changed; close it after the history is closed. SQLite works while the event loop waits: one
 * call writes at most a batch, and a read takes as long as its rows.
 * @throws HealthControllerError `invalid_option`
 */
export function sqliteStore(database: SqliteDatabase, options: SqliteStoreOptions = {}): SnapshotStore {
  checkValue('sqliteStore(): the database', having('exec', 'prepare'), database);
  const given: SqliteStoreOptions = readOptions('sqliteStore()', SHAPE, options);
  return new SqliteStore(database, given.ids ?? 'text', given.busyTimeoutMs ?? 50, given.wal ?? true);
}

const COLUMNS = 'instance_id, startup_ok, readiness_ok, liveness_ok, had_backup, restored, latency_ms, inserted_at';
const ASCENDING = SQL_ORDER.join(', ');
const DESCENDING = SQL_ORDER.map((column) => `${column} DESC`).join(', ');

const SQL = {
  mark: 'SELECT sequence FROM instance_health_writers WHERE writer = ?',
  insert: `INSERT INTO instance_health_snapshots (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  remember: `INSERT INTO instance_health_writers VALUES (?, ?, CAST(strftime('%s', 'now') AS INTEGER))
    ON CONFLICT (writer) DO UPDATE SET sequence = excluded.sequence, seen_at = excluded.seen_at`,
  latest: `SELECT ${COLUMNS} FROM instance_health_snapshots WHERE instance_id = ? ORDER BY ${DESCENDING} LIMIT 1`,
  asc: `SELECT ${COLUMNS} FROM instance_health_snapshots
    WHERE instance_id = ? AND inserted_at >= ? AND inserted_at < ? ORDER BY ${ASCENDING} LIMIT ?`,
  desc: `SELECT ${COLUMNS} FROM instance_health_snapshots
    WHERE instance_id = ? AND inserted_at >= ? AND inserted_at < ? ORDER BY ${DESCENDING} LIMIT ?`,
  uptime: `SELECT coalesce(sum(CASE WHEN up THEN stands END), 0) AS up_ms,
      coalesce(sum(CASE WHEN NOT up THEN stands END), 0) AS down_ms
    FROM (
      SELECT startup_ok AND readiness_ok AS up,
        max(0, min(coalesce(lead(inserted_at) OVER ordered, ?), inserted_at + ?, ?) - max(inserted_at, ?)) AS stands
      FROM instance_health_snapshots
      WHERE instance_id = ? AND inserted_at > ? AND inserted_at < ?
      WINDOW ordered AS (ORDER BY inserted_at, startup_ok, readiness_ok)
    )`,
  prune: `DELETE FROM instance_health_snapshots WHERE rowid IN
    (SELECT rowid FROM instance_health_snapshots WHERE inserted_at < ? ORDER BY inserted_at LIMIT ?)`,
  changes: 'SELECT changes() AS rows',
  forget: "DELETE FROM instance_health_writers WHERE seen_at < CAST(strftime('%s', 'now') AS INTEGER) - ?",
};

class SqliteStore implements SnapshotStore {
  readonly ids: InstanceIdKind;
  readonly #database: SqliteDatabase;
  readonly #busyTimeoutMs: number;
  readonly #wal: boolean;
  readonly #statements = new Map<string, SqliteStatement>();

  constructor(database: SqliteDatabase, ids: InstanceIdKind, busyTimeoutMs: number, wal: boolean) {
    this.#database = database;
    this.ids = ids;
    this.#busyTimeoutMs = busyTimeoutMs;
    this.#wal = wal;
  }

  async migrate(): Promise<void> {
    this.#database.exec(`PRAGMA busy_timeout = ${Math.ceil(this.#busyTimeoutMs)}`);
    if (this.#wal) this.#database.exec('PRAGMA journal_mode = WAL');
    migrateSqlite(this.#database);
  }

  async write({ writer, rows }: SnapshotBatch): Promise<void> {
    try {
      inTransaction(this.#database, () => {
        const found = this.#statement('mark').get(writer);
        const mark = found === undefined ? 0 : Number((found as { sequence: unknown }).sequence);
        const insert = this.#statement('insert');
        for (const row of rows) if (row.sequence > mark) insert.run(...valuesOf(row));
        this.#statement('remember').run(writer, Math.max(mark, rows.at(-1)?.sequence ?? 0));
      });
    } catch (error) {
      throw isErrorLike(error) && saysRefused(error) ? refusal(error) : error;
    }
  }

  async latest(instanceId: string): Promise<SnapshotRow | undefined> {
    const found = this.#statement('latest').get(instanceId);
    return found === undefined || found === null ? undefined : rowFrom(found);
  }

  async range(instanceId: string, { from, to, limit, order }: RowRange): Promise<readonly SnapshotRow[]> {
    return this.#statement(order).all(instanceId, from, to, limit).map(rowFrom);
  }

  async uptime(instanceId: string, { from, to, maxGapMs }: UptimeWindow): Promise<KnownTime> {
    const values = [to, maxGapMs, to, from, instanceId, from - maxGapMs, to];
    const found = this.#statement('uptime').get(...values) as { up_ms: unknown; down_ms: unknown };
    return { upMs: Number(found.up_ms), downMs: Number(found.down_ms) };
  }

  async prune(before: number, limit: number): Promise<number> {
    return inTransaction(this.#database, () => {
      this.#statement('prune').run(before, limit);
      const { rows } = this.#statement('changes').get() as { rows: unknown };
      this.#statement('forget').run(WRITER_FORGOTTEN_S);
      return Number(rows);
    });
  }

  async close(): Promise<void> {
    this.#statements.clear();
  }

  /** Prepared when it is first used, once the tables are there. */
  #statement(name: keyof typeof SQL): SqliteStatement {
    const statement = this.#statements.get(name) ?? this.#database.prepare(SQL[name]);
    this.#statements.set(name, statement);
    return statement;
  }
}

function valuesOf(row: SnapshotRow): (string | number)[] {
  return [
    row.instanceId,
    Number(row.startupOk),
    Number(row.readinessOk),
    Number(row.livenessOk),
    Number(row.hadBackup),
    Number(row.restored),
    row.latencyMs,
    row.insertedAt,
  ];
}
