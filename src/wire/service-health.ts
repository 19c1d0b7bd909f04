/** What is known of an exposed service. `unknown`: nothing that could be trusted now (seed 001). */
export type ServiceHealthState = 'unknown' | 'healthy' | 'unhealthy';

/**
 * The health of one exposed service. Time, message and code belong to one attempt, the latest. Branch on `state`:
 * thresholds can keep it healthy while the latest attempt failed. Frozen where this library made it.
 */
export interface ServiceHealth {
  readonly state: ServiceHealthState;
  /** When the latest attempt ended, ISO 8601 (wall clock). Absent where no attempt is known. */
  readonly lastCheckedTime?: string;
  /** What the latest attempt came to, or why nothing is known: a short fixed text without addresses or credentials. */
  readonly message: string;
  /** The code of the latest attempt's response; present only when its headers arrived. */
  readonly httpStatusCode?: number;
}

/** The state as it travels: the enum names of the published message (seed 001). */
export type WireServiceHealthState =
  | 'SERVICE_HEALTH_STATE_UNSPECIFIED'
  | 'SERVICE_HEALTH_STATE_UNKNOWN'
  | 'SERVICE_HEALTH_STATE_HEALTHY'
  | 'SERVICE_HEALTH_STATE_UNHEALTHY';

/** The health as it travels: the field names of the published message (seed 001). */
export interface WireServiceHealth {
  readonly state: WireServiceHealthState;
  /** RFC 3339. */
  readonly last_checked_time?: string;
  readonly message: string;
  readonly http_status_code?: number;
}

const WIRE_STATES: Readonly<Record<ServiceHealthState, WireServiceHealthState>> = {
  unknown: 'SERVICE_HEALTH_STATE_UNKNOWN',
  healthy: 'SERVICE_HEALTH_STATE_HEALTHY',
  unhealthy: 'SERVICE_HEALTH_STATE_UNHEALTHY',
};

/** What each spelling of a state means: the enum's names, its numbers, and our own words. Anything else is unknown. */
const STATES: ReadonlyMap<unknown, ServiceHealthState> = new Map<unknown, ServiceHealthState>([
  ['SERVICE_HEALTH_STATE_HEALTHY', 'healthy'],
  [2, 'healthy'],
  ['healthy', 'healthy'],
  ['SERVICE_HEALTH_STATE_UNHEALTHY', 'unhealthy'],
  [3, 'unhealthy'],
  ['unhealthy', 'unhealthy'],
]);

const RFC_3339 = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d{1,9})?([Zz]|[+-]\d{2}:\d{2})$/;
const MAX_MESSAGE = 1024;
const NOT_GIVEN = 'no health was given';

/** The health in the field names and enum names of the published message, ready for `JSON.stringify`. */
export function toWire(health: ServiceHealth): WireServiceHealth {
  return {
    state: WIRE_STATES[health.state],
    ...(health.lastCheckedTime === undefined ? undefined : { last_checked_time: health.lastCheckedTime }),
    message: health.message,
    ...(health.httpStatusCode === undefined ? undefined : { http_status_code: health.httpStatusCode }),
  };
}

/**
 * Reads a health that has travelled: JSON text, or what was parsed from it. Never throws. A missing health, as an older
 * gateway sends it, and a missing, unspecified or unheard-of state read as `unknown` (seed 001); a field that cannot be
 * what it should be is left out. Fields are accepted in snake case and in the camel case of protobuf's JSON mapping,
 * states as enum names, enum numbers, or the words of {@link ServiceHealthState}.
 */
export function parseServiceHealth(json: unknown): ServiceHealth {
  const given = recordOf(typeof json === 'string' ? parsed(json) : json);
  if (given === undefined) return Object.freeze({ state: 'unknown', message: NOT_GIVEN });
  const time = given.last_checked_time ?? given.lastCheckedTime;
  const code = given.http_status_code ?? given.httpStatusCode;
  const message = given.message;
  return Object.freeze({
    state: STATES.get(given.state) ?? 'unknown',
    ...(isTime(time) ? { lastCheckedTime: time } : undefined),
    message: typeof message === 'string' ? message.slice(0, MAX_MESSAGE) : '',
    ...(isCode(code) ? { httpStatusCode: code } : undefined),
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;
}

function isTime(value: unknown): value is string {
  return typeof value === 'string' && RFC_3339.test(value) && !Number.isNaN(Date.parse(value));
}

function isCode(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 100 && value <= 999;
}
