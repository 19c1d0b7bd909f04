type SqliteValue = string | number;

/** A prepared statement, as far as it is used here. */
export interface SqliteStatement {
  run(...values: SqliteValue[]): unknown;
  get(...values: SqliteValue[]): unknown;
  all(...values: SqliteValue[]): unknown[];
}

/** A synchronous connection to SQLite: a `Database` of better-sqlite3, or a `DatabaseSync` of node:sqlite. */
export interface SqliteDatabase {
  exec(sql: string): unknown;
  prepare(sql: string): SqliteStatement;
}

const CONSTRAINT = 19;
const TOO_BIG = 18;
const MISMATCH = 20;
const AT_FAULT = [CONSTRAINT, TOO_BIG, MISMATCH];

/**
 * Whether an error says that the rows are at fault: SQLITE_CONSTRAINT, SQLITE_TOOBIG, SQLITE_MISMATCH. better-sqlite3
 * gives names, node:sqlite numbers.
 */
export function saysRefused(error: unknown): error is Error {
  const { code, errcode } = error as { code?: unknown; errcode?: unknown };
  if (typeof errcode === 'number') return AT_FAULT.includes(errcode & 0xff);
  return typeof code === 'string' && /^SQLITE_(CONSTRAINT|TOOBIG|MISMATCH)(_|$)/.test(code);
}
