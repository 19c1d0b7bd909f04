import {
  isoStamp,
  isStale,
  THRESHOLD_START,
  type ThresholdCount,
  type ThresholdRule,
  thresholdStep,
} from '../../kit.js';
import type { ServiceHealth } from '../../wire/service-health.js';

/** What one attempt came to. `inconclusive`: it could not look, which says nothing about the service. */
export interface Verdict {
  readonly outcome: 'pass' | 'fail' | 'inconclusive';
  readonly message: string;
  /** Only where response headers arrived. */
  readonly code?: number;
}

/** All that is known of one service: what to show, from when it is, and how many in a row. Immutable. */
export interface Observed {
  readonly health: ServiceHealth;
  readonly count: ThresholdCount;
  /** When the latest attempt ended, by the monotonic clock; undefined without one. */
  readonly at: number | undefined;
}

/** The moments at which an observation is made or read. */
export interface Reading {
  readonly now: number;
  readonly wall: number;
}

/** Nothing is known, for this reason: what a service begins with, and what every reset leads to. */
export function unobserved(message: string): Observed {
  const health: ServiceHealth = Object.freeze({ state: 'unknown', message });
  return Object.freeze({ health, count: THRESHOLD_START, at: undefined });
}

/** One attempt has ended. An inconclusive one is a reset. Pure. */
export function observe(before: Observed, verdict: Verdict, reading: Reading, rule: ThresholdRule): Observed {
  if (verdict.outcome === 'inconclusive') return unobserved(verdict.message);
  const count = thresholdStep(before.count, verdict.outcome === 'pass', rule);
  const health: ServiceHealth = Object.freeze({
    state: count.state,
    lastCheckedTime: isoStamp(reading.wall),
    message: verdict.message,
    ...(verdict.code === undefined ? undefined : { httpStatusCode: verdict.code }),
  });
  return Object.freeze({ health, count, at: reading.now });
}

/**
 * Whether the latest attempt is no longer to be trusted. Then everything that was counted is forgotten: what was before
 * the gap does not count after it.
 */
export function isTooOld(observed: Observed, now: number, staleAfterMs: number): boolean {
  return observed.at !== undefined && isStale(now - observed.at, staleAfterMs);
}
