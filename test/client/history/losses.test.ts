import { describe, expect, it } from 'vitest';
import { makeHistory } from './support/make-history.js';
import { snapshotOf } from './support/rows.js';

describe('more rows than maxQueued', () => {
  const down = { batchSize: 2, maxQueued: 4, flushIntervalMs: 100, initialBackoffMs: 10_000, random: () => 0 };

  it('drop those that have waited longest, but not those that were tried', async () => {
    const { clock, store, history, lines, record, kept } = makeHistory(down);
    await history.latest('i');
    store.mode = 'down';
    await record(2);
    await record(5);
    expect(history.stats).toEqual({ recorded: 7, queued: 4, written: 0, dropped: 3, pruned: 0, failures: 1 });
    store.mode = 'up';
    await clock.advance(5000);
    expect(await kept()).toEqual([1, 2, 6, 7]);
    expect(lines.filter((line) => line.startsWith('dropped'))).toEqual([
      'dropped count=1 reason=overflow total=1',
      'dropped count=2 reason=overflow total=3',
    ]);
    expect(history.stats).toEqual({ recorded: 7, queued: 0, written: 4, dropped: 3, pruned: 0, failures: 1 });
  });

  it('drop those that come, where told so', async () => {
    const { clock, store, history, record, kept } = makeHistory({ ...down, overflow: 'newest' });
    await history.latest('i');
    store.mode = 'down';
    await record(7);
    store.mode = 'up';
    await clock.advance(5000);
    expect(await kept()).toEqual([1, 2, 3, 4]);
    expect(history.stats.dropped).toBe(3);
  });

  it('drop those that come where all others were tried', async () => {
    const { clock, store, history, record, kept } = makeHistory({ ...down, maxQueued: 2 });
    await history.latest('i');
    store.mode = 'deaf';
    await record(2);
    await record(3);
    store.mode = 'up';
    await clock.advance(5000);
    expect(await kept()).toEqual([1, 2]);
    expect(history.stats).toMatchObject({ written: 2, dropped: 3 });
  });

  it('are 100000 unless told otherwise', async () => {
    const { store, history } = makeHistory();
    store.mode = 'down';
    const snapshot = snapshotOf();
    for (let n = 0; n < 100_000; n++) history.record('i', snapshot);
    expect(history.stats).toMatchObject({ queued: 100_000, dropped: 0 });
    history.record('i', snapshot);
    expect(history.stats).toMatchObject({ queued: 100_000, dropped: 1 });
    await history.close({ timeoutMs: 0 });
  });

  it('leave in order, however many they are', async () => {
    const { clock, store, history, record, kept } = makeHistory({ batchSize: 100, random: () => 0 });
    store.mode = 'down';
    await record(5000);
    store.mode = 'up';
    await clock.advance(10_000);
    await record(1000);
    await history.flush();
    expect(await kept()).toEqual(Array.from({ length: 6000 }, (_, n) => n + 1));
  });

  it('are told once per flushIntervalMs, however many they are, in the log too', async () => {
    const written: string[] = [];
    const line = (message: string) => written.push(message);
    const { clock, store, history, lines, record } = makeHistory({
      ...down,
      logger: { debug: line, info: line, warn: line, error: line },
    });
    await history.latest('i');
    store.mode = 'down';
    await record(4);
    await record(50);
    await clock.advance(100);
    await record(10);
    await clock.advance(1000);
    expect(lines.filter((text) => text.startsWith('dropped'))).toEqual([
      'dropped count=1 reason=overflow total=1',
      'dropped count=49 reason=overflow total=50',
      'dropped count=10 reason=overflow total=60',
    ]);
    expect(written).toContain('history: 49 rows were dropped: overflow');
    expect(clock.pending).toBe(1);
  });
});

describe('a row that the store refuses', () => {
  it('is found and dropped, and all others are written, in order', async () => {
    const { clock, store, history, lines, record, kept } = makeHistory({ batchSize: 8 });
    store.refuses = ({ latencyMs }) => latencyMs === 3;
    await record(10);
    await clock.advance(1000);
    expect(await kept()).toEqual([1, 2, 4, 5, 6, 7, 8, 9, 10]);
    expect(store.calls).toEqual([
      'migrate',
      'write 1-8',
      'write 1-4',
      'write 1-2',
      'write 3-6',
      'write 3-4',
      'write 3',
      'write 4',
      'write 5-6',
      'write 7-10',
    ]);
    expect(lines.filter((line) => !line.startsWith('written'))).toEqual([
      'dropped count=1 reason=refused total=1 row=3 error=not this row',
    ]);
    expect(history.stats).toEqual({ recorded: 10, queued: 0, written: 9, dropped: 1, pruned: 0, failures: 0 });
  });

  it('is dropped at once where it stood alone, whatever has come since', async () => {
    const { clock, store, history, record } = makeHistory({ flushIntervalMs: 10 });
    await history.latest('i');
    store.refuses = () => true;
    store.mode = 'hangs';
    await record(1);
    await clock.advance(10);
    await record(2);
    store.mode = 'up';
    store.release();
    await clock.advance(10);
    expect(store.calls).toEqual(['migrate', 'latest', 'write 1', 'write 2', 'write 3']);
    expect(history.stats.dropped).toBe(3);
  });

  it('is written to the log with what the store said', async () => {
    const written: unknown[][] = [];
    const ignore = () => {};
    const logger = { debug: ignore, info: ignore, warn: ignore, error: (...line: unknown[]) => written.push(line) };
    const { store, record } = makeHistory({ batchSize: 1, logger });
    store.refuses = () => true;
    await record(1);
    expect(written).toEqual([
      [
        'history: a row was refused by the store and dropped',
        { row: expect.objectContaining({ latencyMs: 1 }), error: expect.objectContaining({ message: 'not this row' }) },
      ],
    ]);
  });

  it('blocks nothing where all are refused', async () => {
    const { clock, store, history, record } = makeHistory({ batchSize: 16 });
    store.refuses = () => true;
    await record(40);
    await clock.advance(1000);
    expect(history.stats).toMatchObject({ queued: 0, written: 0, dropped: 40, failures: 0 });
  });

  it('says that a store that was down answers again', async () => {
    const { clock, store, lines, record } = makeHistory({ batchSize: 1, random: () => 0 });
    store.mode = 'down';
    await record(1);
    store.mode = 'up';
    store.refuses = () => true;
    await clock.advance(500);
    expect(lines).toEqual([
      'failed operation=migrate error=the store is down failures=1 retryAfterMs=500 queued=1',
      'dropped count=1 reason=refused total=1 row=1 error=not this row',
      'recovered failures=1 downMs=500 queued=0',
    ]);
  });

  it('has the columns that were refused, and no number of ours', async () => {
    const { clock, store, history, record } = makeHistory({ batchSize: 1 });
    const rows: unknown[] = [];
    history.on('dropped', ({ row }) => rows.push(row));
    store.refuses = () => true;
    await record(1, 'worker');
    await clock.advance(0);
    expect(rows).toEqual([expect.objectContaining({ instanceId: 'worker', latencyMs: 1 })]);
    expect(rows[0]).not.toHaveProperty('sequence');
  });
});
