import type { Shape } from '../kit.js';
import { where } from '../kit.js';
import { prefersHtml } from './accept.js';
import type { PolicyRequest } from './policies.js';
import type { HealthResponse } from './response.js';

/** What is asked of a page: itself, its stream of events, or one reading of what it shows. */
export type PageWant = 'html' | 'events' | 'state';

/** What a browser is shown at the path of the status report: what `createStatusPage` of `health-controller/page` gives. */
export interface ReportPage {
  /** Answers a GET or a HEAD, which gets the head of it. Should neither throw nor reject: that is a 503. `request` is the framework's own. */
  answer(want: PageWant, request: PolicyRequest): HealthResponse | PromiseLike<HealthResponse>;
}

const WANTS: readonly string[] = ['html', 'events', 'state'] satisfies readonly PageWant[];

/** What `?format=` asks of a page; undefined where that is nothing of a page's. */
export function wantNamed(format: string | undefined): PageWant | undefined {
  return format !== undefined && WANTS.includes(format) ? (format as PageWant) : undefined;
}

/** What a request for the status report asks of the page beside it; undefined where the report is meant. */
export function pageWant(format: string | undefined, accept: string | undefined): PageWant | undefined {
  if (format !== undefined) return wantNamed(format);
  return prefersHtml(accept) ? 'html' : undefined;
}

const isPage = (value: unknown): boolean =>
  ((typeof value === 'object' && value !== null) || typeof value === 'function') &&
  typeof (value as { answer?: unknown }).answer === 'function';

/** The option `page`. */
export const PAGE_SHAPE: Shape = { page: where(isPage, 'what createStatusPage() gives') };
