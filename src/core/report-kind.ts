import type { LifecycleState } from './lifecycle.js';
import type { EntryStatus, GateReason } from './report.js';

/** The three questions. */
export type ReportKind = 'status' | 'liveness' | 'readiness';

/** Which reports a check is part of, beside status. */
export type CheckType = 'liveness' | 'readiness' | 'both';

interface KindRules {
  /** The probes of a service, the first that it has. */
  readonly probes: readonly ReportKind[];
  readonly checks: Readonly<Record<CheckType, boolean>>;
  /** What a check without a result is: readiness fails closed, the others are lenient (seed 004). */
  readonly pending: EntryStatus;
  /** Whether the lifecycle and maintenance close it. */
  readonly gated: boolean;
  /** Whether `reportRunState` shows in it. */
  readonly runState: boolean;
}

/** The ONE table of what differs between the reports. */
export const REPORT_KINDS: Readonly<Record<ReportKind, KindRules>> = {
  status: {
    probes: ['status'],
    checks: { liveness: true, readiness: true, both: true },
    pending: 'OK',
    gated: false,
    runState: true,
  },
  liveness: {
    probes: ['liveness', 'status'],
    checks: { liveness: true, readiness: false, both: true },
    pending: 'OK',
    gated: false,
    runState: false,
  },
  readiness: {
    probes: ['readiness', 'status'],
    checks: { liveness: false, readiness: true, both: true },
    pending: 'ERROR',
    gated: true,
    runState: true,
  },
};

export const KINDS: readonly ReportKind[] = ['status', 'liveness', 'readiness'];

const kindsOf = (type: CheckType): readonly ReportKind[] => KINDS.filter((kind) => REPORT_KINDS[kind].checks[type]);

/** The reports that a check of a type is part of: read off the table, once. */
export const KINDS_OF: Readonly<Record<CheckType, readonly ReportKind[]>> = {
  liveness: kindsOf('liveness'),
  readiness: kindsOf('readiness'),
  both: kindsOf('both'),
};

const GATES: Readonly<Record<LifecycleState, GateReason | undefined>> = {
  never_started: 'not_started',
  running: undefined,
  unable_to_start: 'unable_to_start',
  stopping: 'draining',
  stopped: 'stopped',
};

/** Why a report of this kind is closed, or undefined. The state outranks maintenance. */
export function gateOf(kind: ReportKind, state: LifecycleState, maintenance: boolean): GateReason | undefined {
  if (!REPORT_KINDS[kind].gated) return undefined;
  return GATES[state] ?? (maintenance ? 'maintenance' : undefined);
}
