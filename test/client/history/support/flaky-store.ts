import {
  type KnownTime,
  memoryStore,
  type RowRange,
  type SequencedRow,
  type SnapshotBatch,
  type SnapshotRow,
  type SnapshotStore,
  type UptimeWindow,
} from '../../../../src/client/index.js';

/**
 * How a store behaves. `down`: rejects. `deaf`: does it, and the answer is lost. `hangs`: does nothing until `release`,
 * then does it.
 */
export type Mode = 'up' | 'down' | 'deaf' | 'hangs';

/** Keeps rows in memory, as well as it is told to. */
export class FlakyStore implements SnapshotStore {
  readonly ids: 'uuid' | 'text';
  readonly #inner: SnapshotStore;
  /** What was asked of it, in order: `migrate`, `write 1-3`, `prune`. */
  readonly calls: string[] = [];
  readonly #held: (() => void)[] = [];
  mode: Mode = 'up';
  /** Which rows it refuses. */
  refuses: (row: SnapshotRow) => boolean = () => false;

  constructor(ids: 'uuid' | 'text' = 'text') {
    this.ids = ids;
    this.#inner = memoryStore({ ids, capacityPerInstance: 100_000 });
  }

  migrate(): Promise<void> {
    return this.#as('migrate', () => this.#inner.migrate());
  }

  write(batch: SnapshotBatch): Promise<void> {
    return this.#as(`write ${numbers(batch.rows)}`, async () => {
      if (batch.rows.some(this.refuses)) throw Object.assign(new Error('not this row'), { refused: true });
      await this.#inner.write(batch);
    });
  }

  latest(instanceId: string): Promise<SnapshotRow | undefined> {
    return this.#as('latest', () => this.#inner.latest(instanceId));
  }

  range(instanceId: string, range: RowRange): Promise<readonly SnapshotRow[]> {
    const { from, to, limit, order } = range;
    return this.#as(`range ${from}-${to} ${limit} ${order}`, () => this.#inner.range(instanceId, range));
  }

  uptime(instanceId: string, window: UptimeWindow): Promise<KnownTime> {
    const { from, to, maxGapMs } = window;
    return this.#as(`uptime ${from}-${to} ${maxGapMs}`, () => this.#inner.uptime(instanceId, window));
  }

  prune(before: number, limit: number): Promise<number> {
    return this.#as(`prune ${before} ${limit}`, () => this.#inner.prune(before, limit));
  }

  close(): Promise<void> {
    return this.#as('close', () => this.#inner.close());
  }

  /** What hangs is done. */
  release(): void {
    for (const go of this.#held.splice(0)) go();
  }

  /** All rows of an instance, whatever the mode. */
  rows(instanceId: string): Promise<readonly SnapshotRow[]> {
    return this.#inner.range(instanceId, { from: 0, to: 8_640_000_000_000_000, limit: 100_000, order: 'asc' });
  }

  async #as<Value>(call: string, work: () => Promise<Value>): Promise<Value> {
    this.calls.push(call);
    const { mode } = this;
    if (mode === 'down') throw new Error('the store is down');
    if (mode === 'hangs') {
      await new Promise<void>((resolve) => {
        this.#held.push(resolve);
      });
    }
    const value = await work();
    if (mode === 'deaf') throw new Error('the answer was lost');
    return value;
  }
}

const numbers = (rows: readonly SequencedRow[]) => {
  const [first, last] = [rows[0]?.sequence, rows.at(-1)?.sequence];
  return first === last ? `${first}` : `${first}-${last}`;
};
