import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SnapshotHistory, type SnapshotHistoryOptions, sqliteStore } from '../../../src/client/index.js';
import { snapshotOf } from '../../client/history/support/rows.js';
import { describeStore } from '../../client/history/support/store-contract.js';
import { eventually } from '../instance/support/eventually.js';
import { runNode } from './support/node-process.js';

let folder: string;
let files = 0;
const newFile = () => join(folder, `history-${++files}.db`);

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'hc-sqlite-'));
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** The latencies of all rows, which tests use as their numbers, in order. */
function numbersIn(file: string): number[] {
  const database = new Database(file);
  try {
    expect(database.pragma('integrity_check', { simple: true })).toBe('ok');
    const rows = database.prepare('SELECT latency_ms FROM instance_health_snapshots ORDER BY 1').pluck().all();
    return rows.map(Number);
  } finally {
    database.close();
  }
}

const upTo = (count: number) => Array.from({ length: count }, (_, n) => n + 1);
const eager: Partial<SnapshotHistoryOptions> = { flushIntervalMs: 20, initialBackoffMs: 50, maxBackoffMs: 200 };

/** Records rows numbered from 1. */
function numbered(history: SnapshotHistory) {
  let number = 0;
  const snapshot = snapshotOf();
  return (count: number) => {
    for (let n = 0; n < count; n++) {
      number++;
      history.record('i', { ...snapshot, startup: { ok: true, status: 'success', latencyMs: number - 2 } });
    }
  };
}

/** A program that records for ever, numbering rows from `first`, and says after each write how many were written. */
const writing = (file: string, first: number, count = Number.POSITIVE_INFINITY) => `
  import Database from 'better-sqlite3';
  import { SnapshotHistory, sqliteStore } from './src/client/index.ts';
  const database = new Database(${JSON.stringify(file)});
  const history = new SnapshotHistory({
    store: sqliteStore(database), batchSize: 50, flushIntervalMs: 10, initialBackoffMs: 5, maxBackoffMs: 20,
  });
  history.on('written', () => console.log(history.stats.written));
  const ok = (latencyMs) => ({ ok: true, status: 'success', latencyMs });
  let number = ${first};
  const last = ${count === Number.POSITIVE_INFINITY ? 'Infinity' : first + count - 1};
  const timer = setInterval(async () => {
    for (let n = 0; n < 40 && number <= last; n++) {
      history.record('i', { startup: ok(number++), readiness: ok(0), liveness: ok(0), restoreStatus: {} });
    }
    if (number <= last) return;
    clearInterval(timer);
    await history.close({ timeoutMs: 30_000 });
    database.close();
  }, 1);
`;

describeStore('SQLite file', () => {
  const database = new Database(newFile());
  return { store: sqliteStore(database), destroy: () => void database.close() };
});

describe('a process that is killed in the middle of writing', () => {
  it('leaves a sound file with every row that was acknowledged, and none twice', async () => {
    const file = newFile();
    let first = 1;
    for (const until of [500, 1000, 300]) {
      const child = runNode(writing(file, first));
      await eventually(
        () => Number(child.lines.at(-1) ?? 0),
        (written) => written >= until,
        30_000,
      );
      await child.kill();
      const acknowledged = Number(child.lines.at(-1));
      const kept = numbersIn(file).filter((number) => number >= first);
      expect(kept.length).toBeGreaterThanOrEqual(acknowledged);
      // In order and without gaps: what is lost is what came last.
      expect(kept).toEqual(kept.map((_, index) => first + index));
      first += 1_000_000;
    }
  });
});

describe('several processes', () => {
  it('migrate and write the same file at the same time, and every row is there once', async () => {
    const file = newFile();
    const children = [1, 10_001, 20_001, 30_001].map((first) => runNode(writing(file, first, 2000)));
    await Promise.all(children.map((child) => child.ended()));
    expect(children.map(({ lines }) => lines.at(-1))).toEqual(['2000', '2000', '2000', '2000']);
    const expected = [0, 10_000, 20_000, 30_000].flatMap((from) => upTo(2000).map((number) => from + number));
    expect(numbersIn(file)).toEqual(expected);
  });
});

describe('a database that is locked', () => {
  it('is tried again later without blocking the loop, and loses nothing', async () => {
    const file = newFile();
    const database = new Database(file, { timeout: 5000 });
    const history = new SnapshotHistory({ store: sqliteStore(database, { busyTimeoutMs: 10 }), ...eager });
    const record = numbered(history);
    record(10);
    await history.flush();
    const other = new Database(file);
    other.exec('BEGIN IMMEDIATE');
    const errors: unknown[] = [];
    history.on('failed', ({ error }) => errors.push(error));
    record(10);
    await eventually(
      () => errors.length,
      (count) => count >= 3,
    );
    expect(errors[0]).toMatchObject({ code: 'SQLITE_BUSY' });
    expect(history.stats).toMatchObject({ queued: 10, dropped: 0 });
    // The connection's own patience of five seconds is not used up inside a write.
    const before = performance.now();
    expect(await history.flush()).toBe(false);
    expect(performance.now() - before).toBeLessThan(2500);
    other.exec('COMMIT');
    other.close();
    await eventually(
      () => history.stats.queued,
      (queued) => queued === 0,
    );
    await history.close();
    database.close();
    expect(numbersIn(file)).toEqual(upTo(20));
  });
});

describe('a disk that is full', () => {
  it('is tried again later, and loses nothing that the queue can hold', async () => {
    const file = newFile();
    const database = new Database(file);
    const history = new SnapshotHistory({ store: sqliteStore(database), batchSize: 50, maxQueued: 5000, ...eager });
    const record = numbered(history);
    record(10);
    await history.flush();
    const pages = Number(database.pragma('page_count', { simple: true }));
    database.pragma(`max_page_count = ${pages + 20}`);
    const errors: unknown[] = [];
    history.on('failed', ({ error }) => errors.push(error));
    record(4000);
    await eventually(
      () => errors.length,
      (count) => count >= 2,
    );
    expect(errors[0]).toMatchObject({ code: 'SQLITE_FULL' });
    const { written, queued } = history.stats;
    expect(written).toBeLessThan(4010);
    expect(numbersIn(file)).toEqual(upTo(written));
    expect(queued).toBe(4010 - written);
    database.pragma('max_page_count = 100000');
    await eventually(
      () => history.stats.queued,
      (left) => left === 0,
    );
    await history.close();
    database.close();
    expect(numbersIn(file)).toEqual(upTo(4010));
  });
});

it('puts the file into write-ahead logging unless told otherwise', async () => {
  const modes = await Promise.all(
    [{}, { wal: false }].map(async (options) => {
      const database = new Database(newFile());
      await sqliteStore(database, options).migrate();
      const mode = database.pragma('journal_mode', { simple: true });
      database.close();
      return mode;
    }),
  );
  expect(modes).toEqual(['wal', 'delete']);
});
