import type { LifecycleState } from './lifecycle.js';
import type { SafeData } from './safe-data.js';

/** The state of one entry of a report: healthy, degraded, unhealthy. Any `ERROR` makes the report unhealthy. */
export type EntryStatus = 'OK' | 'DEGRADED' | 'ERROR';

/** One service or check in a report. Frozen. */
export interface ServiceStatus {
  readonly name: string;
  readonly kind: 'service' | 'check';
  readonly status: EntryStatus;
  /** Why it is not OK, for people. */
  readonly error?: string;
  /** Why, as a short code that is safe to publish: `failed`, `timeout`, `panicked`, `invalid_result`, `pending`, `stale`, … */
  readonly reason?: string;
  /** How long the run took that this entry shows. Absent where nothing was run. */
  readonly durationMs?: number;
  /** When that run ended, ISO 8601. Absent where nothing was run. */
  readonly checkedAt?: string;
  readonly data?: SafeData;
}

/** Why a report is not healthy whatever its entries say: the lifecycle, or maintenance. */
export type GateReason = 'not_started' | 'unable_to_start' | 'draining' | 'stopped' | 'maintenance';

/** The aggregate of one kind. Frozen; the same object while nothing it is made of has changed. */
export interface HealthReport {
  /** False when any entry is `ERROR`, and in readiness whenever `reason` is present. */
  readonly overallHealthy: boolean;
  readonly state: LifecycleState;
  /** Present in readiness whenever the state or maintenance closes the gate. */
  readonly reason?: GateReason;
  /** Services in registration order, then checks in registration order. */
  readonly services: readonly ServiceStatus[];
}

/** Makes a report of entries and the gate: the one place that decides `overallHealthy`. */
export function makeReport(
  state: LifecycleState,
  gate: GateReason | undefined,
  services: readonly ServiceStatus[],
): HealthReport {
  let overallHealthy = gate === undefined;
  for (let i = 0; overallHealthy && i < services.length; i++) {
    if (services[i]?.status === 'ERROR') overallHealthy = false;
  }
  return Object.freeze(
    gate === undefined
      ? { overallHealthy, state, services: Object.freeze(services) }
      : { overallHealthy, state, reason: gate, services: Object.freeze(services) },
  );
}
