import { expect, it } from 'vitest';
import { makeHistory } from './support/make-history.js';
import { snapshotOf } from './support/rows.js';

it('writes what is held, closes the store, and leaves no timer', async () => {
  const { clock, store, history, lines, record } = makeHistory({ batchSize: 2, retentionMs: 60_000 });
  await record(5);
  expect(await history.close()).toEqual({ dropped: 0, uncertain: 0 });
  expect(store.calls.at(-1)).toBe('close');
  expect(history.stats).toMatchObject({ queued: 0, written: 5, dropped: 0 });
  expect(lines.filter((line) => line.startsWith('dropped'))).toEqual([]);
  expect(clock.pending).toBe(0);
});

it('tries again after failures, by timers that keep the process alive', async () => {
  const { clock, store, history, record, kept } = makeHistory({ random: () => 0 });
  store.mode = 'down';
  await record(3);
  const closed = history.close();
  await clock.advance(0);
  expect(clock.timers.some(({ keepAlive }) => keepAlive)).toBe(true);
  store.mode = 'up';
  await clock.advance(500);
  expect(await closed).toEqual({ dropped: 0, uncertain: 0 });
  expect(await kept()).toEqual([1, 2, 3]);
  expect(clock.pending).toBe(0);
});

it('drops what is left after timeoutMs, five seconds unless told otherwise, and tells it', async () => {
  const { clock, store, history, lines, record } = makeHistory();
  store.mode = 'down';
  await record(3);
  let outcome: object | undefined;
  void history.close().then((value) => {
    outcome = value;
  });
  await clock.advance(4999);
  expect(outcome).toBeUndefined();
  await clock.advance(1);
  expect(outcome).toEqual({ dropped: 3, uncertain: 0 });
  expect(lines.at(-1)).toBe('dropped count=3 reason=closed total=3');
  expect(history.stats).toMatchObject({ recorded: 3, queued: 0, written: 0, dropped: 3 });
  expect(clock.pending).toBe(0);
});

it('says how many of the dropped rows may be in the store, since no answer came', async () => {
  const { clock, store, history, record, kept } = makeHistory({ batchSize: 2 });
  await history.latest('i');
  store.mode = 'hangs';
  await record(5);
  const closed = history.close({ timeoutMs: 100 });
  await clock.advance(100);
  expect(await closed).toEqual({ dropped: 5, uncertain: 2 });
  store.mode = 'up';
  store.release();
  await clock.advance(60_000);
  expect(await kept()).toEqual([1, 2]);
  expect(history.stats).toMatchObject({ written: 0, dropped: 5 });
  expect(clock.pending).toBe(0);
});

it('writes nothing more with 0', async () => {
  const { clock, store, history, record } = makeHistory();
  await record(2);
  const closed = history.close({ timeoutMs: 0 });
  await clock.advance(0);
  expect(await closed).toEqual({ dropped: 2, uncertain: 0 });
  expect(store.calls).toEqual(['close']);
});

it('drops what comes later, and counts it', async () => {
  const { clock, history, lines } = makeHistory();
  await history.close();
  history.record('i', snapshotOf());
  history.recordUnreachable('i');
  expect(history.stats).toMatchObject({ recorded: 2, queued: 0, dropped: 2 });
  expect(lines).toEqual([]);
  expect(clock.pending).toBe(0);
});

it('answers no reads any more', async () => {
  const { history } = makeHistory();
  await history.close();
  const stopped = expect.objectContaining({ code: 'stopped' });
  await expect(history.latest('i')).rejects.toEqual(stopped);
  await expect(history.range('i')).rejects.toEqual(stopped);
  await expect(history.uptime('i', { from: 0 })).rejects.toEqual(stopped);
});

it('has the first outcome for later calls', async () => {
  const { store, history, record } = makeHistory();
  await record(1);
  const [first, second] = await Promise.all([history.close(), history.close({ timeoutMs: 1 })]);
  expect(second).toBe(first);
  expect(store.calls.filter((call) => call === 'close')).toHaveLength(1);
});

it('does not reject where the store cannot be closed or hangs', async () => {
  const failing = makeHistory();
  failing.store.mode = 'down';
  expect(await failing.history.close()).toEqual({ dropped: 0, uncertain: 0 });
  const hanging = makeHistory();
  hanging.store.mode = 'hangs';
  const closed = hanging.history.close({ timeoutMs: 50 });
  await hanging.clock.advance(50);
  expect(await closed).toEqual({ dropped: 0, uncertain: 0 });
});

it('refuses what is no time', () => {
  const { history } = makeHistory();
  expect(() => history.close({ timeoutMs: -1 })).toThrow(expect.objectContaining({ code: 'invalid_option' }));
  expect(() => history.close({ timeout: 5 } as object)).toThrow(/is "timeoutMs" meant/);
});
