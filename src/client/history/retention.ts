import type { TimerHandle } from '../../index.js';
import type { Emitter } from '../../kit.js';
import type { SnapshotHistoryEvents } from './events.js';
import type { HistorySettings } from './options.js';
import type { StoreAccess } from './store-access.js';

/** Removes rows that have become too old, a few at a time. */
export class Retention {
  readonly #settings: HistorySettings;
  readonly #access: StoreAccess;
  readonly #events: Emitter<SnapshotHistoryEvents>;
  readonly #queued: () => number;
  #state: 'new' | 'running' | 'closed' = 'new';
  #timer: TimerHandle | undefined;
  #pruned = 0;
  #failures = 0;
  #inARow = 0;

  constructor(
    settings: HistorySettings,
    access: StoreAccess,
    events: Emitter<SnapshotHistoryEvents>,
    queued: () => number,
  ) {
    this.#settings = settings;
    this.#access = access;
    this.#events = events;
    this.#queued = queued;
  }

  get pruned(): number {
    return this.#pruned;
  }

  get failures(): number {
    return this.#failures;
  }

  /** The first row is written; later calls change nothing. */
  begin(): void {
    const { retentionMs } = this.#settings;
    if (this.#state !== 'new' || retentionMs === undefined) return;
    this.#state = 'running';
    void this.#prune(retentionMs);
  }

  close(): void {
    this.#state = 'closed';
    if (this.#timer !== undefined) this.#settings.clock.clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  async #prune(retentionMs: number): Promise<void> {
    const { clock, pruneBatchSize, pruneIntervalMs } = this.#settings;
    try {
      for (let more = true; more && this.#state === 'running'; ) {
        const count = await this.#access.prune(Math.floor(clock.wall() - retentionMs), pruneBatchSize);
        more = count >= pruneBatchSize;
        this.#inARow = 0;
        this.#pruned += count;
        if (count > 0 && this.#state === 'running') this.#events.emit('pruned', { count });
        if (more) await new Promise<void>((resolve) => clock.nextTurn(resolve));
      }
    } catch (error) {
      this.#failed(error);
    }
    if (this.#state !== 'running') return;
    this.#timer = clock.setTimeout(() => void this.#prune(retentionMs), pruneIntervalMs, { keepAlive: false });
  }

  #failed(error: unknown): void {
    if (this.#state !== 'running') return;
    const { logger, pruneIntervalMs } = this.#settings;
    this.#failures++;
    this.#inARow++;
    const told = { error, failures: this.#inARow, retryAfterMs: pruneIntervalMs, queued: this.#queued() };
    if (this.#inARow === 1) logger.warn('history: old rows could not be removed, which is tried again', told);
    this.#events.emit('failed', { operation: 'prune', ...told });
  }
}
