import type { TimerHandle } from '../../index.js';
import { type BackoffRule, backoffDelay, type Emitter } from '../../kit.js';
import type { SnapshotHistoryEvents } from './events.js';
import type { Losses } from './losses.js';
import type { HistorySettings } from './options.js';
import type { SnapshotRow } from './row.js';
import { RowQueue } from './row-queue.js';
import { isRefusal, type SequencedRow } from './store.js';
import type { StoreAccess } from './store-access.js';

interface Trouble {
  readonly since: number;
  readonly failures: number;
  /** Before this, by the monotonic clock, nothing is tried by itself. */
  readonly retryAt: number;
}

/** Moves rows into the store: one batch at a time, in order, the same again until the store has answered for it. */
export class Writer {
  readonly #settings: HistorySettings;
  readonly #access: StoreAccess;
  readonly #events: Emitter<SnapshotHistoryEvents>;
  readonly #losses: Losses;
  readonly #queue: RowQueue;
  readonly #id = writerId();
  readonly #backoff: BackoffRule;
  /** How many rows the next batch has: halved where one is refused, to find the row at fault, then doubled again. */
  #size: number;
  #trouble: Trouble | undefined;
  #writing: Promise<boolean> | undefined;
  #draining = false;
  #closed = false;
  #timer: TimerHandle | undefined;
  #written = 0;
  #failures = 0;

  constructor(settings: HistorySettings, access: StoreAccess, events: Emitter<SnapshotHistoryEvents>, losses: Losses) {
    const { initialBackoffMs, maxBackoffMs } = settings;
    this.#settings = settings;
    this.#access = access;
    this.#events = events;
    this.#losses = losses;
    this.#queue = new RowQueue(settings.maxQueued, settings.overflow);
    this.#size = settings.batchSize;
    this.#backoff = { initialBackoffMs, maxBackoffMs, multiplier: 2, jitter: 'equal' };
  }

  get queued(): number {
    return this.#queue.size;
  }

  get written(): number {
    return this.#written;
  }

  get failures(): number {
    return this.#failures;
  }

  /** How many of the rows that are held may be in the store. */
  get uncertain(): number {
    return this.#queue.tried;
  }

  /** For how long nothing is tried by itself. */
  get retryAfterMs(): number {
    return Math.max(0, (this.#trouble?.retryAt ?? 0) - this.#settings.clock.now());
  }

  /** Never waits and never throws. */
  add(row: SnapshotRow): void {
    const dropped = this.#queue.push(row);
    if (dropped > 0) this.#losses.add('overflow', dropped);
    const full = this.#queue.size >= this.#settings.batchSize && this.#trouble === undefined;
    if (full) this.#drainSoon();
    else this.#arm();
  }

  /** Tries to write all that is held now, at once. False: a try failed. */
  async flush(): Promise<boolean> {
    const until = this.#queue.newest;
    while (this.#queue.oldest <= until) {
      if (!(await this.#write())) return false;
      await this.#turn();
    }
    return true;
  }

  /** Gives up what is held, and says how much that was. What is under way changes nothing any more. */
  close(): number {
    this.#closed = true;
    this.#disarm();
    return this.#queue.clear();
  }

  /** After a turn of the loop, so that whoever records is not held up. */
  #drainSoon(): void {
    if (this.#draining) return;
    this.#draining = true;
    this.#disarm();
    this.#settings.clock.nextTurn(() => void this.#drain());
  }

  async #drain(): Promise<void> {
    while (!this.#closed && this.#queue.size > 0 && (await this.#write())) await this.#turn();
    this.#draining = false;
    if (!this.#closed) this.#arm();
  }

  // Between two batches the loop does something else: a store may block it.
  #turn(): Promise<void> {
    return new Promise((resolve) => this.#settings.clock.nextTurn(resolve));
  }

  #arm(): void {
    if (this.#timer !== undefined || this.#draining || this.#queue.size === 0) return;
    const delayMs = this.#trouble === undefined ? this.#settings.flushIntervalMs : this.retryAfterMs;
    const due = (): void => {
      this.#timer = undefined;
      this.#drainSoon();
    };
    this.#timer = this.#settings.clock.setTimeout(due, delayMs, { keepAlive: false });
  }

  #disarm(): void {
    if (this.#timer !== undefined) this.#settings.clock.clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #rearm(): void {
    this.#disarm();
    this.#arm();
  }

  /** One batch; who asks while one is under way gets that one. */
  #write(): Promise<boolean> {
    this.#writing ??= this.#writeBatch().finally(() => {
      this.#writing = undefined;
    });
    return this.#writing;
  }

  async #writeBatch(): Promise<boolean> {
    let rows: readonly SequencedRow[] = [];
    try {
      await this.#access.ready();
      if (this.#closed) return false;
      rows = this.#queue.head(this.#size);
      if (rows.length === 0) return true;
      await this.#access.write({ writer: this.#id, rows });
      if (!this.#closed) this.#wrote(rows.length);
      return true;
    } catch (error) {
      if (this.#closed) return false;
      if (rows.length > 0 && isRefusal(error)) {
        this.#refused(rows, error);
        return true;
      }
      this.#failed(rows.length > 0 ? 'write' : 'migrate', error);
      return false;
    }
  }

  #wrote(count: number): void {
    this.#queue.remove(count);
    this.#size = Math.min(this.#settings.batchSize, this.#size * 2);
    this.#written += count;
    this.#events.emit('written', { count });
    this.#answered();
  }

  #refused(rows: readonly SequencedRow[], error: unknown): void {
    const [row] = rows;
    if (row !== undefined && rows.length === 1) {
      const { sequence: _, ...refused } = row;
      this.#queue.remove(1);
      this.#losses.refused(refused, error);
    }
    this.#size = Math.ceil(rows.length / 2);
    this.#answered();
  }

  /** A store that answers is not down, be it that it refuses. */
  #answered(): void {
    const { clock, logger } = this.#settings;
    const trouble = this.#trouble;
    if (trouble === undefined) return;
    this.#trouble = undefined;
    this.#rearm();
    const told = { failures: trouble.failures, downMs: clock.now() - trouble.since, queued: this.#queue.size };
    logger.info(`history: the store answers again, after ${told.failures} failures`, told);
    this.#events.emit('recovered', told);
  }

  #failed(operation: 'migrate' | 'write', error: unknown): void {
    const { clock, logger, random } = this.#settings;
    const now = clock.now();
    const failures = (this.#trouble?.failures ?? 0) + 1;
    const retryAfterMs = backoffDelay(this.#backoff, failures, 0, random);
    this.#failures++;
    this.#trouble = { since: this.#trouble?.since ?? now, failures, retryAt: now + retryAfterMs };
    this.#rearm();
    const told = { operation, error, failures, retryAfterMs, queued: this.#queue.size };
    if (failures === 1) logger.warn(`history: ${operation} failed, and is tried again until it does not`, told);
    this.#events.emit('failed', told);
  }
}

/** 128 bits, in hexadecimal: what tells one writer from all others is no part of what is simulated in tests. */
function writerId(): string {
  const words = [...crypto.getRandomValues(new Uint32Array(4))];
  return words.map((word) => word.toString(16).padStart(8, '0')).join('');
}
