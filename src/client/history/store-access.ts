import { HealthControllerError } from '../../index.js';
import type { HistorySettings } from './options.js';
import type { SnapshotBatch, SnapshotStore } from './store.js';
import { StoreCalls } from './store-calls.js';

/** Of those that write: more than one only where an earlier one is late. */
const MOST_WRITES = 2;
/** Of those that read. */
const MOST_READS = 256;

/** The store behind its deadlines; nothing is asked of it before its schema is there. */
export class StoreAccess {
  readonly #store: SnapshotStore;
  readonly #writes: StoreCalls;
  readonly #removals: StoreCalls;
  readonly #reads: StoreCalls;
  #migrated: Promise<void> | undefined;
  #closed = false;

  constructor({ store, storeTimeoutMs, clock }: HistorySettings) {
    this.#store = store;
    this.#writes = new StoreCalls(MOST_WRITES, storeTimeoutMs, clock);
    this.#removals = new StoreCalls(MOST_WRITES, storeTimeoutMs, clock);
    this.#reads = new StoreCalls(MOST_READS, storeTimeoutMs, clock);
  }

  /** The schema is there: asked for once, and again after a failure. */
  ready(): Promise<void> {
    this.#migrated ??= this.#writes
      .make('migrate', () => this.#store.migrate())
      .catch((error: unknown) => {
        this.#migrated = undefined;
        throw error;
      });
    return this.#migrated;
  }

  write(batch: SnapshotBatch): Promise<void> {
    return this.#writes.make('write', () => this.#store.write(batch));
  }

  async prune(before: number, limit: number): Promise<number> {
    await this.ready();
    return this.#removals.make('prune', () => this.#store.prune(before, limit));
  }

  /** @throws HealthControllerError `stopped`, `timeout`; and as the store rejects */
  async read<Value>(what: string, ask: (store: SnapshotStore) => PromiseLike<Value>): Promise<Value> {
    if (this.#closed) throw new HealthControllerError('stopped', `${what}(): the history is closed`);
    await this.ready();
    return this.#reads.make(what, () => ask(this.#store));
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#writes.make('close', () => this.#store.close());
  }
}
