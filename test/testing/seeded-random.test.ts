import fc from 'fast-check';
import { expect, it } from 'vitest';
import { seededRandom } from '../../src/testing/index.js';

const take = (seed: number, count: number) => {
  const random = seededRandom(seed);
  return Array.from({ length: count }, () => random());
};

it('gives the same numbers for the same seed, and others for another', () => {
  expect(take(42, 5)).toEqual(take(42, 5));
  expect(take(42, 5)).not.toEqual(take(43, 5));
});

it('keeps two sequences apart', () => {
  const one = seededRandom(1);
  const expected = take(1, 2);
  seededRandom(1)();
  expect([one(), one()]).toEqual(expected);
});

it('stays in [0, 1) for every seed', () => {
  fc.assert(
    fc.property(fc.maxSafeInteger(), (seed) => {
      for (const value of take(seed, 20)) expect(value >= 0 && value < 1).toBe(true);
    }),
  );
});

it('spreads evenly', () => {
  const counts = new Array<number>(10).fill(0);
  for (const value of take(7, 10_000)) counts[Math.floor(value * 10)] = (counts[Math.floor(value * 10)] ?? 0) + 1;
  for (const count of counts) expect(Math.abs(count - 1000)).toBeLessThan(150);
});

it.each([0.5, Number.NaN, '1', undefined])('refuses the seed %s', (seed) => {
  expect(() => seededRandom(seed as number)).toThrow(expect.objectContaining({ code: 'invalid_option' }));
});
