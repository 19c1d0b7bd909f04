import fc from 'fast-check';
import { expect, it } from 'vitest';
import { FlakyStore, type Mode } from './support/flaky-store.js';
import { makeHistory } from './support/make-history.js';

type Step =
  | { readonly do: 'record'; readonly count: number; readonly instance: string }
  | { readonly do: 'mode'; readonly mode: Mode }
  | { readonly do: 'wait'; readonly ms: number }
  | { readonly do: 'release' | 'flush' };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('record' as const),
      count: fc.integer({ min: 1, max: 12 }),
      instance: fc.constantFrom('a', 'b'),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('mode' as const),
      mode: fc.constantFrom<Mode>('up', 'up', 'down', 'deaf', 'hangs'),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(1, 10, 50, 100, 400, 2000) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('release' as const, 'flush' as const) }) },
);

const settings = fc.record({
  batchSize: fc.integer({ min: 1, max: 8 }),
  room: fc.integer({ min: 0, max: 30 }),
  overflow: fc.constantFrom('oldest' as const, 'newest' as const),
  refusesEvery: fc.constantFrom(0, 0, 3, 7),
});

it('has every row exactly once, in order, or counts it as dropped, whatever the store does', async () => {
  await fc.assert(
    fc.asyncProperty(settings, fc.array(step, { maxLength: 40 }), async (given, steps) => {
      const { batchSize, room, overflow, refusesEvery } = given;
      const store = new FlakyStore();
      if (refusesEvery > 0) store.refuses = ({ latencyMs }) => latencyMs % refusesEvery === 0;
      const maxQueued = batchSize + room;
      const options = { batchSize, maxQueued, overflow, flushIntervalMs: 50, storeTimeoutMs: 100, maxBackoffMs: 400 };
      const { clock, history, record, kept } = makeHistory({ ...options, initialBackoffMs: 100 }, store);
      const refused: number[] = [];
      let told = 0;
      history.on('dropped', ({ count, row }) => {
        told += count;
        if (row !== undefined) refused.push(row.latencyMs);
      });
      for (const action of steps) {
        if (action.do === 'record') await record(action.count, action.instance);
        else if (action.do === 'mode') store.mode = action.mode;
        else if (action.do === 'wait') await clock.advance(action.ms);
        else if (action.do === 'release') store.release();
        else void history.flush();
        const { recorded, queued, written, dropped } = history.stats;
        expect(queued + written + dropped).toBe(recorded);
        expect(queued).toBeLessThanOrEqual(maxQueued);
      }
      store.mode = 'up';
      store.release();
      const closed = history.close({ timeoutMs: 60_000 });
      await clock.advance(60_000);
      expect(await closed).toEqual({ dropped: 0, uncertain: 0 });
      expect(clock.pending).toBe(0);

      const [a, b] = [await kept('a'), await kept('b')];
      const { recorded, written, dropped } = history.stats;
      expect(a.length + b.length).toBe(written);
      expect(written + dropped).toBe(recorded);
      expect(told).toBe(dropped);
      for (const numbers of [a, b]) expect(numbers).toEqual([...new Set(numbers)].sort((x, y) => x - y));
      if (refusesEvery > 0) expect([...a, ...b].filter((number) => number % refusesEvery === 0)).toEqual([]);
      expect(refused.every((number) => number % refusesEvery === 0)).toBe(true);
    }),
    { numRuns: 150 },
  );
});
