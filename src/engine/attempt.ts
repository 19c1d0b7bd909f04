import { HEALTHY, type RecordedResult, type Verdict } from '../core/check-result.js';
import type { EntryStatus, ServiceStatus } from '../core/report.js';

/** One run that has ended: its verdict and its times. */
export interface Attempt {
  readonly verdict: Verdict;
  readonly timestamp: string;
  readonly durationMs: number;
}

/** An attempt that is written over by the next: nothing is allocated per run where only the last one is looked at. */
export class LastAttempt implements Attempt {
  verdict: Verdict;
  timestamp: string;
  durationMs: number;

  constructor(verdict: Verdict, timestamp: string, durationMs: number) {
    this.verdict = verdict;
    this.timestamp = timestamp;
    this.durationMs = durationMs;
  }
}

const STATUS: Readonly<Record<Verdict['status'], EntryStatus>> = {
  healthy: 'OK',
  degraded: 'DEGRADED',
  unhealthy: 'ERROR',
};

/** The result as it is shown to listeners and callers: fields that are not there are absent. */
export function recorded(attempt: Attempt): RecordedResult {
  const { status, message, data, reason } = attempt.verdict;
  return Object.freeze({
    status,
    ...(message === undefined ? undefined : { message }),
    ...(data === undefined ? undefined : { data }),
    ...(reason === undefined ? undefined : { reason }),
    timestamp: attempt.timestamp,
    durationMs: attempt.durationMs,
  });
}

interface EntryDraft {
  name: string;
  kind: 'service' | 'check';
  status: EntryStatus;
  error?: string;
  reason?: string;
  durationMs?: number;
  checkedAt?: string;
  data?: NonNullable<ServiceStatus['data']>;
}

/** The entry that shows an attempt. `critical` false: what would be an ERROR is DEGRADED. */
export function entryOf(name: string, kind: 'service' | 'check', attempt: Attempt, critical: boolean): ServiceStatus {
  const { verdict, durationMs, timestamp } = attempt;
  // Almost all entries are this one; a literal costs half of what is built up.
  if (verdict === HEALTHY) return Object.freeze({ name, kind, status: 'OK', durationMs, checkedAt: timestamp });
  const entry: EntryDraft = { name, kind, status: soften(STATUS[verdict.status], critical) };
  if (verdict.status !== 'healthy' && verdict.message !== undefined) entry.error = verdict.message;
  if (verdict.reason !== undefined) entry.reason = verdict.reason;
  entry.durationMs = durationMs;
  entry.checkedAt = timestamp;
  if (verdict.data !== undefined) entry.data = verdict.data;
  return Object.freeze(entry);
}

/** The state and reason that such an entry shows. */
export function standingOf({ status, reason }: Verdict, critical: boolean): Pick<ServiceStatus, 'status' | 'reason'> {
  const shown = soften(STATUS[status], critical);
  return reason === undefined ? { status: shown } : { status: shown, reason };
}

/** An entry that says something other than what its last run said. */
export function statementOf(
  name: string,
  kind: 'service' | 'check',
  status: EntryStatus,
  error: string | undefined,
  reason: string | undefined,
  attempt?: Attempt,
): ServiceStatus {
  const entry: EntryDraft = { name, kind, status };
  if (error !== undefined) entry.error = error;
  if (reason !== undefined) entry.reason = reason;
  if (attempt !== undefined) {
    entry.durationMs = attempt.durationMs;
    entry.checkedAt = attempt.timestamp;
  }
  return Object.freeze(entry);
}

export function soften(status: EntryStatus, critical: boolean): EntryStatus {
  return status === 'ERROR' && !critical ? 'DEGRADED' : status;
}
