import type { SnapshotRow } from './row.js';

/**
 * Why rows are dropped. `overflow`: more than `maxQueued` were held. `refused`: the store takes this row never. `id`: what
 * is attached told of an instance whose id the store does not take. `closed`: the history was closed before they were
 * written, or before they came.
 */
export type DropReason = 'overflow' | 'refused' | 'id' | 'closed';

/** Rows were dropped: the first at once, others told together after `flushIntervalMs`. */
export interface DroppedEvent {
  readonly count: number;
  readonly reason: DropReason;
  /** All that were dropped so far, for whatever reason. */
  readonly total: number;
  /** The row, where it was refused. */
  readonly row?: SnapshotRow;
  /** What the store said, where it was refused. */
  readonly error?: unknown;
}

/** A call of the store failed, or was late. It comes again: nothing is lost by it. */
export interface FailedEvent {
  readonly operation: 'migrate' | 'write' | 'prune';
  /** What it was rejected with, as thrown; a `HealthControllerError` with the code `timeout` where it was late. */
  readonly error: unknown;
  /** Failures in a row so far, of this and of others; those of `prune` by themselves. */
  readonly failures: number;
  /** For how long it is not tried again. */
  readonly retryAfterMs: number;
  /** How many rows are held. */
  readonly queued: number;
}

/** The first answer of the store after failures of `migrate` or `write`. */
export interface RecoveredEvent {
  readonly failures: number;
  /** How long ago the first of the failures was, in monotonic milliseconds. */
  readonly downMs: number;
  /** How many rows are still held. */
  readonly queued: number;
}

/** Rows are in the store. */
export interface WrittenEvent {
  readonly count: number;
}

/** Rows that were older than `retentionMs` are removed. */
export interface PrunedEvent {
  readonly count: number;
}

/** Event names of a {@link SnapshotHistory} and their payloads. */
export interface SnapshotHistoryEvents {
  dropped: DroppedEvent;
  failed: FailedEvent;
  recovered: RecoveredEvent;
  written: WrittenEvent;
  pruned: PrunedEvent;
}

export type SnapshotHistoryEventName = keyof SnapshotHistoryEvents;
