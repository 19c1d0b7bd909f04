import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Stage } from './support/stage.js';

/** `takesMs` undefined: its stop never settles. */
interface Planned {
  readonly takesMs: number | undefined;
  readonly limitMs: number | undefined;
}

interface Plan {
  readonly calls: readonly string[];
  readonly unfinished: readonly string[];
  readonly doneAtMs: number;
}

/** The rule of the specification, written down a second time. */
function plan(services: readonly Planned[], budgetMs: number): Plan {
  const calls: string[] = [];
  const unfinished: string[] = [];
  let doneAtMs = 0;
  let at = 0;
  for (const [i, { takesMs, limitMs }] of [...services.entries()].reverse()) {
    const left = budgetMs - at;
    const mine = Math.min(limitMs ?? left, left);
    calls.push(`${at} stop s${i}`);
    const settles = takesMs !== undefined && takesMs < mine;
    if (!settles) unfinished.push(`s${i}`);
    doneAtMs = Math.max(doneAtMs, at + (settles ? takesMs : mine));
    at += Math.min(takesMs ?? mine, mine, left / 2);
  }
  return { calls, unfinished: unfinished.sort(), doneAtMs };
}

const planned = fc.record({
  takesMs: fc.option(fc.integer({ min: 0, max: 6000 }), { nil: undefined, freq: 4 }),
  // Odd halves, so that no stop ends in the very moment of its limit.
  limitMs: fc.option(
    fc.integer({ min: 1, max: 3000 }).map((ms) => ms + 0.5),
    { nil: undefined },
  ),
});

describe('the stops of any services', () => {
  it('come when the rule says, and end with the last of them or at the deadline', { timeout: 30_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(planned, { maxLength: 6 }),
        fc.integer({ min: 1, max: 6000 }).map((ms) => ms + 0.25),
        async (services, shutdownTimeoutMs) => {
          const stage = new Stage({ shutdownTimeoutMs });
          for (const [i, { takesMs, limitMs }] of services.entries()) {
            stage.service(`s${i}`, {
              stopTimeoutMs: limitMs,
              stop: () => (takesMs === 0 ? undefined : stage.lasting(takesMs ?? 1e9)),
            });
          }
          await stage.start();
          const stopped = stage.watch(stage.controller.stop());
          await stage.clock.advance(shutdownTimeoutMs);
          const expected = plan(services, shutdownTimeoutMs);
          expect(stage.timeline(/^stop /)).toEqual(expected.calls);
          expect([...(stopped.value?.unfinished ?? ['pending'])].sort()).toEqual(expected.unfinished);
          expect(stopped.atMs).toBe(expected.doneAtMs);
          expect(stopped.value?.durationMs).toBe(expected.doneAtMs);
          expect(stopped.value?.exitCode).toBe(expected.unfinished.length > 0 ? 1 : 0);
        },
      ),
      { numRuns: 200 },
    );
  });
});
