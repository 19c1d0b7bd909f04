import { type BackoffRule, backoffDelay } from './backoff.js';

/** When a service is started again, with every figure decided. */
export interface RestartPolicySettings extends BackoffRule {
  /** Restarts in a row; Infinity: unlimited. */
  readonly maxRestarts: number;
  /** Failed status polls in a row; 0: not polled. */
  readonly healthFailureThreshold: number;
  readonly healthCheckIntervalMs: number;
  /** How long a run must be good for to clear count and backoff. */
  readonly restartResetIntervalMs: number;
  /** 0: no window. */
  readonly restartWindowMs: number;
}

/** What is remembered from one failure to the next. */
export interface RestartHistory {
  /** Restarts in a row. */
  readonly count: number;
  /** The delay before the last of them. */
  readonly delayMs: number;
  /** When restarts were begun, by the monotonic clock: those that a window may still hold. */
  readonly restartedAt: readonly number[];
}

export const NO_RESTARTS: RestartHistory = Object.freeze({ count: 0, delayMs: 0, restartedAt: [] });

/** How long a run was good for: to its end or, for a health breach, to the first failed poll of the streak. */
export interface FailedRun {
  readonly now: number;
  readonly goodForMs: number;
  /** A run that ended with `start_timeout` never clears the count. */
  readonly startTimedOut: boolean;
}

export type RestartDecision =
  | { readonly kind: 'restart'; readonly delayMs: number; readonly history: RestartHistory }
  | { readonly kind: 'give_up'; readonly history: RestartHistory };

/** Restart or give up, after a run that failed. Pure but for `random`. `policy` undefined: give up. */
export function decideRestart(
  policy: RestartPolicySettings | undefined,
  history: RestartHistory,
  run: FailedRun,
  random: () => number,
): RestartDecision {
  if (policy === undefined) return { kind: 'give_up', history };
  const good = !run.startTimedOut && run.goodForMs >= policy.restartResetIntervalMs;
  const { count, delayMs: previousMs, restartedAt } = good ? cleared(history) : history;
  if (count >= policy.maxRestarts) return { kind: 'give_up', history: { count, delayMs: previousMs, restartedAt } };
  const delayMs = backoffDelay(policy, count + 1, previousMs, random);
  if (policy.restartWindowMs > 0 && windowAt(policy, restartedAt, run.now + delayMs).length >= policy.maxRestarts) {
    return { kind: 'give_up', history: { count, delayMs: previousMs, restartedAt } };
  }
  return { kind: 'restart', delayMs, history: { count: count + 1, delayMs, restartedAt } };
}

/** Count and backoff begin anew: after a good run, and for a restart by hand. */
export function cleared(history: RestartHistory): RestartHistory {
  return { count: 0, delayMs: 0, restartedAt: history.restartedAt };
}

/**
 * A restart begins, whatever asked for it. Only now the window counts it: what was planned may come later, once the old
 * run is down, or never, when one by hand comes first.
 */
export function restartBegun(
  policy: RestartPolicySettings | undefined,
  history: RestartHistory,
  now: number,
): RestartHistory {
  // Without a window, or without a bound that it could reach, nothing needs to be remembered.
  if (policy === undefined || policy.restartWindowMs === 0 || policy.maxRestarts === Number.POSITIVE_INFINITY) {
    return history;
  }
  const times = [...windowAt(policy, history.restartedAt, now), now];
  return { ...history, restartedAt: times.slice(-Math.max(1, policy.maxRestarts)) };
}

function windowAt(policy: RestartPolicySettings, restartedAt: readonly number[], at: number): readonly number[] {
  return restartedAt.filter((time) => time > at - policy.restartWindowMs);
}
