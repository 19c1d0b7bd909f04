import type { PublicEntry } from '../publish.js';
import type { Format } from './format.js';

/**
 * `application/health+json` as draft-inadarei-api-health-check-06 has it. Keys of `checks` are
 * `component:measurement`; a colon in a name is percent-encoded, since it may not stand there. `reason` is a key of our
 * own, which the draft allows (4.10); everything that is withheld is absent.
 */
export const healthJsonFormat: Format = {
  names: ['health', 'health+json'],
  mediaType: 'application/health+json',
  contentType: 'application/health+json',
  body({ report: { overallHealthy, degraded, reason, services } }) {
    const status = overallHealthy ? (degraded ? 'warn' : 'pass') : 'fail';
    const checks = new Map<string, object[]>();
    for (const entry of services) {
      const key = keyOf(entry);
      checks.set(key, [...(checks.get(key) ?? []), detailsOf(entry)]);
    }
    const notes = reason === undefined ? undefined : [reason];
    // fromEntries defines its keys: one that is called `__proto__` stays a key.
    return JSON.stringify({ status, notes, checks: Object.fromEntries(checks) });
  },
};

const STATUSES = { OK: 'pass', DEGRADED: 'warn', ERROR: 'fail' } as const;

/** The one measurement of an entry is its run: how long it took, and when. */
function keyOf({ name }: PublicEntry): string {
  return `${name.replace(/[%:]/g, encodeURIComponent)}:responseTime`;
}

function detailsOf({ status, reason, error, durationMs, checkedAt, data }: PublicEntry): object {
  return {
    componentType: 'component',
    observedValue: durationMs,
    observedUnit: durationMs === undefined ? undefined : 'ms',
    status: STATUSES[status],
    time: checkedAt,
    output: status === 'OK' ? undefined : error,
    reason,
    data,
  };
}
