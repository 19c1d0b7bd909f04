import { count, oneOf, readOptions } from '../../kit.js';
import type { InstanceIdKind } from './instance-ids.js';
import { knownTime } from './known-time.js';
import { compareRows, type SnapshotRow } from './row.js';
import { RowRing } from './row-ring.js';
import type { KnownTime, RowRange, SnapshotBatch, SnapshotStore, UptimeWindow } from './store.js';

/** Options of {@link memoryStore}. */
export interface MemoryStoreOptions {
  /**
   * How many rows of one instance are kept: the newest. A row takes 13 bytes.
   * @defaultValue 720
   */
  readonly capacityPerInstance?: number | undefined;
  /**
   * Of how many instances rows are kept: those that were written last.
   * @defaultValue 10000
   */
  readonly maxInstances?: number | undefined;
  /**
   * What ids of instances are.
   * @defaultValue 'text'
   */
  readonly ids?: InstanceIdKind | undefined;
}

const SHAPE = { capacityPerInstance: count(1), maxInstances: count(1), ids: oneOf('uuid', 'text') };
/** More histories than this do not write into one memory at a time. */
const MAX_WRITERS = 1024;

/**
 * Keeps rows in this process: a ring for each instance, of an hour at a row every five seconds unless told otherwise.
 * Nothing is left of it when the process ends. `prune` goes by the order in which rows came: one that is older than the
 * row before it goes together with that one.
 * @throws HealthControllerError `invalid_option`
 */
export function memoryStore(options: MemoryStoreOptions = {}): SnapshotStore {
  const given: MemoryStoreOptions = readOptions('memoryStore()', SHAPE, options);
  return new MemoryStore(given.capacityPerInstance ?? 720, given.maxInstances ?? 10_000, given.ids ?? 'text');
}

class MemoryStore implements SnapshotStore {
  readonly ids: InstanceIdKind;
  readonly #capacity: number;
  readonly #maxInstances: number;
  /** In the order in which they were last written. */
  readonly #rings = new Map<string, RowRing>();
  /** The highest sequence of each writer. */
  readonly #marks = new Map<string, number>();

  constructor(capacity: number, maxInstances: number, ids: InstanceIdKind) {
    this.#capacity = capacity;
    this.#maxInstances = maxInstances;
    this.ids = ids;
  }

  async migrate(): Promise<void> {}

  async write({ writer, rows }: SnapshotBatch): Promise<void> {
    const mark = this.#marks.get(writer) ?? 0;
    for (const row of rows) {
      if (row.sequence > mark) this.#ringOf(row.instanceId).push(row);
    }
    this.#marks.delete(writer);
    this.#marks.set(writer, Math.max(mark, rows.at(-1)?.sequence ?? 0));
    if (this.#marks.size > MAX_WRITERS) dropFirst(this.#marks);
  }

  async latest(instanceId: string): Promise<SnapshotRow | undefined> {
    return this.#rowsOf(instanceId).at(-1);
  }

  async range(instanceId: string, { from, to, limit, order }: RowRange): Promise<readonly SnapshotRow[]> {
    const rows = this.#rowsOf(instanceId).filter(({ insertedAt }) => insertedAt >= from && insertedAt < to);
    return (order === 'asc' ? rows : rows.reverse()).slice(0, limit);
  }

  async uptime(instanceId: string, window: UptimeWindow): Promise<KnownTime> {
    return knownTime(this.#rowsOf(instanceId), window);
  }

  async prune(before: number, limit: number): Promise<number> {
    let pruned = 0;
    for (const [instanceId, ring] of this.#rings) {
      while (pruned < limit && (ring.oldestAt() ?? before) < before) {
        ring.dropOldest();
        pruned++;
      }
      if (ring.size === 0) this.#rings.delete(instanceId);
    }
    return pruned;
  }

  async close(): Promise<void> {}

  #ringOf(instanceId: string): RowRing {
    const ring = this.#rings.get(instanceId) ?? new RowRing(this.#capacity);
    this.#rings.delete(instanceId);
    this.#rings.set(instanceId, ring);
    if (this.#rings.size > this.#maxInstances) dropFirst(this.#rings);
    return ring;
  }

  #rowsOf(instanceId: string): SnapshotRow[] {
    return this.#rings.get(instanceId)?.rows(instanceId).sort(compareRows) ?? [];
  }
}

function dropFirst(map: Map<string, unknown>): void {
  for (const key of map.keys()) {
    map.delete(key);
    return;
  }
}
