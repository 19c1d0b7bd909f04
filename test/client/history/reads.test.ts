import { describe, expect, it } from 'vitest';
import type { RangeOptions, UptimeOptions } from '../../../src/client/index.js';
import { makeHistory } from './support/make-history.js';
import { snapshotOf, T0 } from './support/rows.js';

const LAST_TIME = 8_640_000_000_000_000;

describe('range()', () => {
  it('asks for a thousand rows of all times, the oldest first, unless told otherwise', async () => {
    const { history, store } = makeHistory();
    await history.range('i');
    await history.range('i', { from: 5, to: 9, limit: 10_000, order: 'desc' });
    expect(store.calls).toEqual(['migrate', `range 0-${LAST_TIME} 1000 asc`, 'range 5-9 10000 desc']);
  });

  it.each<[string, object]>([
    ['from', { from: -1 }],
    ['from', { from: 1.5 }],
    ['from', { from: '2026-01-01' }],
    ['to', { to: LAST_TIME + 1 }],
    ['to', { to: Number.NaN }],
    ['limit', { limit: 0 }],
    ['limit', { limit: 10_001 }],
    ['limit', { limit: 1.5 }],
    ['order', { order: 'newest' }],
    ['since', { since: 1 }],
  ])('refuses %s in %j, at once', (option, options) => {
    const { history } = makeHistory();
    expect(() => history.range('i', options as RangeOptions)).toThrow(
      expect.objectContaining({ code: 'invalid_option', message: expect.stringContaining(`"${option}"`) }),
    );
  });
});

describe('uptime()', () => {
  it('is the share of the known time', async () => {
    const { history, clock } = makeHistory({ maxGapMs: 1000 });
    history.record('i', snapshotOf());
    await clock.advance(600);
    history.record('i', snapshotOf(true, false));
    await clock.advance(200);
    history.record('i', snapshotOf());
    await clock.advance(5000);
    const window = { from: T0 - 100, to: T0 + 4000 };
    expect(await history.uptime('i', window)).toEqual({
      ...window,
      upMs: 1600,
      downMs: 200,
      unknownMs: 2300,
      ratio: 1600 / 1800,
    });
  });

  it('has no ratio where nothing is known', async () => {
    const { history } = makeHistory();
    const window = { from: T0 - 100, to: T0 };
    expect(await history.uptime('i', window)).toEqual({ ...window, upMs: 0, downMs: 0, unknownMs: 100 });
  });

  it('ends now, and lets a row stand for two minutes, unless told otherwise', async () => {
    const { history, store, clock } = makeHistory();
    await clock.advance(1000);
    await history.uptime('i', { from: T0 });
    await history.uptime('i', { from: T0, to: T0 + 10, maxGapMs: 7 });
    expect(store.calls).toEqual(['migrate', `uptime ${T0}-${T0 + 1000} 120000`, `uptime ${T0}-${T0 + 10} 7`]);
  });

  it('knows nothing of time that has not come', async () => {
    const { history, clock, store } = makeHistory();
    history.record('i', snapshotOf());
    await clock.advance(1000);
    await history.flush();
    const window = { from: T0, to: T0 + 5000 };
    expect(await history.uptime('i', window)).toEqual({ ...window, upMs: 1000, downMs: 0, unknownMs: 4000, ratio: 1 });
    store.calls.length = 0;
    const later = { from: T0 + 2000, to: T0 + 5000 };
    expect(await history.uptime('i', later)).toEqual({ ...later, upMs: 0, downMs: 0, unknownMs: 3000 });
    expect(store.calls).toEqual([]);
  });

  it.each<[string, object]>([
    ['from', {}],
    ['from', { from: -1 }],
    ['from', { from: T0 + 1 }],
    ['from', { from: 5, to: 5 }],
    ['to', { from: 0, to: 1.5 }],
    ['maxGapMs', { from: 0, maxGapMs: 0 }],
    ['maxGap', { from: 0, maxGap: 5 }],
  ])('refuses %s in %j, at once', (option, options) => {
    const { history } = makeHistory();
    expect(() => history.uptime('i', options as UptimeOptions)).toThrow(
      expect.objectContaining({ code: 'invalid_option', message: expect.stringContaining(`"${option}"`) }),
    );
  });
});

describe('a read', () => {
  it('rejects as the store does, and counts as no failure', async () => {
    const { history, store } = makeHistory();
    await history.latest('i');
    store.mode = 'down';
    await expect(history.latest('i')).rejects.toThrow('the store is down');
    await expect(history.uptime('i', { from: 0 })).rejects.toThrow('the store is down');
    expect(history.stats.failures).toBe(0);
  });

  it('rejects where the store cannot be migrated, and tries that again', async () => {
    const { history, store } = makeHistory();
    store.mode = 'down';
    await expect(history.latest('i')).rejects.toThrow('the store is down');
    store.mode = 'up';
    expect(await history.latest('i')).toBeUndefined();
    expect(store.calls).toEqual(['migrate', 'migrate', 'latest']);
  });

  it('rejects where the store is late', async () => {
    const { history, store, clock } = makeHistory({ storeTimeoutMs: 50 });
    await history.latest('i');
    store.mode = 'hangs';
    const late = expect(history.latest('i')).rejects.toEqual(expect.objectContaining({ code: 'timeout' }));
    await clock.advance(50);
    await late;
  });

  it('is not made where 256 others hang', async () => {
    const { history, store, clock } = makeHistory({ storeTimeoutMs: 50 });
    await history.latest('i');
    store.calls.length = 0;
    store.mode = 'hangs';
    const asked = Array.from({ length: 260 }, () => history.latest('i').catch((error: Error) => error.message));
    await clock.advance(50);
    const answers = await Promise.all(asked);
    expect(store.calls).toHaveLength(256);
    expect(answers.at(-1)).toBe('latest(): 256 earlier calls have not settled yet');
  });
});
