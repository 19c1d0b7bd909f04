import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Verdict } from '../../src/core/check-result.js';
import { NO_STREAK, type PollStreak, pollStep } from '../../src/core/health-breach.js';

const verdict = (status: Verdict['status'], message?: string, reason?: string): Verdict => ({
  status,
  message,
  reason,
  data: undefined,
});

const VERDICTS: Readonly<Record<string, Verdict>> = {
  ok: verdict('healthy'),
  degraded: verdict('degraded', 'slow'),
  fail: verdict('unhealthy', 'no', 'failed'),
  timeout: verdict('unhealthy', 'probe timed out', 'timeout'),
  panic: verdict('unhealthy', 'probe panicked: 1', 'panicked'),
};

/** Polls a second apart, from 1000 on: the number of the first that is a breach, and the streak before it. */
function poll(threshold: number, ...kinds: readonly string[]): { breachAt: number | undefined; streak: PollStreak } {
  let streak = NO_STREAK;
  for (const [index, kind] of kinds.entries()) {
    const polled = VERDICTS[kind];
    if (polled === undefined) throw new Error(`no such poll: ${kind}`);
    const step = pollStep(streak, polled, (index + 1) * 1000, threshold);
    streak = step.streak;
    if (step.breach) return { breachAt: index + 1, streak };
  }
  return { breachAt: undefined, streak };
}

describe('pollStep', () => {
  it.each([
    [3, ['fail', 'fail', 'fail'], 3],
    [3, ['fail', 'fail'], undefined],
    [3, ['fail', 'fail', 'ok', 'fail', 'fail', 'ok'], undefined],
    [3, ['fail', 'ok', 'fail', 'fail', 'fail'], 5],
    [1, ['fail'], 1],
    [1, ['ok', 'degraded'], undefined],
    [2, ['fail', 'timeout'], 2],
    [2, ['fail', 'degraded', 'fail'], undefined],
    [99, ['panic'], 1],
    [99, ['ok', 'fail', 'panic'], 3],
  ])('with a threshold of %d sees in %j a breach at poll %s', (threshold, kinds, breachAt) => {
    expect(poll(threshold, ...kinds).breachAt).toBe(breachAt);
  });

  it('dates a streak by its first failed poll', () => {
    expect(poll(9, 'fail', 'ok', 'fail', 'fail', 'fail').streak).toEqual({ failures: 3, since: 3000 });
  });

  it('forgets a streak at the first success', () => {
    expect(poll(9, 'fail', 'fail', 'degraded').streak).toEqual(NO_STREAK);
  });

  it('sees a breach exactly when the last polls, threshold of them, have failed', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5 }), fc.array(fc.constantFrom('ok', 'fail')), (threshold, kinds) => {
        const first = kinds.findIndex(
          (_, index) =>
            index + 1 >= threshold && kinds.slice(index + 1 - threshold, index + 1).every((kind) => kind === 'fail'),
        );
        expect(poll(threshold, ...kinds).breachAt).toBe(first < 0 ? undefined : first + 1);
      }),
    );
  });
});
