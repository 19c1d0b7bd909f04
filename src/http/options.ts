import type { Clock, Logger } from '../index.js';
import type { ReportPage } from './report-page.js';

/**
 * Whether the sender of a request may see details. Asked before the report is read. One that throws, rejects or has not
 * answered within a second counts as no.
 */
export type DetailsPolicy<Request> = (request: Request) => boolean | PromiseLike<boolean>;

/** Where the three reports are. Each has, one level below, a path for each of its entries. */
export interface PathOptions {
  /**
   * Put before every path; slashes at its ends make no difference. A mount point or prefix of the framework comes before
   * it.
   * @defaultValue ''
   */
  readonly basePath?: string | undefined;
  readonly paths?:
    | {
        /** @defaultValue '/livez' */
        readonly liveness?: string | false | undefined;
        /** @defaultValue '/readyz' */
        readonly readiness?: string | false | undefined;
        /** @defaultValue '/status' */
        readonly status?: string | false | undefined;
      }
    | undefined;
}

/** Options of every handler. `Request` is what the framework passes to `details`. */
export interface HealthHandlerOptions<Request> extends PathOptions {
  /** HTTP status codes from 200 to 599 that may carry a body. */
  readonly codes?:
    | {
        /** @defaultValue 200 */
        readonly healthy?: number | undefined;
        /** Healthy, but an entry is degraded. @defaultValue 200 */
        readonly degraded?: number | undefined;
        /** @defaultValue 503 */
        readonly unhealthy?: number | undefined;
      }
    | undefined;
  /**
   * Who sees error texts, data and times. Everyone else sees names, states and reason codes. Credentials in URLs are
   * masked for all.
   * @defaultValue 'never'
   */
  readonly details?: 'never' | 'always' | DetailsPolicy<Request> | undefined;
  /**
   * What browsers get at the path of the status report: `createStatusPage()` of `health-controller/page`. Asked where
   * `Accept` likes `text/html` better than every format of the report, and for `?format=html`, `events` and `state`;
   * every other request is answered as without it. Its own details policy decides. Absent: no page.
   */
  readonly page?: ReportPage | undefined;
  /**
   * Told the effective paths once, and when the reporter or the policy begins to fail and has recovered; never a line per
   * request. Absent: nobody is told.
   */
  readonly logger?: Logger | undefined;
  /** Bounds the policy. Absent: the system's clock. */
  readonly clock?: Clock | undefined;
}
