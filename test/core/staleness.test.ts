import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isStale, STALE_INTERVALS } from '../../src/core/staleness.js';

describe('isStale', () => {
  it.each([
    [0, 15_000, false],
    [14_999, 15_000, false],
    [15_000, 15_000, false],
    [15_000.001, 15_000, true],
    [15_001, 15_000, true],
    [1, 1, false],
    [2, 1, true],
    [Number.POSITIVE_INFINITY, 2_147_483_647, true],
    // A clock that went backwards makes nothing stale.
    [-1, 1, false],
  ])('an age of %d against a bound of %d is stale: %s', (ageMs, staleAfterMs, stale) => {
    expect(isStale(ageMs, staleAfterMs)).toBe(stale);
  });

  it('an absent bound is three intervals', () => {
    expect(STALE_INTERVALS).toBe(3);
  });

  it('once stale, a result stays stale as it ages', () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(), fc.integer({ min: 1, max: 2_147_483_647 }), (age, more, bound) => {
        expect(isStale(age, bound)).toBe(age > bound);
        if (isStale(age, bound)) expect(isStale(age + more, bound)).toBe(true);
      }),
    );
  });
});
