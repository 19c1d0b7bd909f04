import { expect, it } from 'vitest';
import { makeHistory } from './support/make-history.js';
import { T0 } from './support/rows.js';

const pruning = (calls: readonly string[]) => calls.filter((call) => call.startsWith('prune'));

it('keeps everything unless told otherwise', async () => {
  const { clock, store, record } = makeHistory();
  await record(1);
  await clock.advance(10_000_000);
  expect(pruning(store.calls)).toEqual([]);
});

it('removes rows that are older than retentionMs, after the first write and then every pruneIntervalMs', async () => {
  const { clock, store, lines, record, kept } = makeHistory({
    retentionMs: 5000,
    pruneIntervalMs: 2000,
    flushIntervalMs: 10,
  });
  await record(2);
  await clock.advance(8);
  expect(pruning(store.calls)).toEqual([`prune ${T0 + 10 - 5000} 1000`]);
  await clock.advance(6000);
  expect(pruning(store.calls).at(-1)).toBe(`prune ${T0 + 6010 - 5000} 1000`);
  expect(lines).toEqual(['written count=2', 'pruned count=2']);
  expect(await kept()).toEqual([]);
});

it('looks every minute, for a thousand rows at once, unless told otherwise', async () => {
  const { clock, store, record } = makeHistory({ retentionMs: 5000 });
  await record(1);
  await clock.advance(999 + 59_999);
  expect(pruning(store.calls)).toHaveLength(1);
  await clock.advance(1);
  expect(pruning(store.calls)).toHaveLength(2);
});

it('takes months', async () => {
  const ninetyDaysMs = 90 * 86_400_000;
  const { clock, store, record } = makeHistory({ retentionMs: ninetyDaysMs });
  await record(1);
  await clock.advance(999);
  expect(pruning(store.calls)).toEqual([`prune ${T0 + 1000 - ninetyDaysMs} 1000`]);
});

it('goes on without a pause as long as whole batches are removed', async () => {
  const { clock, store, history, record } = makeHistory({
    retentionMs: 5000,
    pruneBatchSize: 2,
    pruneIntervalMs: 10_000,
  });
  await record(5);
  await history.flush();
  store.calls.length = 0;
  await clock.advance(10_000);
  expect(pruning(store.calls)).toEqual(Array.from({ length: 3 }, () => `prune ${T0 + 10_005 - 5000} 2`));
  expect(history.stats.pruned).toBe(5);
});

it('tries again at its next time where the store fails, and tells it', async () => {
  const { clock, store, history, lines, record } = makeHistory({ retentionMs: 1000, pruneIntervalMs: 5000 });
  await record(1);
  await clock.advance(1000);
  lines.length = 0;
  store.mode = 'down';
  await clock.advance(10_000);
  store.mode = 'up';
  await clock.advance(5000);
  store.mode = 'down';
  await clock.advance(5000);
  expect(lines).toEqual([
    'failed operation=prune error=the store is down failures=1 retryAfterMs=5000 queued=0',
    'failed operation=prune error=the store is down failures=2 retryAfterMs=5000 queued=0',
    'pruned count=1',
    'failed operation=prune error=the store is down failures=1 retryAfterMs=5000 queued=0',
  ]);
  expect(history.stats.failures).toBe(3);
});

it('is told to the logger when it begins to fail', async () => {
  const written: string[] = [];
  const line = (message: string) => written.push(message);
  const logger = { debug: line, info: line, warn: line, error: line };
  const { clock, store, record } = makeHistory({ retentionMs: 1000, pruneIntervalMs: 5000, logger });
  await record(1);
  await clock.advance(1000);
  store.mode = 'down';
  await clock.advance(10_000);
  expect(written).toEqual(['history: old rows could not be removed, which is tried again']);
});

it('ends with close(), also where a removal is under way', async () => {
  const { clock, store, history, lines, record } = makeHistory({ retentionMs: 1000, pruneIntervalMs: 5000 });
  await record(1);
  await history.flush();
  store.mode = 'hangs';
  await clock.advance(5000);
  store.mode = 'up';
  await history.close();
  store.release();
  await clock.advance(60_000);
  expect(clock.pending).toBe(0);
  expect(lines).toEqual(['written count=1']);
});
