import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Controller } from '../../src/index.js';
import { FakeClock } from '../../src/testing/index.js';
import { type Expected, expectedOf, type Scenario } from './support/poll-model.js';

/** Lengths of different endings, so that no two moments of a scenario coincide. */
const endingIn = (ending: number, min: number, max: number) =>
  fc.integer({ min, max }).map((tens) => tens * 10 + ending);

const scenario: fc.Arbitrary<Scenario> = fc.record({
  intervalMs: endingIn(0, 1, 60),
  timeoutMs: endingIn(7, 1, 90),
  staleAfterMs: endingIn(1, 1, 200),
  initialDelayMs: endingIn(0, 0, 50),
  failureThreshold: fc.integer({ min: 1, max: 4 }),
  successThreshold: fc.integer({ min: 1, max: 4 }),
  maxAbandoned: fc.integer({ min: 1, max: 3 }),
  runs: fc.array(fc.record({ tookMs: fc.oneof(fc.constant(0), endingIn(3, 0, 300)), passes: fc.boolean() }), {
    minLength: 1,
    maxLength: 12,
  }),
  // Between the moments of everything else.
  untilMs: endingIn(4, 100, 600),
});

async function seenOf(given: Scenario): Promise<Expected> {
  const { runs, untilMs, ...options } = given;
  const clock = new FakeClock();
  const controller = new Controller({ clock, shutdownTimeoutMs: 0 });
  const events: string[] = [];
  controller.on('check', ({ name, from, to }) => void events.push(`${clock.now()} ${name} ${from}->${to}`));
  const starts: number[] = [];
  const handle = controller.registerCheck({
    ...options,
    name: 'db',
    check: () => {
      const run = runs[starts.length % runs.length];
      starts.push(clock.now());
      if (run === undefined || run.tookMs === 0) return run?.passes;
      return new Promise((resolve) => clock.setTimeout(() => resolve(run.passes), run.tookMs, { keepAlive: false }));
    },
  });
  controller.start();
  await clock.advance(untilMs);
  const seen = { starts, events: [...events], skipped: handle.skippedTicks };
  await controller.stop();
  return seen;
}

describe('a polled check, whatever its timing, its answers and its options', () => {
  it('runs, skips, and is shown as the specification says', async () => {
    await fc.assert(
      fc.asyncProperty(scenario, async (given) => {
        expect(await seenOf(given)).toEqual(expectedOf(given));
      }),
      { numRuns: 60 },
    );
  }, 60_000);
});
