/** What a run of successes and failures has led to. `unknown`: no threshold reached yet. */
export type ThresholdState = 'unknown' | 'healthy' | 'unhealthy';

/**
 * Where the count stands. The state, and how many in a row. `shielded` says that it has been healthy before, so that
 * the failure threshold protects it.
 */
export interface ThresholdCount {
  readonly state: ThresholdState;
  readonly shielded: boolean;
  readonly failures: number;
  readonly successes: number;
}

export interface ThresholdRule {
  readonly failureThreshold: number;
  readonly successThreshold: number;
  /**
   * What the first observations mean. `at_once`: the first decides, the thresholds shield only a state once healthy
   * (a controller's checks). `unknown`: unknown until a threshold is reached (seed 001).
   */
  readonly beginning: 'at_once' | 'unknown';
}

export const THRESHOLD_START: ThresholdCount = Object.freeze({
  state: 'unknown',
  shielded: false,
  failures: 0,
  successes: 0,
});

/** One observation: hysteresis over consecutive failures and successes. Pure. */
export function thresholdStep(count: ThresholdCount, success: boolean, rule: ThresholdRule): ThresholdCount {
  const failures = success ? 0 : count.failures + 1;
  const successes = success ? count.successes + 1 : 0;
  const atOnce = rule.beginning === 'at_once' && !count.shielded;
  let state = count.state;
  if (success && (atOnce || successes >= rule.successThreshold)) state = 'healthy';
  else if (!success && (atOnce || failures >= rule.failureThreshold)) state = 'unhealthy';
  return { state, shielded: count.shielded || state === 'healthy', failures, successes };
}
