import { describe, expect, it } from 'vitest';
import { makeHistory } from './support/make-history.js';

const quiet = { random: () => 0, initialBackoffMs: 1000, maxBackoffMs: 4000 };

describe('a store that is down', () => {
  it('is tried again after pauses that double up to the longest, and loses nothing', async () => {
    const { clock, store, history, lines, record, kept } = makeHistory({ ...quiet, flushIntervalMs: 10 });
    await history.latest('i');
    store.mode = 'down';
    await record(2);
    await clock.advance(8);
    await clock.advance(500 + 1000 + 2000 + 2000 - 1);
    expect(store.calls.filter((call) => call.startsWith('write'))).toHaveLength(4);
    store.mode = 'up';
    await clock.advance(1);
    expect(lines).toEqual([
      'failed operation=write error=the store is down failures=1 retryAfterMs=500 queued=2',
      'failed operation=write error=the store is down failures=2 retryAfterMs=1000 queued=2',
      'failed operation=write error=the store is down failures=3 retryAfterMs=2000 queued=2',
      'failed operation=write error=the store is down failures=4 retryAfterMs=2000 queued=2',
      'written count=2',
      'recovered failures=4 downMs=5500 queued=0',
    ]);
    expect(await kept()).toEqual([1, 2]);
    expect(history.stats.failures).toBe(4);
  });

  it('is left alone during a pause, however many rows come', async () => {
    const { clock, store, history, record } = makeHistory({ ...quiet, batchSize: 2 });
    await history.latest('i');
    store.mode = 'down';
    await record(2);
    await record(100);
    expect(store.calls.filter((call) => call.startsWith('write'))).toHaveLength(1);
    store.mode = 'up';
    await clock.advance(500);
    expect(history.stats).toMatchObject({ queued: 0, written: 102 });
  });

  it('is paused for half of the time by chance', async () => {
    const { clock, store, lines, record } = makeHistory({ ...quiet, random: () => 0.5, flushIntervalMs: 10 });
    store.mode = 'down';
    await record(1);
    await clock.advance(10);
    expect(lines).toEqual(['failed operation=migrate error=the store is down failures=1 retryAfterMs=750 queued=1']);
  });

  it('is paused for a second at first and half a minute at last unless told otherwise', async () => {
    const { clock, store, history, lines, record } = makeHistory({ random: () => 0 });
    store.mode = 'down';
    await record(1);
    await clock.advance(120_000);
    const pauses = lines.map((line) => Number(/retryAfterMs=(\d+)/.exec(line)?.[1]));
    expect(pauses.slice(0, 7)).toEqual([500, 1000, 2000, 4000, 8000, 15_000, 15_000]);
    await history.close({ timeoutMs: 0 });
  });

  it('waits no longer than usual for rows that come after it is back', async () => {
    const { clock, store, history, record } = makeHistory({ initialBackoffMs: 60_000, maxBackoffMs: 60_000 });
    store.mode = 'down';
    await record(1);
    await clock.advance(1000);
    store.mode = 'up';
    expect(await history.flush()).toBe(true);
    await record(1);
    await clock.advance(1000);
    expect(history.stats.queued).toBe(0);
  });

  it('is migrated before anything is written, as often as it takes', async () => {
    const { clock, store, lines, record } = makeHistory({ ...quiet, flushIntervalMs: 10 });
    store.mode = 'down';
    await record(1);
    await clock.advance(10);
    store.mode = 'up';
    await clock.advance(500);
    await record(1);
    await clock.advance(10);
    expect(store.calls).toEqual(['migrate', 'migrate', 'write 1', 'write 2']);
    expect(lines).toEqual([
      'failed operation=migrate error=the store is down failures=1 retryAfterMs=500 queued=1',
      'written count=1',
      'recovered failures=1 downMs=500 queued=0',
      'written count=1',
    ]);
  });

  it('is told to the logger when it begins and when it ends', async () => {
    const written: string[] = [];
    const line = (message: string) => written.push(message);
    const logger = { debug: line, info: line, warn: line, error: line };
    const { clock, store, record } = makeHistory({ ...quiet, logger });
    store.mode = 'down';
    await record(1);
    await clock.advance(3000);
    store.mode = 'up';
    await clock.advance(3000);
    expect(written).toEqual([
      'history: migrate failed, and is tried again until it does not',
      'history: the store answers again, after 3 failures',
    ]);
  });
});

