import { where } from '../../kit.js';
import type { GatewaySnapshot, ProbeResult } from '../../wire/gateway.js';

/** One row of the table `instance_health_snapshots`, with exactly the columns of seed 000. */
export interface SnapshotRow {
  readonly instanceId: string;
  readonly startupOk: boolean;
  readonly readinessOk: boolean;
  readonly livenessOk: boolean;
  readonly hadBackup: boolean;
  readonly restored: boolean;
  /** The latencies of the three probes together, rounded to whole milliseconds; at most 2 147 483 647. */
  readonly latencyMs: number;
  /** When it was recorded: wall clock, whole milliseconds since 1970. */
  readonly insertedAt: number;
}

/** What is read of a snapshot. */
export type RecordedSnapshot = Pick<GatewaySnapshot, 'startup' | 'readiness' | 'liveness' | 'restoreStatus'>;

const PARTS = [
  'startup',
  'readiness',
  'liveness',
  'restoreStatus',
] as const satisfies readonly (keyof RecordedSnapshot)[];

/** Whatever else it says is measured, and taken. */
export const snapshotShape = () =>
  where(
    (value) => {
      const parts = value as Partial<Readonly<Record<string, unknown>>> | null | undefined;
      return PARTS.every((part) => typeof parts?.[part] === 'object' && parts[part] !== null);
    },
    `a snapshot with the members ${PARTS.join(', ')}`,
  );

/** What an `integer` of PostgreSQL holds. */
const MAX_LATENCY_MS = 2_147_483_647;

// Whatever a snapshot holds, none of it may spoil a batch.
export function rowOf(instanceId: string, snapshot: RecordedSnapshot, insertedAt: number): SnapshotRow {
  const { startup, readiness, liveness, restoreStatus } = snapshot;
  return Object.freeze({
    instanceId,
    startupOk: startup.ok === true,
    readinessOk: readiness.ok === true,
    livenessOk: liveness.ok === true,
    hadBackup: restoreStatus.hadBackup === true,
    restored: restoreStatus.restored === true,
    latencyMs: combinedLatency([startup, readiness, liveness]),
    insertedAt,
  });
}

/** Nothing came: none of the probes is ok, and nothing took any time. */
export function unreachableRow(instanceId: string, insertedAt: number): SnapshotRow {
  return Object.freeze({
    instanceId,
    startupOk: false,
    readinessOk: false,
    livenessOk: false,
    hadBackup: false,
    restored: false,
    latencyMs: 0,
    insertedAt,
  });
}

function combinedLatency(probes: readonly Pick<ProbeResult, 'latencyMs'>[]): number {
  const sum = Math.round(probes.reduce((total, { latencyMs }) => total + latencyMs, 0));
  return Math.min(Math.max(sum || 0, 0), MAX_LATENCY_MS);
}

const ORDER = [
  'insertedAt',
  'startupOk',
  'readinessOk',
  'livenessOk',
  'hadBackup',
  'restored',
  'latencyMs',
] as const satisfies readonly (keyof SnapshotRow)[];

/**
 * The order of the rows of one instance, the same in every store: by time, and rows of one time by their columns, false
 * before true. The table has no column that says which was written first.
 */
export function compareRows(a: SnapshotRow, b: SnapshotRow): number {
  for (const column of ORDER) {
    const difference = Number(a[column]) - Number(b[column]);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** The columns by which rows are sorted, as they are called in SQL. */
export const SQL_ORDER = [
  'inserted_at',
  'startup_ok',
  'readiness_ok',
  'liveness_ok',
  'had_backup',
  'restored',
  'latency_ms',
];
