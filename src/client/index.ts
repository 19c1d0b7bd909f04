// One instance, and many
export { HealthPoller } from './poller.js';
export { HealthMonitor } from './monitor.js';
export type {
  AskOptions,
  HealthMonitorOptions,
  HealthPollerOptions,
  PolledInstanceOptions,
  MonitoredInstance,
  PollOnceOptions,
  PollOptions,
  WhenRunningOptions,
} from './options.js';
export type {
  InstanceEvent,
  InstanceState,
  PollerEventName,
  PollerEvents,
  PollTransport,
  SnapshotEvent,
  UnreachableEvent,
} from './events.js';
export type { SnapshotFetch, SnapshotFetchBody, SnapshotFetchInit, SnapshotFetchResponse } from './fetch.js';
export type { WebSocketConstructor } from './snapshot-socket.js';

// One try at a time, for engines that schedule
export { pollOnce } from './poll-once.js';
export type { PollResult } from './poll-result.js';
export {
  type PolledStatus,
  type PollOutcome,
  type PollRecord,
  type PollRule,
  type PollTransition,
  recordPoll,
  startRecord,
} from './poll-record.js';

// Snapshots and how they are read
export {
  type GatewayPhase,
  type GatewayProcessType,
  type GatewaySnapshot,
  type GatewayStatus,
  type GatewayVerdict,
  type ProbeResult,
  type ProbeStatus,
  type RestoreStatus,
  readSnapshot,
  type VerdictInput,
} from '../wire/gateway.js';
export { gatewaySnapshotSchema, type StandardIssue, type StandardSchema } from '../wire/gateway-schema.js';

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
