import { type Clock, type Logger, type Random, systemClock } from '../../index.js';
import {
  callable,
  clockPort,
  count,
  duration,
  having,
  invalidOption,
  loggerPort,
  oneOf,
  readOptions,
  type Shape,
  safeLogger,
  silentLogger,
  systemRandom,
} from '../../kit.js';
import type { SnapshotStore } from './store.js';

/** Options of a {@link SnapshotHistory}. Durations are milliseconds, from 1 to 2 147 483 647 unless 0 is mentioned. */
export interface SnapshotHistoryOptions {
  /** Where rows are kept: `memoryStore()`, `sqliteStore()`, `postgresStore()`, or one of your own. */
  readonly store: SnapshotStore;
  /**
   * How many rows are written at once, at most. For SQLite, which blocks the event loop while it writes, it says for how
   * long.
   * @defaultValue 500
   */
  readonly batchSize?: number | undefined;
  /**
   * How long a row waits for others at most, from the first one that waits. A full batch does not wait.
   * @defaultValue 1000
   */
  readonly flushIntervalMs?: number | undefined;
  /**
   * How many rows are held that are not in the store yet, those of a write under way among them; at least `batchSize`.
   * About 200 bytes each.
   * @defaultValue 100000
   */
  readonly maxQueued?: number | undefined;
  /**
   * What is dropped when a row comes and so many are held. `oldest`: the one that has waited longest, but for rows of a
   * write that is under way or whose outcome is not known. `newest`: the row that comes.
   * @defaultValue 'oldest'
   */
  readonly overflow?: 'oldest' | 'newest' | undefined;
  /**
   * Bounds each call of the store, from its begin. What takes longer counts as failed, and its outcome as unknown.
   * @defaultValue 10000
   */
  readonly storeTimeoutMs?: number | undefined;
  /**
   * How long nothing is written after a failure; doubles with each further one. Half of it is by chance.
   * @defaultValue 1000
   */
  readonly initialBackoffMs?: number | undefined;
  /**
   * The most that it grows to.
   * @defaultValue 30000
   */
  readonly maxBackoffMs?: number | undefined;
  /**
   * How old rows become before they are removed, by the wall clock; a whole number, of any size. Removing begins with the
   * first row that is written. Absent: this history removes nothing.
   */
  readonly retentionMs?: number | undefined;
  /**
   * How far apart removals are, from the end of one to the begin of the next.
   * @defaultValue 60000
   */
  readonly pruneIntervalMs?: number | undefined;
  /**
   * How many rows one call removes at most; calls follow each other until nothing is left to remove.
   * @defaultValue 1000
   */
  readonly pruneBatchSize?: number | undefined;
  /**
   * For how long a row stands that no other one follows; after that, nothing is known. Two minutes leave room for a poller
   * that waits 33 seconds after failures and then for a try of 35. Raise it with your polling interval.
   * @defaultValue 120000
   */
  readonly maxGapMs?: number | undefined;
  /** Absent: the system's clock. */
  readonly clock?: Clock | undefined;
  /** Gives the chance in the backoff. Absent: the system's. */
  readonly random?: Random | undefined;
  /** Where failures and losses are written, a line each. Absent: nowhere. */
  readonly logger?: Logger | undefined;
}

const SHAPE: Shape = {
  store: having('migrate', 'write', 'latest', 'range', 'uptime', 'prune', 'close'),
  batchSize: count(1),
  flushIntervalMs: duration(1),
  maxQueued: count(1),
  overflow: oneOf('oldest', 'newest'),
  storeTimeoutMs: duration(1),
  initialBackoffMs: duration(1),
  maxBackoffMs: duration(1),
  // Months are longer than any timer.
  retentionMs: count(1),
  pruneIntervalMs: duration(1),
  pruneBatchSize: count(1),
  maxGapMs: duration(1),
  clock: clockPort(),
  random: callable(),
  logger: loggerPort(),
};

/** A history's options with every one decided. */
export interface HistorySettings {
  readonly store: SnapshotStore;
  readonly batchSize: number;
  readonly flushIntervalMs: number;
  readonly maxQueued: number;
  readonly overflow: 'oldest' | 'newest';
  readonly storeTimeoutMs: number;
  readonly initialBackoffMs: number;
  readonly maxBackoffMs: number;
  readonly retentionMs: number | undefined;
  readonly pruneIntervalMs: number;
  readonly pruneBatchSize: number;
  readonly maxGapMs: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

const AT = 'new SnapshotHistory()';

export function resolveHistory(given: SnapshotHistoryOptions): HistorySettings {
  const options = readOptions(AT, SHAPE, given, ['store']) as unknown as SnapshotHistoryOptions;
  const { store, batchSize = 500, maxQueued = 100_000 } = options;
  if (!['uuid', 'text'].includes(store.ids)) {
    throw invalidOption(`${AT}: option "store": its member "ids"`, "'uuid' or 'text'", store.ids);
  }
  if (maxQueued < batchSize) {
    throw invalidOption(`${AT}: option "maxQueued"`, `at least "batchSize", which is ${batchSize}`, maxQueued);
  }
  return Object.freeze({
    store,
    batchSize,
    flushIntervalMs: options.flushIntervalMs ?? 1000,
    maxQueued,
    overflow: options.overflow ?? 'oldest',
    storeTimeoutMs: options.storeTimeoutMs ?? 10_000,
    initialBackoffMs: options.initialBackoffMs ?? 1000,
    maxBackoffMs: options.maxBackoffMs ?? 30_000,
    retentionMs: options.retentionMs,
    pruneIntervalMs: options.pruneIntervalMs ?? 60_000,
    pruneBatchSize: options.pruneBatchSize ?? 1000,
    maxGapMs: options.maxGapMs ?? 120_000,
    clock: options.clock ?? systemClock,
    random: options.random ?? systemRandom,
    logger: options.logger === undefined ? silentLogger : safeLogger(options.logger),
  });
}
