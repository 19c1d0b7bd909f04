import type { Verdict } from './check-result.js';

/** A streak of failed status polls. */
export interface PollStreak {
  readonly failures: number;
  /** When the first failed poll of the streak came, by the monotonic clock. */
  readonly since: number;
}

export const NO_STREAK: PollStreak = Object.freeze({ failures: 0, since: 0 });

/** One poll. A panicking probe is a breach at once; degraded is no failure. Pure. */
export function pollStep(
  streak: PollStreak,
  verdict: Verdict,
  now: number,
  threshold: number,
): { readonly streak: PollStreak; readonly breach: boolean } {
  if (verdict.status !== 'unhealthy') return { streak: NO_STREAK, breach: false };
  const failures = streak.failures + 1;
  const since = streak.failures === 0 ? now : streak.since;
  return { streak: { failures, since }, breach: verdict.reason === 'panicked' || failures >= threshold };
}
