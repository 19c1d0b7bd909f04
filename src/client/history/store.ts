import type { InstanceIdKind } from './instance-ids.js';
import type { SnapshotRow } from './row.js';

/** A row on its way into a store. */
export interface SequencedRow extends SnapshotRow {
  /** Its number among the rows of its writer, from 1, rising; numbers of rows that were dropped are missing. */
  readonly sequence: number;
}

/** Rows to be written together. */
export interface SnapshotBatch {
  /** Who writes: one id of 32 hexadecimal digits for the life of one `SnapshotHistory`. */
  readonly writer: string;
  /** At least one, by `sequence`. */
  readonly rows: readonly SequencedRow[];
}

/** Which rows `range` gives. */
export interface RowRange {
  /** Rows at or after this time: wall clock, milliseconds since 1970. */
  readonly from: number;
  /** Rows before this time. */
  readonly to: number;
  /** At most so many. */
  readonly limit: number;
  /** `asc`: the oldest first. `desc`: the newest first. */
  readonly order: 'asc' | 'desc';
}

/** Over what `uptime` is counted. */
export interface UptimeWindow {
  /** Its begin: wall clock, milliseconds since 1970. */
  readonly from: number;
  /** Its end, which is no part of it. Later than `from`. */
  readonly to: number;
  /** For how long a row stands that no other one follows. */
  readonly maxGapMs: number;
}

/** The time in a window that is known, in milliseconds. */
export interface KnownTime {
  readonly upMs: number;
  readonly downMs: number;
}

/**
 * Where rows are kept. `SnapshotHistory` calls `migrate` before anything else, writes one batch at a time, and bounds
 * each call by its `storeTimeoutMs`; a call that is late is left behind, and may still have its effect. All functions may
 * reject, with anything; the history tries again.
 *
 * Implementers guarantee:
 *
 * - **`migrate` may be called again, and by several processes at once.** It makes what is not there and keeps what is.
 * - **`write` is all or nothing, and the same row is never there twice.** A batch whose answer was lost comes again,
 *   perhaps with other rows around it: rows of a writer whose `sequence` is not above the highest one that was written
 *   for that writer are there already, and are passed over. It resolves when all rows are kept as well as this store keeps
 *   any. Where the rows themselves are at fault, it rejects with an object whose `refused` is true: smaller batches
 *   follow until the rows at fault stand alone, and those are dropped. Any other rejection means: the same again later.
 * - **The rows of an instance have one order**, that of their time; rows of one time are ordered by their columns in the
 *   order of {@link SnapshotRow}, false before true. `latest` is the last of them.
 * - **`uptime` gives each row the time until the next one, at most `maxGapMs`**, and of that only what is in the window: a
 *   row before `from` counts for what reaches into it. Up is `startupOk` and `readinessOk`. Rows at or after `to` say
 *   nothing.
 * - **`prune` removes rows before a time, at most `limit` of them**, and says how many it removed: fewer than `limit` means
 *   that none are left.
 * - **`close` ends only what the store opened itself.**
 */
export interface SnapshotStore {
  /** What ids it takes. The history refuses others. */
  readonly ids: InstanceIdKind;
  migrate(): Promise<void>;
  write(batch: SnapshotBatch): Promise<void>;
  latest(instanceId: string): Promise<SnapshotRow | undefined>;
  range(instanceId: string, range: RowRange): Promise<readonly SnapshotRow[]>;
  uptime(instanceId: string, window: UptimeWindow): Promise<KnownTime>;
  prune(before: number, limit: number): Promise<number>;
  close(): Promise<void>;
}

/** Rejections of `write` that say that the rows are at fault, not the store. */
export function isRefusal(error: unknown): boolean {
  try {
    return typeof error === 'object' && error !== null && (error as { refused?: unknown }).refused === true;
  } catch {
    return false;
  }
}

/** The error of a database, so marked. */
export function refusal(error: Error): Error & { readonly refused: true } {
  return Object.assign(new Error(error.message, { cause: error }), { refused: true as const });
}