describe('a write whose answer was lost', () => {
  it('comes again, and no row is there twice', async () => {
    const { clock, store, record, kept } = makeHistory({ ...quiet, flushIntervalMs: 10 });
    await record(2);
    await clock.advance(8);
    store.mode = 'deaf';
    await record(2);
    await clock.advance(8);
    store.mode = 'up';
    await record(1);
    await clock.advance(500);
    expect(store.calls).toEqual(['migrate', 'write 1-2', 'write 3-4', 'write 3-5']);
    expect(await kept()).toEqual([1, 2, 3, 4, 5]);
  });
});

describe('a store that hangs', () => {
  it('counts as failed after storeTimeoutMs, and what it does later makes no row twice', async () => {
    const { clock, store, history, lines, record, kept } = makeHistory({ ...quiet, storeTimeoutMs: 300, batchSize: 2 });
    await history.latest('i');
    store.mode = 'hangs';
    await record(2);
    await clock.advance(300);
    expect(lines).toEqual([
      'failed operation=write error=write(): the store has not answered within 300 ms failures=1 retryAfterMs=500 queued=2',
    ]);
    store.mode = 'up';
    await clock.advance(500);
    await record(2);
    store.release();
    await clock.advance(0);
    expect(await kept()).toEqual([1, 2, 3, 4]);
    expect(history.stats).toMatchObject({ queued: 0, written: 4, dropped: 0, failures: 1 });
  });

  it('has ten seconds unless told otherwise', async () => {
    const { clock, store, history, record } = makeHistory({ batchSize: 1 });
    await history.latest('i');
    store.mode = 'hangs';
    await record(1);
    await clock.advance(9999);
    expect(history.stats.failures).toBe(0);
    await clock.advance(1);
    expect(history.stats.failures).toBe(1);
  });

  it('is asked only twice as long as neither settles, but for every tenth time', async () => {
    const { clock, store, history, lines, record } = makeHistory({
      ...quiet,
      storeTimeoutMs: 10,
      initialBackoffMs: 10,
      maxBackoffMs: 10,
      batchSize: 1,
    });
    await history.latest('i');
    store.mode = 'hangs';
    await record(1);
    await clock.advance(15 + 10 + 8 * 5 + 4);
    expect(store.calls.filter((call) => call.startsWith('write'))).toHaveLength(2);
    expect(lines.at(-1)).toContain('write(): 2 earlier calls have not settled yet');
    await clock.advance(6);
    await clock.advance(10);
    expect(store.calls.filter((call) => call.startsWith('write'))).toHaveLength(3);
    store.mode = 'up';
    store.release();
    await clock.advance(100);
    expect(history.stats).toMatchObject({ queued: 0, written: 1 });
  });

  it('holds up neither record() nor rows that come meanwhile', async () => {
    const { clock, store, history, record, kept } = makeHistory({ batchSize: 2 });
    store.mode = 'hangs';
    await record(100);
    expect(history.stats.queued).toBe(100);
    store.mode = 'up';
    store.release();
    await clock.advance(1000);
    expect(await kept()).toHaveLength(100);
  });
});

it('a store that throws instead of rejecting has failed', async () => {
  const { clock, store, history, lines, record } = makeHistory({ ...quiet, batchSize: 1 });
  await history.latest('i');
  const { write } = store;
  store.write = () => {
    throw new Error('thrown');
  };
  await record(1);
  expect(lines).toEqual(['failed operation=write error=thrown failures=1 retryAfterMs=500 queued=1']);
  store.write = write;
  await clock.advance(500);
  expect(history.stats.written).toBe(1);
});
