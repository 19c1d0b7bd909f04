import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { THRESHOLD_START, type ThresholdCount, type ThresholdRule, thresholdStep } from '../../src/core/threshold.js';
import vectors from '../vectors/thresholds.json' with { type: 'json' };

const rule = (
  failureThreshold: number,
  successThreshold: number,
  beginning: ThresholdRule['beginning'] = 'at_once',
): ThresholdRule => ({ failureThreshold, successThreshold, beginning });

const LETTERS = { unknown: '?', healthy: 'H', unhealthy: 'U' } as const;

/** The states after each letter of `observations`: p passes, f fails. */
function states(observations: string, rules: ThresholdRule): string {
  let count = THRESHOLD_START;
  return [...observations]
    .map((letter) => {
      count = thresholdStep(count, letter === 'p', rules);
      return LETTERS[count.state];
    })
    .join('');
}

describe('vectors/thresholds.json, observed states', () => {
  const { failureThreshold, successThreshold } = vectors.defaults;
  const RESETS = ['inconclusive', 'reconfigure', 'replace-runtime', 'not-ready'];
  it.each(vectors.cases.map((row) => ({ ...row, steps: row.steps as [string, string][] })))('$name', (row) => {
    let count: ThresholdCount = THRESHOLD_START;
    expect(count.state).toBe('unknown');
    for (const [observation, state] of row.steps) {
      const [what, age] = observation.split(':');
      if (what === 'pass' || what === 'fail') {
        count = thresholdStep(count, what === 'pass', rule(failureThreshold, successThreshold, 'unknown'));
      } else if (RESETS.includes(observation) || Number(age) > vectors.defaults.staleAfterMs) {
        // Every reset begins anew: that is all the pure step has to do with it.
        count = THRESHOLD_START;
      } else {
        expect(['ready', 'age:15000']).toContain(observation);
      }
      expect(count.state, observation).toBe(state);
    }
  });
});

describe('the step of a check', () => {
  it.each([
    // Case 48: a success resets the count of failures, and the third failure in a row is the one that counts.
    ['pffpfffp', 3, 1, 'HHHHHHUH'],
    ['pffpfffpp', 3, 2, 'HHHHHHUUH'],
    ['pfffpfpp', 3, 2, 'HHHUUUUH'],
    // Case 41: a threshold shields only what was healthy once.
    ['ffff', 3, 1, 'UUUU'],
    ['fp', 3, 1, 'UH'],
    ['fp', 1, 5, 'UH'],
    ['p', 1, 5, 'H'],
    ['fpff', 2, 3, 'UHHU'],
    ['pfpf', 1, 1, 'HUHU'],
    ['pfp', 1, 1, 'HUH'],
    ['pfppp', 1, 3, 'HUUUH'],
  ])('%s with thresholds %i and %i goes %s', (observations, failures, successes, expected) => {
    expect(states(observations, rule(failures, successes))).toBe(expected);
  });

  it('counts failures and successes in a row, also beyond the thresholds', () => {
    let count = THRESHOLD_START;
    const counts: [number, number][] = [];
    for (const letter of 'pppffffp') {
      count = thresholdStep(count, letter === 'p', rule(2, 2));
      counts.push([count.failures, count.successes]);
    }
    expect(counts).toEqual([
      [0, 1],
      [0, 2],
      [0, 3],
      [1, 0],
      [2, 0],
      [3, 0],
      [4, 0],
      [0, 1],
    ]);
  });

  it('changes nothing that it was given', () => {
    const before = Object.freeze({ ...THRESHOLD_START });
    thresholdStep(before, true, rule(1, 1));
    expect(before).toEqual(THRESHOLD_START);
    expect(Object.isFrozen(THRESHOLD_START)).toBe(true);
  });
});

describe('the step of an observation that begins unknown', () => {
  it.each([
    ['ff', 3, 1, '??'],
    ['fff', 3, 1, '??U'],
    ['pp', 1, 2, '?H'],
    ['fpfp', 2, 2, '????'],
    ['fpfpp', 2, 2, '????H'],
    ['fffp', 3, 2, '??UU'],
    ['fffpp', 3, 2, '??UUH'],
  ])('%s with thresholds %i and %i goes %s', (observations, failures, successes, expected) => {
    expect(states(observations, rule(failures, successes, 'unknown'))).toBe(expected);
  });
});

const observations = fc
  .array(fc.boolean(), { maxLength: 60 })
  .map((list) => list.map((ok) => (ok ? 'p' : 'f')).join(''));
const threshold = fc.integer({ min: 1, max: 6 });

/** What the specification says, said anew from the whole history at each step. */
function modelled(history: string, { failureThreshold, successThreshold, beginning }: ThresholdRule): string {
  let shown: 'unknown' | 'healthy' | 'unhealthy' = 'unknown';
  let wasHealthy = false;
  return [...history]
    .map((letter, index) => {
      const upToHere = history.slice(0, index + 1);
      const row = /(p+|f+)$/.exec(upToHere)?.[0].length ?? 0;
      const needed = letter === 'p' ? successThreshold : failureThreshold;
      const enough = beginning === 'at_once' && !wasHealthy ? true : row >= needed;
      if (enough) shown = letter === 'p' ? 'healthy' : 'unhealthy';
      wasHealthy ||= shown === 'healthy';
      return LETTERS[shown];
    })
    .join('');
}

describe('whatever is observed', () => {
  it('a step agrees with the rule as it is written, for both beginnings', () => {
    fc.assert(
      fc.property(
        observations,
        threshold,
        threshold,
        fc.constantFrom('at_once' as const, 'unknown' as const),
        (history, failures, successes, beginning) => {
          const rules = rule(failures, successes, beginning);
          expect(states(history, rules)).toBe(modelled(history, rules));
        },
      ),
    );
  });

  it('only as many failures in a row as the threshold says turn a healthy one unhealthy', () => {
    fc.assert(
      fc.property(observations, threshold, threshold, (history, failures, successes) => {
        const shown = states(history, rule(failures, successes));
        for (let index = 1; index < shown.length; index += 1) {
          if (shown[index - 1] !== 'H' || shown[index] !== 'U') continue;
          expect(index + 1 - failures).toBeGreaterThanOrEqual(0);
          expect(history.slice(index + 1 - failures, index + 1)).toBe('f'.repeat(failures));
        }
      }),
    );
  });

  it('thresholds of 1 show the last observation', () => {
    fc.assert(
      fc.property(observations, fc.constantFrom('at_once' as const, 'unknown' as const), (history, beginning) => {
        expect(states(history, rule(1, 1, beginning))).toBe(history.replaceAll('p', 'H').replaceAll('f', 'U'));
      }),
    );
  });
});
