/** A prepared statement, as far as it is used here. */
export interface SqliteStatement {
  run(...values: (string | number)[]): unknown;
  get(...values: (string | number)[]): unknown;
  all(...values: (string | number)[]): unknown[];
}

/** A synchronous connection to SQLite: a `Database` of better-sqlite3, or what has these two functions of it. */
export interface SqliteDatabase {
  exec(sql: string): unknown;
  prepare(sql: string): SqliteStatement;
}

/** Whether an error says that the rows are at fault. */
export function saysRefused(error: unknown): error is Error {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && /^SQLITE_(CONSTRAINT|TOOBIG|MISMATCH)(_|$)/.test(code);
}
