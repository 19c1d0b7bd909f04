import { describe, expect, it } from 'vitest';
import { type PostgresPool, postgresStore } from '../../../src/client/index.js';
import { A, batchOf, rowAt, T0 } from './support/rows.js';

// Its SQL is proved against a server, in test/integration/history.
describe('an error of a write', () => {
  const writeWith = (error: unknown) => {
    const pool: PostgresPool = { query: () => Promise.reject(error) };
    return postgresStore(pool)
      .write(batchOf([rowAt(0)]))
      .catch((caught: unknown) => caught);
  };

  it.each(['22003', '22P02', '23503', '23514', '44000', 'P0001'])(
    'says that the rows are at fault with %s',
    async (code) => {
      const error = Object.assign(new Error('not these'), { code });
      expect(await writeWith(error)).toMatchObject({ refused: true, message: 'not these', cause: error });
    },
  );

  it.each(['08006', '40001', '42P01', '53100', '57P01', 'ECONNREFUSED', 22, undefined])(
    'says that the store is at fault with %s, and stays as it is',
    async (code) => {
      const error = Object.assign(new Error('the server'), { code });
      expect(await writeWith(error)).toBe(error);
    },
  );

  it('may be no error at all', async () => {
    expect(await writeWith('text')).toBe('text');
  });
});

it('reads rows whatever parsers of types the pool has', async () => {
  const columns = { instance_id: A, startup_ok: true, readiness_ok: false, liveness_ok: true, had_backup: false };
  const rows = [{ ...columns, restored: true, latency_ms: '7', inserted_at: `${T0}` }];
  const store = postgresStore({ query: async () => ({ rows }) });
  expect(await store.latest(A)).toEqual(rowAt(0, { readinessOk: false, restored: true }));
});
