import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SnapshotRow, SnapshotStore } from '../../../../src/client/index.js';
import { A, B, batchOf, rowAt, T0 } from './rows.js';
import { uptimeByMilliseconds } from './uptime-reference.js';

export interface OpenedStore {
  readonly store: SnapshotStore;
  /** Removes it with all that is in it. */
  destroy(): void | Promise<void>;
}

interface ContractOptions {
  /** How many random histories uptime is counted over. */
  readonly runs?: number;
}

const ALL = { from: 0, to: 8_640_000_000_000_000, limit: 10_000, order: 'asc' } as const;

/** What every store guarantees, over an empty one for each test. */
export function describeStore(
  name: string,
  open: () => OpenedStore | Promise<OpenedStore>,
  options: ContractOptions = {},
) {
  describe(`the ${name} store`, () => {
    let opened: OpenedStore;
    let store: SnapshotStore;

    beforeEach(async () => {
      opened = await open();
      store = opened.store;
      await store.migrate();
    });

    afterEach(async () => {
      await store.close();
      await opened.destroy();
    });

    it('gives back every column as it was written', async () => {
      const columns = ['startupOk', 'readinessOk', 'livenessOk', 'hadBackup', 'restored'] as const;
      const rows = columns.map((column, index) =>
        rowAt(index * 1000 + index, { ...none(columns), [column]: true, latencyMs: 2_147_483_647 - index }),
      );
      await store.write(batchOf(rows));
      expect(await store.range(A, ALL)).toEqual(rows);
    });

    it('keeps what is there when it is migrated again', async () => {
      await store.write(batchOf([rowAt(0)]));
      await Promise.all([store.migrate(), store.migrate()]);
      expect(await store.range(A, ALL)).toEqual([rowAt(0)]);
    });

    it('knows nothing of an instance without rows', async () => {
      await store.write(batchOf([rowAt(0)]));
      expect(await store.latest(B)).toBeUndefined();
      expect(await store.range(B, ALL)).toEqual([]);
      expect(await store.uptime(B, { from: T0, to: T0 + 10, maxGapMs: 10 })).toEqual({ upMs: 0, downMs: 0 });
    });

    it('keeps instances apart', async () => {
      await store.write(batchOf([rowAt(0), rowAt(5, { instanceId: B, readinessOk: false })]));
      expect((await store.latest(A))?.insertedAt).toBe(T0);
      expect((await store.latest(B))?.insertedAt).toBe(T0 + 5);
      expect(await store.uptime(B, { from: T0, to: T0 + 10, maxGapMs: 100 })).toEqual({ upMs: 0, downMs: 5 });
    });

    it('has the same batch once, however often it comes', async () => {
      const batch = batchOf([rowAt(0), rowAt(1)]);
      await store.write(batch);
      await store.write(batch);
      expect(await store.range(A, ALL)).toHaveLength(2);
    });

    it('has each row of two at once only once', async () => {
      await store.write(batchOf([rowAt(0)]));
      const rest = batchOf([rowAt(1), rowAt(2), rowAt(3)], 2);
      await Promise.all([store.write(rest), store.write(rest), store.write({ ...rest, rows: rest.rows.slice(0, 2) })]);
      await store.write({ ...rest, rows: rest.rows.slice(2) });
      expect(await store.range(A, ALL)).toEqual([0, 1, 2, 3].map((at) => rowAt(at)));
    });

    it('passes over rows up to the last one that was written, in whatever batch they come', async () => {
      await store.write(batchOf([rowAt(0), rowAt(1)]));
      await store.write(batchOf([rowAt(1), rowAt(2)], 2));
      await store.write(batchOf([rowAt(0)]));
      expect(await store.range(A, ALL)).toEqual([rowAt(0), rowAt(1), rowAt(2)]);
    });

    it('takes numbers with gaps, where rows were dropped', async () => {
      const [row] = batchOf([rowAt(0)], 1000).rows;
      const [later] = batchOf([rowAt(1)], 5000).rows;
      if (row === undefined || later === undefined) throw new Error('no rows');
      await store.write({ writer: 'w', rows: [row, later] });
      expect(await store.range(A, ALL)).toHaveLength(2);
    });

    it('takes the same numbers from two writers', async () => {
      await store.write(batchOf([rowAt(0)], 1, 'one'));
      await store.write(batchOf([rowAt(1)], 1, 'two'));
      expect(await store.range(A, ALL)).toHaveLength(2);
    });

    it('orders rows by time, whatever the order in which they came', async () => {
      await store.write(batchOf([rowAt(20), rowAt(0), rowAt(10)]));
      expect((await store.range(A, ALL)).map(at)).toEqual([0, 10, 20]);
      expect((await store.range(A, { ...ALL, order: 'desc' })).map(at)).toEqual([20, 10, 0]);
      expect(await store.latest(A)).toEqual(rowAt(20));
    });

    it('orders rows of one time by their columns, false before true', async () => {
      const ties = [
        rowAt(0),
        rowAt(0, { startupOk: false }),
        rowAt(0, { readinessOk: false }),
        rowAt(0, { livenessOk: false }),
        rowAt(0, { hadBackup: true }),
        rowAt(0, { restored: true }),
        rowAt(0, { latencyMs: 6 }),
      ];
      await store.write(batchOf(ties));
      const ordered = [1, 2, 3, 6, 0, 5, 4].map((index) => ties[index]);
      expect(await store.range(A, ALL)).toEqual(ordered);
      expect(await store.range(A, { ...ALL, order: 'desc' })).toEqual(ordered.toReversed());
      expect(await store.latest(A)).toEqual(ordered.at(-1));
    });

    it('gives the rows from a time on and before another', async () => {
      await store.write(batchOf([0, 1, 2, 3].map((ms) => rowAt(ms))));
      expect((await store.range(A, { ...ALL, from: T0 + 1, to: T0 + 3 })).map(at)).toEqual([1, 2]);
    });

    it('gives at most so many rows, from the end that was asked for', async () => {
      await store.write(batchOf([0, 1, 2, 3].map((ms) => rowAt(ms))));
      expect((await store.range(A, { ...ALL, limit: 2 })).map(at)).toEqual([0, 1]);
      expect((await store.range(A, { ...ALL, limit: 2, order: 'desc' })).map(at)).toEqual([3, 2]);
    });

    it('lets a row stand until the next one, at most as long as the gap', async () => {
      await store.write(batchOf([rowAt(0), rowAt(100, { readinessOk: false }), rowAt(150), rowAt(1000)]));
      const window = { from: T0, to: T0 + 1200, maxGapMs: 300 };
      expect(await store.uptime(A, window)).toEqual({ upMs: 100 + 300 + 200, downMs: 50 });
    });

    it('counts of a row before the window what reaches into it', async () => {
      await store.write(batchOf([rowAt(0), rowAt(5000)]));
      expect(await store.uptime(A, { from: T0 + 90, to: T0 + 400, maxGapMs: 100 })).toEqual({ upMs: 10, downMs: 0 });
      expect(await store.uptime(A, { from: T0 + 100, to: T0 + 400, maxGapMs: 100 })).toEqual({ upMs: 0, downMs: 0 });
    });

    it('calls up what is started and ready, whatever liveness says', async () => {
      const rows = [
        rowAt(0, { livenessOk: false }),
        rowAt(10, { startupOk: false }),
        rowAt(30, { readinessOk: false }),
      ];
      await store.write(batchOf(rows));
      expect(await store.uptime(A, { from: T0, to: T0 + 100, maxGapMs: 50 })).toEqual({ upMs: 10, downMs: 70 });
    });

    it('counts a long window to the millisecond', async () => {
      await store.write(batchOf([rowAt(1), rowAt(31_536_000_003, { startupOk: false })]));
      const window = { from: T0, to: T0 + 40_000_000_000, maxGapMs: 2_147_483_647 };
      expect(await store.uptime(A, window)).toEqual({ upMs: 2_147_483_647, downMs: 2_147_483_647 });
    });

    it('counts the same as looking at every millisecond', async () => {
      const row = fc.record({
        insertedAt: fc.integer({ min: T0 - 40, max: T0 + 60 }),
        startupOk: fc.boolean(),
        readinessOk: fc.boolean(),
      });
      const window = fc.record({
        from: fc.integer({ min: T0 - 50, max: T0 + 20 }),
        lengthMs: fc.integer({ min: 1, max: 60 }),
        maxGapMs: fc.integer({ min: 1, max: 50 }),
      });
      let sequence = 1;
      await fc.assert(
        fc.asyncProperty(fc.array(row, { maxLength: 20 }), window, fc.uuid(), async (rows, asked, instanceId) => {
          const written = rows.map((changes) => rowAt(0, { ...changes, instanceId }));
          if (written.length > 0) await store.write(batchOf(written, sequence));
          sequence += written.length;
          const { from, lengthMs, maxGapMs } = asked;
          const over = { from, to: from + lengthMs, maxGapMs };
          expect(await store.uptime(instanceId, over)).toEqual(uptimeByMilliseconds(written, over));
        }),
        { numRuns: options.runs ?? 200 },
      );
    });

    it('removes what is older than a time, so many at once, and says how many', async () => {
      await store.write(batchOf([0, 1, 2, 3].map((ms) => rowAt(ms))));
      await store.write(batchOf([rowAt(0, { instanceId: B })], 5));
      expect(await store.prune(T0 + 3, 3)).toBe(3);
      expect(await store.prune(T0 + 3, 3)).toBe(1);
      expect(await store.prune(T0 + 3, 3)).toBe(0);
      expect(await store.range(A, ALL)).toEqual([rowAt(3)]);
      expect(await store.latest(B)).toBeUndefined();
    });

    it('still passes over the rows of a batch that was removed since', async () => {
      const batch = batchOf([rowAt(0)]);
      await store.write(batch);
      await store.prune(T0 + 1, 10);
      await store.write(batch);
      expect(await store.latest(A)).toBeUndefined();
    });
  });
}

const at = ({ insertedAt }: SnapshotRow) => insertedAt - T0;

function none(columns: readonly (keyof SnapshotRow)[]): Partial<SnapshotRow> {
  return Object.fromEntries(columns.map((column) => [column, false]));
}
