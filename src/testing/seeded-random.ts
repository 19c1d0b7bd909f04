import type { Random } from '../index.js';
import { checkValue, where } from '../kit.js';

/**
 * Numbers in [0, 1) that are the same for the same seed: for tests of jitter. Not for secrets (mulberry32).
 * @throws HealthControllerError `invalid_option`
 */
export function seededRandom(seed: number): Random {
  checkValue('seededRandom(): the seed', where(Number.isSafeInteger, 'a whole number'), seed);
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
