import type { EntryStatus, JsonValue } from '../index.js';
import { clip, copyData } from '../kit.js';
import { maskCredentials, maskValue } from './masking.js';

/** An entry as it leaves the process. What is withheld is absent. */
export interface PublicEntry {
  readonly name: string;
  readonly kind: 'service' | 'check';
  readonly status: EntryStatus;
  readonly error: string | undefined;
  readonly reason: string | undefined;
  readonly durationMs: number | undefined;
  readonly checkedAt: string | undefined;
  readonly data: JsonValue | undefined;
}

/** A report as it leaves the process. */
export interface PublicReport {
  readonly overallHealthy: boolean;
  readonly degraded: boolean;
  readonly state: string;
  readonly reason: string | undefined;
  readonly services: readonly PublicEntry[];
}

/** Which entries are wanted. */
export type Wanted = (name: string) => boolean;

/** A code that is safe to publish, by SPEC's rule for reasons; a text of an error is none. */
const CODE = /^[a-z][a-z0-9_]{0,39}$/;

export const code = (value: unknown): string | undefined =>
  typeof value === 'string' && CODE.test(value) ? value : undefined;

const STAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/;

const stamp = (value: unknown): string | undefined =>
  typeof value === 'string' && STAMP.test(value) ? value : undefined;

/**
 * What of a report may be shown. It may come from anywhere, so nothing in it is trusted: an unknown status is an error,
 * and healthy is only what says so and shows no error. Entries that are not wanted are left out, and with them what they
 * did to the whole. Throws where it is no report.
 */
export function publish(given: unknown, details: boolean, wanted: Wanted | undefined): PublicReport {
  const report = record(given);
  if (!Array.isArray(report.services)) throw new TypeError('a report has a list of services');
  const all = report.services.map((entry) => publishEntry(record(entry), details));
  const services = wanted === undefined ? all : all.filter(({ name }) => wanted(name));
  const reason = report.reason === undefined ? undefined : (code(report.reason) ?? 'other');
  const fine = !services.some(isError);
  // With an erroneous entry left out, the rest may be healthy although the whole says that it is not.
  const said = report.overallHealthy === true || (services.length < all.length && all.some(isError));
  const overallHealthy = fine && said && reason === undefined;
  return {
    overallHealthy,
    degraded: overallHealthy && services.some(({ status }) => status === 'DEGRADED'),
    state: code(report.state) ?? 'unknown',
    reason,
    services,
  };
}

const isError = ({ status }: PublicEntry): boolean => status === 'ERROR';

function publishEntry(entry: Readonly<Record<string, unknown>>, details: boolean): PublicEntry {
  const { name, kind, status, reason } = entry;
  if (typeof name !== 'string') throw new TypeError('an entry of a report has a name');
  return {
    name,
    kind: kind === 'service' ? 'service' : 'check',
    status: status === 'OK' || status === 'DEGRADED' ? status : 'ERROR',
    reason: code(reason),
    ...(details ? detailsOf(entry) : WITHHELD),
  };
}

type Details = Pick<PublicEntry, 'error' | 'durationMs' | 'checkedAt' | 'data'>;

const WITHHELD: Details = { error: undefined, durationMs: undefined, checkedAt: undefined, data: undefined };

function detailsOf({ error, durationMs, checkedAt, data }: Readonly<Record<string, unknown>>): Details {
  const copy = copyData(data);
  return {
    error: typeof error === 'string' ? maskCredentials(clip(error)) : undefined,
    durationMs: typeof durationMs === 'number' ? durationMs : undefined,
    checkedAt: stamp(checkedAt),
    data: copy === undefined ? undefined : maskValue(copy),
  };
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) throw new TypeError('a report and its entries are objects');
  return value as Readonly<Record<string, unknown>>;
}
