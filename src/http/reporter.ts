import type { HealthReport, ReportKind, ReportOptions } from '../index.js';

/**
 * What the handlers ask: a `Controller`, or anything that answers like one. It is known by its methods, so a controller
 * from another copy of the package will do.
 *
 * Each report method returns a report, or a promise of one, in bounded time. One that throws, rejects or returns
 * something else is answered with 503 and a body that says so without any detail.
 */
export interface HealthReporter {
  status(options?: ReportOptions): HealthReport | PromiseLike<HealthReport>;
  liveness(options?: ReportOptions): HealthReport | PromiseLike<HealthReport>;
  readiness(options?: ReportOptions): HealthReport | PromiseLike<HealthReport>;
  /**
   * The entries of such a report, in order, without running anything. Where it is absent, the handlers ask for whole
   * reports, without options, and leave out what was not asked for themselves.
   */
  names?(kind: ReportKind): readonly string[];
}
