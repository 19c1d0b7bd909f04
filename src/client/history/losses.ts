import type { TimerHandle } from '../../index.js';
import type { Emitter } from '../../kit.js';
import type { DropReason, SnapshotHistoryEvents } from './events.js';
import type { HistorySettings } from './options.js';
import type { SnapshotRow } from './row.js';

/** Counts what is dropped, and tells it: a thousand rows a second make one event and one line a second. */
export class Losses {
  readonly #settings: HistorySettings;
  readonly #events: Emitter<SnapshotHistoryEvents>;
  readonly #untold = new Map<DropReason, number>();
  #total = 0;
  #timer: TimerHandle | undefined;
  #closed = false;

  constructor(settings: HistorySettings, events: Emitter<SnapshotHistoryEvents>) {
    this.#settings = settings;
    this.#events = events;
  }

  get total(): number {
    return this.#total;
  }

  add(reason: DropReason, count = 1): void {
    this.#total += count;
    this.#untold.set(reason, (this.#untold.get(reason) ?? 0) + count);
    if (this.#timer === undefined && !this.#closed) this.#tellLater();
  }

  /** A row that the store takes never: told by itself. */
  refused(row: SnapshotRow, error: unknown): void {
    this.#total++;
    this.#settings.logger.error('history: a row was refused by the store and dropped', { row, error });
    this.#events.emit('dropped', { count: 1, reason: 'refused', total: this.#total, row, error });
  }

  /** The end: what is not told yet is told now, and what comes later is only counted. */
  close(): void {
    this.#closed = true;
    this.#tell();
    if (this.#timer !== undefined) this.#settings.clock.clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #tellLater(): void {
    const { clock, flushIntervalMs } = this.#settings;
    this.#tell();
    const again = (): void => {
      this.#timer = undefined;
      if (this.#untold.size > 0) this.#tellLater();
    };
    this.#timer = clock.setTimeout(again, flushIntervalMs, { keepAlive: false });
  }

  #tell(): void {
    const told = [...this.#untold];
    this.#untold.clear();
    for (const [reason, count] of told) {
      this.#settings.logger.warn(`history: ${count} rows were dropped: ${reason}`, { count, reason });
      this.#events.emit('dropped', { count, reason, total: this.#total });
    }
  }
}
