import type { SnapshotRow } from './row.js';

const TRUE: readonly unknown[] = [true, 1, 1n];

/** A row as a database gave it, whatever its driver makes of booleans and large numbers. */
export function rowFrom(given: unknown): SnapshotRow {
  const columns = given as Readonly<Record<string, unknown>>;
  return Object.freeze({
    instanceId: String(columns.instance_id),
    startupOk: TRUE.includes(columns.startup_ok),
    readinessOk: TRUE.includes(columns.readiness_ok),
    livenessOk: TRUE.includes(columns.liveness_ok),
    hadBackup: TRUE.includes(columns.had_backup),
    restored: TRUE.includes(columns.restored),
    latencyMs: Number(columns.latency_ms),
    insertedAt: Math.round(Number(columns.inserted_at)),
  });
}
