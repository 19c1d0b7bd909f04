// Their history
export { SnapshotHistory } from './history/history.js';
export type { SnapshotHistoryOptions } from './history/options.js';
export type { RangeOptions, UptimeOptions } from './history/read-options.js';
export type { CloseOptions, CloseOutcome } from './history/closing.js';
export type { HistoryStats } from './history/stats.js';
export type { Uptime } from './history/uptime.js';
export type { SnapshotSource } from './history/source.js';
export type {
  DroppedEvent,
  DropReason,
  FailedEvent,
  PrunedEvent,
  RecoveredEvent,
  SnapshotHistoryEventName,
  SnapshotHistoryEvents,
  WrittenEvent,
} from './history/events.js';

// Where it is kept
export type { InstanceIdKind } from './history/instance-ids.js';
export type { RecordedSnapshot, SnapshotRow } from './history/row.js';
export type {
  KnownTime,
  RowRange,
  SequencedRow,
  SnapshotBatch,
  SnapshotStore,
  UptimeWindow,
} from './history/store.js';
export { type MemoryStoreOptions, memoryStore } from './history/memory-store.js';
export type { SqliteDatabase, SqliteStatement } from './history/sqlite-database.js';
export { type SqliteStoreOptions, sqliteStore } from './history/sqlite-store.js';
export { type PostgresPool, type PostgresStoreOptions, postgresStore } from './history/postgres-store.js';
