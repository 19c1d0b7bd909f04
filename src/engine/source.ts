import type { ServiceStatus } from '../core/report.js';
import type { ReportKind } from '../core/report-kind.js';
import type { RunBatch } from './run-batch.js';

/** What of an entry shows without details, beside its name. */
export type Standing = Pick<ServiceStatus, 'status' | 'reason'>;

/** What stands in reports: a service with its probes, or a check. */
export interface ReportSource {
  readonly name: string;
  /** Whether it is part of such a report. */
  takes(kind: ReportKind): boolean;
  /** Whether it is gone since. */
  readonly removed: boolean;
  /** Begins what such a report needs and does not have. */
  begin(kind: ReportKind, batch: RunBatch): void;
  /** The state and reason of its entry as it stands, without making the entry: the same object while they stay. */
  standing(kind: ReportKind, now: number): Standing;
  /** Its entry as it stands. */
  entry(kind: ReportKind, now: number): ServiceStatus;
  /**
   * Until when, by the monotonic clock and inclusive, the entry stays as it is if nothing is told: an inline run makes
   * it -Infinity.
   */
  freshUntil(kind: ReportKind, now: number): number;
}
