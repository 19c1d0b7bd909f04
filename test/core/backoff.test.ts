import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type BackoffRule, backoffDelay } from '../../src/core/backoff.js';
import { seededRandom } from '../../src/testing/index.js';
import vectors from '../vectors/restarts.json' with { type: 'json' };

const DEFAULTS: BackoffRule = { initialBackoffMs: 1000, maxBackoffMs: 30_000, multiplier: 2, jitter: 'none' };
const MAX_MS = 2_147_483_647;

const never = () => {
  throw new Error('no chance was asked for');
};

describe('vectors/restarts.json, delays in a row', () => {
  it.each(vectors.backoff)('$name', ({ policy, runsMs, delays }) => {
    const rule = { ...DEFAULTS, ...policy };
    let restart = 0;
    let previous = 0;
    const seen = runsMs.map((ran) => {
      if (ran >= 30_000) restart = 0;
      restart += 1;
      previous = backoffDelay(rule, restart, previous, never);
      return previous;
    });
    expect(seen).toEqual(delays);
  });
});

describe('backoffDelay', () => {
  it.each([
    // Case 6: an exponent beyond the range of a number, and of a timer, gives the ceiling.
    [{}, 60, 30_000],
    [{}, 5000, 30_000],
    [{}, Number.MAX_SAFE_INTEGER, 30_000],
    [{ maxBackoffMs: MAX_MS }, 60, MAX_MS],
    [{ maxBackoffMs: MAX_MS }, 2 ** 31, MAX_MS],
    [{ multiplier: 1e300, maxBackoffMs: MAX_MS }, 3, MAX_MS],
    [{ multiplier: 1 }, 1_000_000, 1000],
    [{ multiplier: 1.5 }, 3, 2250],
    [{ initialBackoffMs: 5000, maxBackoffMs: 100 }, 1, 100],
  ])('%o gives before restart %d a delay of %d', (rule, restart, delay) => {
    expect(backoffDelay({ ...DEFAULTS, ...rule }, restart, 0, never)).toBe(delay);
  });

  const jitters = ['full', 'equal', 'decorrelated'] as const;

  it.each([
    ['full', 0, 0],
    ['full', 0.5, 2000],
    ['equal', 0, 2000],
    ['equal', 0.5, 3000],
  ] as const)('jitter %s with a chance of %d makes of 4000 a delay of %d', (jitter, chance, delay) => {
    expect(backoffDelay({ ...DEFAULTS, jitter }, 3, 2000, () => chance)).toBe(delay);
  });

  it('jitter decorrelated lies between the initial delay and three times the one before', () => {
    const rule: BackoffRule = { ...DEFAULTS, jitter: 'decorrelated' };
    expect(backoffDelay(rule, 2, 2000, () => 0)).toBe(1000);
    expect(backoffDelay(rule, 2, 2000, () => 0.5)).toBe(3500);
    expect(backoffDelay(rule, 2, 29_000, () => 0.99)).toBe(30_000);
  });

  it.each(jitters)('jitter %s gives the same delays for the same seed, others for another', (jitter) => {
    const delays = (seed: number) => {
      const random = seededRandom(seed);
      let previous = 0;
      return Array.from({ length: 8 }, (_, index) => {
        previous = backoffDelay({ ...DEFAULTS, jitter }, index + 1, previous, random);
        return previous;
      });
    };
    expect(delays(1)).toEqual(delays(1));
    expect(delays(1)).not.toEqual(delays(2));
    expect(new Set(delays(1)).size).toBeGreaterThan(4);
  });

  const rules = fc.record({
    initialBackoffMs: fc.integer({ min: 1, max: MAX_MS }),
    maxBackoffMs: fc.integer({ min: 1, max: MAX_MS }),
    multiplier: fc.double({ min: 1, max: 1e6, noNaN: true }),
    jitter: fc.constantFrom('none' as const, ...jitters),
  });

  it('is a whole or broken number from 0 to the ceiling, whatever the rule, the restart and the chance', () => {
    fc.assert(
      fc.property(
        rules,
        fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
        fc.integer({ min: 0, max: MAX_MS }),
        // Also what a broken port of chance returns.
        fc.oneof(
          fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
          fc.constantFrom(1, -1, 2, Number.NaN, Number.POSITIVE_INFINITY),
        ),
        (rule, restart, previous, chance) => {
          const delay = backoffDelay(rule, restart, previous, () => chance);
          expect(delay).toBeGreaterThanOrEqual(0);
          expect(delay).toBeLessThanOrEqual(rule.maxBackoffMs);
        },
      ),
    );
  });

  it('does not shrink from restart to restart without jitter', () => {
    fc.assert(
      fc.property(rules, fc.integer({ min: 1, max: 1e6 }), (rule, restart) => {
        const plain = { ...rule, jitter: 'none' as const };
        expect(backoffDelay(plain, restart + 1, 0, never)).toBeGreaterThanOrEqual(
          backoffDelay(plain, restart, 0, never),
        );
      }),
    );
  });
});
