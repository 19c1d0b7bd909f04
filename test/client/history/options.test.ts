import { describe, expect, it } from 'vitest';
import {
  memoryStore,
  type PostgresPool,
  postgresStore,
  type SnapshotBatch,
  SnapshotHistory,
  type SnapshotHistoryOptions,
  type SqliteDatabase,
  sqliteStore,
} from '../../../src/client/index.js';
import { batchOf, rowAt } from './support/rows.js';

const refused = (message: RegExp) =>
  expect.objectContaining({ code: 'invalid_option', message: expect.stringMatching(message) });

describe('a wrong option is refused with a sentence that names it', () => {
  it.each<[string, unknown]>([
    ['store', undefined],
    ['store', {}],
    ['batchSize', 0],
    ['batchSize', 1.5],
    ['flushIntervalMs', 0],
    ['maxQueued', 499],
    ['maxQueued', '1000'],
    ['overflow', 'none'],
    ['storeTimeoutMs', 0],
    ['storeTimeoutMs', 2_147_483_648],
    ['initialBackoffMs', 0],
    ['maxBackoffMs', Number.NaN],
    ['retentionMs', 0],
    ['retentionMs', 1.5],
    ['retentionMs', Number.POSITIVE_INFINITY],
    ['pruneIntervalMs', 0],
    ['pruneBatchSize', 0],
    ['maxGapMs', -1],
    ['clock', {}],
    ['random', 0.5],
    ['logger', { info() {} }],
  ])('%s: %j', (option, value) => {
    const make = () => new SnapshotHistory({ store: memoryStore(), [option]: value } as SnapshotHistoryOptions);
    expect(make).toThrow(refused(new RegExp(`new SnapshotHistory\\(\\).*"${option}"`)));
  });

  it('an unknown one, and no options at all', () => {
    const options = { store: memoryStore(), retention: 5 } as unknown as SnapshotHistoryOptions;
    expect(() => new SnapshotHistory(options)).toThrow(refused(/unknown option "retention" \(is "retentionMs" meant/));
    expect(() => new SnapshotHistory(undefined as never)).toThrow(refused(/an object of options/));
  });

  it('a store that does not say what ids it takes', () => {
    const store = Object.assign(Object.create(memoryStore()), { ids: 'number' });
    expect(() => new SnapshotHistory({ store })).toThrow(refused(/"ids": expected 'uuid' or 'text', got "number"/));
  });

  it.each<[string, object]>([
    ['capacityPerInstance', { capacityPerInstance: 0 }],
    ['maxInstances', { maxInstances: 1.5 }],
    ['ids', { ids: 'number' }],
    ['capacity', { capacity: 5 }],
  ])('of memoryStore(): %s', (option, options) => {
    expect(() => memoryStore(options)).toThrow(refused(new RegExp(`memoryStore\\(\\).*"${option}"`)));
  });

  it.each<[string, object]>([
    ['ids', { ids: 'number' }],
    ['busyTimeoutMs', { busyTimeoutMs: -1 }],
    ['wal', { wal: 'yes' }],
    ['path', { path: '/x' }],
  ])('of sqliteStore(): %s', (option, options) => {
    const database: SqliteDatabase = {
      exec: () => {},
      prepare: () => ({ run: () => {}, get: () => {}, all: () => [] }),
    };
    expect(() => sqliteStore(database, options)).toThrow(refused(new RegExp(`sqliteStore\\(\\).*"${option}"`)));
  });

  it.each<[string, object]>([
    ['ids', { ids: 'bigint' }],
    ['table', { table: 'x' }],
  ])('of postgresStore(): %s', (option, options) => {
    const pool: PostgresPool = { query: async () => ({ rows: [] }) };
    expect(() => postgresStore(pool, options)).toThrow(refused(new RegExp(`postgresStore\\(\\).*"${option}"`)));
  });

  it('what is no database and no pool', () => {
    expect(() => sqliteStore('history.db' as never)).toThrow(refused(/sqliteStore\(\): the database/));
    expect(() => postgresStore('postgres://me:s3cret@h/' as never)).toThrow(refused(/postgresStore\(\): the pool/));
  });
});

it('stores take texts as ids in memory and in SQLite, and UUIDs in PostgreSQL, unless told otherwise', () => {
  const pool: PostgresPool = { query: async () => ({ rows: [] }) };
  const database: SqliteDatabase = { exec: () => {}, prepare: () => ({ run: () => {}, get: () => {}, all: () => [] }) };
  expect([memoryStore(), sqliteStore(database), postgresStore(pool)].map(({ ids }) => ids)).toEqual([
    'text',
    'text',
    'uuid',
  ]);
  const told = [
    memoryStore({ ids: 'uuid' }),
    sqliteStore(database, { ids: 'uuid' }),
    postgresStore(pool, { ids: 'text' }),
  ];
  expect(told.map(({ ids }) => ids)).toEqual(['uuid', 'uuid', 'text']);
});

describe('memory', () => {
  const all = { from: 0, to: 8_640_000_000_000_000, limit: 10_000, order: 'asc' } as const;
  const many = (count: number, instanceId: string, first = 1): SnapshotBatch =>
    batchOf(
      Array.from({ length: count }, (_, n) => rowAt(n, { instanceId })),
      first,
    );

  it('keeps the newest 720 rows of an instance unless told otherwise', async () => {
    const store = memoryStore();
    await store.write(many(721, 'i'));
    const rows = await store.range('i', all);
    expect(rows).toHaveLength(720);
    expect(rows[0]).toEqual(rowAt(1, { instanceId: 'i' }));
  });

  it('keeps as many as it is told', async () => {
    const store = memoryStore({ capacityPerInstance: 3 });
    await store.write(many(100, 'i'));
    expect(await store.range('i', all)).toEqual([97, 98, 99].map((at) => rowAt(at, { instanceId: 'i' })));
  });

  it('forgets the instance that was not written for the longest time', async () => {
    const store = memoryStore({ maxInstances: 2 });
    for (const [index, id] of ['a', 'b', 'a', 'c'].entries()) await store.write(many(1, id, index + 1));
    const kept = await Promise.all(['a', 'b', 'c'].map((id) => store.range(id, all)));
    expect(kept.map(({ length }) => length)).toEqual([2, 0, 1]);
  });

  it('keeps 10000 instances unless told otherwise', async () => {
    const store = memoryStore();
    const rows = Array.from({ length: 10_001 }, (_, n) => rowAt(n, { instanceId: `i${n}` }));
    await store.write(batchOf(rows));
    expect(await store.latest('i0')).toBeUndefined();
    expect(await store.latest('i1')).toBeDefined();
  });
});
