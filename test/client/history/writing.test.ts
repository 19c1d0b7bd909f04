import { describe, expect, it } from 'vitest';
import { makeHistory } from './support/make-history.js';
import { snapshotOf } from './support/rows.js';

describe('rows', () => {
  it('wait for others, at most flushIntervalMs', async () => {
    const { clock, store, record, kept } = makeHistory({ flushIntervalMs: 500 });
    await record(3);
    await clock.advance(496);
    expect(store.calls).toEqual([]);
    await clock.advance(1);
    expect(store.calls).toEqual(['migrate', 'write 1-3']);
    expect(await kept()).toEqual([1, 2, 3]);
  });

  it('wait a second unless told otherwise', async () => {
    const { clock, store, history } = makeHistory();
    history.record('i', snapshotOf());
    await clock.advance(999);
    expect(store.calls).toEqual([]);
    await clock.advance(1);
    expect(store.calls).toEqual(['migrate', 'write 1']);
  });

  it('do not wait once a batch is full', async () => {
    const { store, record } = makeHistory({ batchSize: 3 });
    await record(2);
    expect(store.calls).toEqual([]);
    await record(1);
    expect(store.calls).toEqual(['migrate', 'write 1-3']);
  });

  it('make a full batch at 500 unless told otherwise', async () => {
    const { store, record } = makeHistory();
    await record(499);
    expect(store.calls).toEqual([]);
    await record(1);
    expect(store.calls).toEqual(['migrate', 'write 1-500']);
  });

  it('are written in batches of batchSize, one after the other, in order', async () => {
    const { clock, store, history, lines, record, kept } = makeHistory({ batchSize: 4 });
    store.mode = 'hangs';
    await record(10);
    store.mode = 'up';
    store.release();
    await clock.advance(0);
    expect(store.calls).toEqual(['migrate', 'write 1-4', 'write 5-8', 'write 9-10']);
    expect(lines).toEqual(['written count=4', 'written count=4', 'written count=2']);
    expect(await kept()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(history.stats.written).toBe(10);
  });

  it('are never written while record() runs', async () => {
    const { clock, store, history } = makeHistory({ batchSize: 1 });
    await history.flush();
    history.record('i', snapshotOf());
    await Promise.resolve();
    expect(store.calls).toEqual([]);
    await clock.advance(0);
    expect(store.calls).toEqual(['migrate', 'write 1']);
  });

  it('leave a turn of the loop to others between two batches', async () => {
    const { clock, store, history } = makeHistory({ batchSize: 1 });
    await history.latest('i');
    store.calls.length = 0;
    for (let n = 0; n < 3; n++) history.record('i', snapshotOf());
    const turn = () => {
      store.calls.push('turn');
      if (store.calls.length < 10) clock.nextTurn(turn);
    };
    clock.nextTurn(turn);
    await clock.advance(0);
    expect(store.calls.slice(0, 6)).toEqual(['turn', 'write 1', 'turn', 'write 2', 'turn', 'write 3']);
  });
});

describe('flush()', () => {
  it('writes what is held at once, and says that it is written', async () => {
    const { store, history, record } = makeHistory({ batchSize: 2 });
    await record(1);
    expect(await history.flush()).toBe(true);
    expect(store.calls).toEqual(['migrate', 'write 1']);
  });

  it('has nothing to do where nothing is held', async () => {
    const { store, history } = makeHistory();
    expect(await history.flush()).toBe(true);
    expect(store.calls).toEqual([]);
  });

  it('waits for what was recorded before it, not for what comes later', async () => {
    const { clock, store, history, record } = makeHistory({ batchSize: 2 });
    await history.latest('i');
    store.mode = 'hangs';
    await record(2);
    let flushed: boolean | undefined;
    void history.flush().then((value) => {
      flushed = value;
    });
    await record(2);
    store.release();
    await clock.advance(0);
    expect(flushed).toBe(true);
    expect(history.stats.queued).toBe(2);
  });

  it('says false where the store fails, tries during a pause too, and leaves the rest to later', async () => {
    const { clock, store, history, record } = makeHistory();
    await record(1);
    store.mode = 'down';
    expect(await history.flush()).toBe(false);
    expect(await history.flush()).toBe(false);
    expect(history.stats.failures).toBe(2);
    store.mode = 'up';
    await clock.advance(2000);
    expect(history.stats).toMatchObject({ queued: 0, written: 1 });
  });
});
