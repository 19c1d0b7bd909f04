import type { SnapshotBatch, SnapshotRow } from '../../../../src/client/index.js';
import type { GatewaySnapshot, ProbeResult } from '../../../../src/presets/gateway/index.js';

export const A = '0b8f6d1c-7a7e-4d36-9c5b-1f2e3d4c5b6a';
export const B = 'ffffffff-0000-4000-8000-000000000001';
/** A time at which rows of tests begin. */
export const T0 = 1_767_225_600_000;

/** A row of instance A that was up; `atMs` counts from T0. */
export function rowAt(atMs: number, changes: Partial<SnapshotRow> = {}): SnapshotRow {
  return {
    instanceId: A,
    startupOk: true,
    readinessOk: true,
    livenessOk: true,
    hadBackup: false,
    restored: false,
    latencyMs: 7,
    insertedAt: T0 + atMs,
    ...changes,
  };
}

export function batchOf(rows: readonly SnapshotRow[], first = 1, writer = 'a'.repeat(32)): SnapshotBatch {
  return { writer, rows: rows.map((row, index) => ({ ...row, sequence: first + index })) };
}

const probe = (ok: boolean, latencyMs: number): ProbeResult =>
  ok ? { ok, status: 'success', latencyMs } : { ok, status: 'failure', latencyMs, error: 'no' };

/** A snapshot of the three booleans, each probe having taken `latencyMs`. */
export function snapshotOf(startup = true, readiness = true, liveness = true, latencyMs = 1): GatewaySnapshot {
  return {
    ts: '2026-07-03T14:00:00.000Z',
    startup: probe(startup, latencyMs),
    readiness: probe(readiness, latencyMs),
    liveness: probe(liveness, latencyMs),
    restoreStatus: { hadBackup: false, restored: false },
    status: readiness ? 'running' : 'stopped',
    phase: 'ready',
  };
}
