import { type JitterKind, unit } from './jitter.js';

/** How delays grow. */
export interface BackoffRule {
  readonly initialBackoffMs: number;
  readonly maxBackoffMs: number;
  readonly multiplier: number;
  readonly jitter: JitterKind;
}

/**
 * The delay before restart number `restart` (1 is the first), never above the ceiling however large the exponent:
 * a computed delay beyond the timer's range would fire at once. `previousMs` is the delay before the one before, which
 * only `decorrelated` looks at. Pure but for `random`.
 */
export function backoffDelay(rule: BackoffRule, restart: number, previousMs: number, random: () => number): number {
  const { initialBackoffMs, maxBackoffMs, multiplier, jitter } = rule;
  const grown = initialBackoffMs * multiplier ** (restart - 1);
  const ceiling = Math.min(grown, maxBackoffMs);
  switch (jitter) {
    case 'none':
      return ceiling;
    case 'full':
      return unit(random) * ceiling;
    case 'equal':
      return ceiling / 2 + (unit(random) * ceiling) / 2;
    case 'decorrelated': {
      const low = Math.min(initialBackoffMs, maxBackoffMs);
      const high = Math.max(low, 3 * Math.max(low, previousMs));
      return Math.min(maxBackoffMs, low + unit(random) * (high - low));
    }
  }
}
