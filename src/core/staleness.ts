/** Whether a result of this age is no longer trusted. Exactly that old is still trusted (seeds 001, 004). */
export function isStale(ageMs: number, staleAfterMs: number): boolean {
  return ageMs > staleAfterMs;
}

/** How many intervals a result stays trusted where nothing else is said (seed 004). */
export const STALE_INTERVALS = 3;
