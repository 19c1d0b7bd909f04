import { errorText, isErrorLike, printable } from './printable.js';
import { copyData, type SafeData } from './safe-data.js';

/** The three states of a result. `degraded` needs attention and passes every gate. */
export type CheckStatus = 'healthy' | 'degraded' | 'unhealthy';

/** What a probe or check answers, made by {@link healthy}, {@link degraded} or {@link unhealthy}. Recognised by shape. */
export interface CheckResult {
  readonly status: CheckStatus;
  /** For people. Withheld from HTTP answers unless the details policy allows it. */
  readonly message?: string;
  /** Values for people and dashboards; copied as JSON, at most 8 KiB and 5 levels. Withheld like `message`. */
  readonly data?: Readonly<Record<string, unknown>>;
  /** A short code that is safe to publish, `/^[a-z][a-z0-9_]{0,39}$/`. */
  readonly reason?: string;
}

/** What may be returned, directly or as a promise: `undefined` and `true` are healthy, `false` is unhealthy. */
export type CheckReturn = CheckResult | boolean | undefined | void;

/** A result once it has been measured: what a controller records of one run. */
export interface RecordedResult {
  readonly status: CheckStatus;
  readonly message?: string;
  readonly data?: SafeData;
  readonly reason?: string;
  /** When the run ended, ISO 8601 (wall clock). */
  readonly timestamp: string;
  /** How long the run took, by the monotonic clock. */
  readonly durationMs: number;
}

/** A verdict on one run, before it is stamped with times. */
export interface Verdict {
  readonly status: CheckStatus;
  readonly message: string | undefined;
  readonly data: SafeData | undefined;
  readonly reason: string | undefined;
}

/** What a thing under test is called in its messages. */
export type RunLabel = 'probe' | 'health check';

/** A healthy result. */
export function healthy(message?: string, data?: Readonly<Record<string, unknown>>): CheckResult {
  return result('healthy', message, data, undefined);
}

/** A result that needs attention but passes every gate. `reason` is a short code that is safe to publish. */
export function degraded(message: string, data?: Readonly<Record<string, unknown>>, reason?: string): CheckResult {
  return result('degraded', message, data, reason);
}

/** A failed result. `reason` is a short code that is safe to publish; absent, the entry's reason is `failed`. */
export function unhealthy(message: string, data?: Readonly<Record<string, unknown>>, reason?: string): CheckResult {
  return result('unhealthy', message, data, reason);
}

function result(
  status: CheckStatus,
  message: string | undefined,
  data: Readonly<Record<string, unknown>> | undefined,
  reason: string | undefined,
): CheckResult {
  return {
    status,
    ...(message === undefined ? undefined : { message }),
    ...(data === undefined ? undefined : { data }),
    ...(reason === undefined ? undefined : { reason }),
  };
}

function verdict(status: CheckStatus, message?: string, reason?: string, data?: SafeData): Verdict {
  return Object.freeze({ status, message, data, reason });
}

/** The verdict on a run that is healthy and says no more: one object, so that it is recognised. */
export const HEALTHY = verdict('healthy');
const RETURNED_FALSE = verdict('unhealthy', 'check returned false', 'failed');
const REASON = /^[a-z][a-z0-9_]{0,39}$/;

/** The verdict on a run that outlived its timeout. */
export const TIMED_OUT: Readonly<Record<RunLabel, Verdict>> = {
  probe: verdict('unhealthy', 'probe timed out', 'timeout'),
  'health check': verdict('unhealthy', 'health check timed out', 'timeout'),
};

/** What a returned or resolved value means. Never throws. */
export function readReturn(value: unknown): Verdict {
  if (value === undefined || value === true) return HEALTHY;
  if (value === false) return RETURNED_FALSE;
  try {
    if (typeof value === 'object' && value !== null) return readResult(value);
  } catch (error) {
    return verdict('unhealthy', `invalid result: reading it threw ${printable(error)}`, 'invalid_result');
  }
  return invalid(value);
}

/** What a thrown or rejected value means: an Error is a failure, anything else a panic. Never throws. */
export function readThrown(thrown: unknown, label: RunLabel): Verdict {
  return isErrorLike(thrown)
    ? verdict('unhealthy', errorText(thrown), 'failed')
    : verdict('unhealthy', `${label} panicked: ${printable(thrown)}`, 'panicked');
}

function readResult(value: object): Verdict {
  const given = value as { status?: unknown; message?: unknown; data?: unknown; reason?: unknown };
  const { status, message, data, reason } = given;
  if (status !== 'healthy' && status !== 'degraded' && status !== 'unhealthy') return invalid(value);
  if (message !== undefined && typeof message !== 'string') return invalid(value);
  // A wrong code does not change the state: a degraded part must not fall out of rotation for it. But it shows.
  const code =
    reason === undefined
      ? status === 'unhealthy'
        ? 'failed'
        : undefined
      : typeof reason === 'string' && REASON.test(reason)
        ? reason
        : 'invalid_reason';
  const text = message === undefined ? (status === 'healthy' ? undefined : status) : printable(message);
  if (status === 'healthy' && text === undefined && data === undefined && code === undefined) return HEALTHY;
  return verdict(status, text, code, copyData(data));
}

function invalid(value: unknown): Verdict {
  const expected = 'expected undefined, true, false, or healthy(), degraded() or unhealthy()';
  return verdict('unhealthy', `invalid result: ${expected}, got ${printable(value)}`, 'invalid_result');
}
