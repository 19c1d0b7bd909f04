import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ContainerObservation, ReadinessFinding } from '../../../src/presets/instance/index.js';
import { StatusModel, type StatusRules } from '../../../src/presets/instance/status-model.js';
import { found, UNREACHABLE } from './support/doubles.js';

const RULES: StatusRules = { startupTimeoutMs: 30_000, pollIntervalMs: 2000, readinessTimeoutMs: 30_000, probed: true };

type Step =
  | { readonly kind: 'seen'; readonly afterMs: number; readonly seen: ContainerObservation }
  | { readonly kind: 'probed'; readonly afterMs: number; readonly finding: ReadinessFinding; readonly stale: boolean }
  | { readonly kind: 'overdue'; readonly afterMs: number };

const seen: fc.Arbitrary<ContainerObservation> = fc.oneof(
  { weight: 1, arbitrary: fc.constant(UNREACHABLE) },
  { weight: 1, arbitrary: fc.constant<ContainerObservation>({ status: 'missing' }) },
  {
    weight: 6,
    arbitrary: fc
      .record({
        status: fc.constantFrom(
          ...(['created', 'running', 'running', 'paused', 'restarting', 'removing', 'exited', 'dead'] as const),
        ),
        exitCode: fc.nat(255),
        restartCount: fc.nat(4),
        id: fc.constantFrom('aaaa', 'bbbb'),
        startedAt: fc.constantFrom(undefined, '2024-01-01T00:00:01Z', '2024-01-01T00:00:02Z'),
        startError: fc.constantFrom(undefined, 'no such file'),
      })
      .map(found),
  },
);
const afterMs = fc.constantFrom(0, 10, 2000, 5000, 40_000);
const finding = fc.constantFrom<ReadinessFinding>(
  { outcome: 'passed' },
  { outcome: 'failed', message: 'no' },
  { outcome: 'unvalidated', message: 'curl: not found' },
);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('seen' as const), afterMs, seen }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('probed' as const), afterMs, finding, stale: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('overdue' as const), afterMs }) },
);

/** Which status may follow which. `pending` is left for good, and `running` reached through the gate only. */
const MAY_FOLLOW: Readonly<Record<string, readonly string[]>> = {
  pending: ['starting', 'error'],
  starting: ['running', 'unhealthy', 'error'],
  running: ['starting', 'error'],
  unhealthy: ['running', 'starting', 'error'],
  error: ['starting'],
};

function play(
  steps: readonly Step[],
  check: (model: StatusModel, from: string, step: Step, now: number) => void,
): void {
  let now = 0;
  const model = new StatusModel(RULES, now);
  for (const one of steps) {
    now += one.afterMs;
    const from = model.status;
    if (one.kind === 'seen') model.observed(one.seen, now);
    else if (one.kind === 'overdue') model.overdue(now);
    else model.probed((model.gate?.number ?? 1) - (one.stale ? 1 : 0), one.finding);
    check(model, from, one, now);
  }
}

const runs = { numRuns: 2000 };
const steps = fc.array(step, { maxLength: 30 });

describe('whatever is seen of a container, and whenever', () => {
  it('the status moves only along the ways there are', () => {
    fc.assert(
      fc.property(steps, (all) => {
        play(all, (model, from) => {
          if (model.status !== from) expect(MAY_FOLLOW[from]).toContain(model.status);
        });
      }),
      runs,
    );
  });

  it('a look that could not be taken moves nothing but a startup past its time', () => {
    fc.assert(
      fc.property(steps, (all) => {
        play(all, (model, from, one, now) => {
          if (one.kind !== 'seen' || one.seen.status !== 'unknown' || model.status === from) return;
          expect([from, model.status, now >= RULES.startupTimeoutMs]).toEqual(['pending', 'error', true]);
        });
      }),
      runs,
    );
  });

  it('an end that is seen is an error at once, with its code', () => {
    fc.assert(
      fc.property(steps, (all) => {
        play(all, (model, _, one) => {
          if (one.kind !== 'seen' || (one.seen.status !== 'exited' && one.seen.status !== 'dead')) return;
          expect(model.state).toMatchObject({ status: 'error', exitCode: one.seen.exitCode, looping: false });
        });
      }),
      runs,
    );
  });

  it('a restart that is seen is never still running', () => {
    fc.assert(
      fc.property(steps, (all) => {
        play(all, (model, _, one) => {
          if (one.kind === 'seen' && one.seen.status === 'restarting')
            expect(model.status).not.toMatch(/running|unhealthy/);
        });
      }),
      runs,
    );
  });

  it('a finding of an earlier gate moves nothing', () => {
    fc.assert(
      fc.property(steps, (all) => {
        play(all, (model, from, one) => {
          if (one.kind === 'probed' && one.stale) expect(model.status).toBe(from);
        });
      }),
      runs,
    );
  });

  it('only a probe that passed validates, and a restart takes that back', () => {
    fc.assert(
      fc.property(steps, (all) => {
        play(all, (model, from, one) => {
          if (model.status === 'running' && from !== 'running') {
            expect(one.kind).toBe('probed');
            const passed = one.kind === 'probed' && one.finding.outcome === 'passed';
            expect(model.state).toMatchObject({ validated: passed });
          }
        });
      }),
      runs,
    );
  });
});
