import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jitteredTick, unit } from '../../src/core/jitter.js';

describe('unit', () => {
  it.each([
    [0, 0],
    [0.25, 0.25],
    [0.999, 0.999],
  ])('passes on %d', (chance, expected) => {
    expect(unit(() => chance)).toBe(expected);
  });

  it.each([1, 2, -1, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])(
    'is in [0, 1) although the port of chance returned %d',
    (chance) => {
      expect(unit(() => chance)).toBeGreaterThanOrEqual(0);
      expect(unit(() => chance)).toBeLessThan(1);
    },
  );

  it('is in [0, 1) although the port of chance returns no number, or throws', () => {
    const broken: (() => number)[] = [
      () => 'x' as unknown as number,
      () => undefined as unknown as number,
      () => {
        throw new Error('no');
      },
    ];
    for (const random of broken) {
      expect(unit(random)).toBeGreaterThanOrEqual(0);
      expect(unit(random)).toBeLessThan(1);
    }
  });
});

describe('jitteredTick', () => {
  it('lies on the grid without jitter', () => {
    expect(jitteredTick(7000, 1000, 0, () => 0.9)).toBe(7000);
  });

  it('adds a random share of the interval', () => {
    expect(jitteredTick(7000, 1000, 0.5, () => 0)).toBe(7000);
    expect(jitteredTick(7000, 1000, 0.5, () => 0.5)).toBe(7250);
    expect(jitteredTick(7000, 1000, 1, () => 0.75)).toBe(7750);
  });

  it('is never early, and late by less than its share of the interval', () => {
    fc.assert(
      fc.property(
        fc.nat(),
        fc.integer({ min: 1, max: 2_147_483_647 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (grid, interval, jitter, chance) => {
          const tick = jitteredTick(grid, interval, jitter, () => chance);
          expect(tick).toBeGreaterThanOrEqual(grid);
          expect(tick).toBeLessThanOrEqual(grid + interval * jitter);
        },
      ),
    );
  });
});
