import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type GatewaySnapshot, recordPoll, startRecord } from '../../src/client/index.js';
import { judge, type Sighting } from './support/consumer-model.js';
import { wire } from './support/snapshots.js';

const probes = fc.record(
  {
    startup: fc.boolean(),
    readiness: fc.boolean(),
    liveness: fc.boolean(),
    phase: fc.constantFrom('cold_start', 'starting', 'starting_backup', 'ready', 'degraded', 'dead', 'stuck'),
  },
  { requiredKeys: ['startup', 'readiness', 'liveness'] },
);
const LOST_AFTER_MS = 10_000;
const gapMs = fc.constantFrom(0, 1, 999, 2500, 5000, 9999, 10_000, 60_000);
const sightings = fc
  .array(fc.record({ gapMs, probes: fc.option(probes, { nil: undefined, freq: 2 }) }), { minLength: 1, maxLength: 40 })
  .map((list) => {
    let atMs = 0;
    return list.map((given): Sighting => {
      atMs += given.gapMs;
      return given.probes === undefined ? { atMs } : { atMs, probes: given.probes };
    });
  });

function snapshotOf({ startup, readiness, liveness, phase }: NonNullable<Sighting['probes']>): GatewaySnapshot {
  const of = (ok: boolean) => ({ ok, status: ok ? 'success' : 'failure', latencyMs: 1 });
  const base = { ...wire('old-restart'), startup: of(startup), readiness: of(readiness), liveness: of(liveness) };
  return (phase === undefined ? base : { ...base, phase }) as unknown as GatewaySnapshot;
}

it('keeps to the model of the consumer contract, whatever is seen', () => {
  fc.assert(
    fc.property(sightings, (list) => {
      let record = startRecord(0);
      for (const [index, { atMs, probes: seen }] of list.entries()) {
        const outcome =
          seen === undefined
            ? ({ ok: false, error: 'x' } as const)
            : ({ ok: true, snapshot: snapshotOf(seen) } as const);
        const [next, transitions] = recordPoll(record, outcome, atMs, { lostAfterMs: LOST_AFTER_MS });
        const expected = judge(list.slice(0, index + 1), 0, LOST_AFTER_MS);
        expect({
          status: next.instanceStatus,
          reachable: next.reachable,
          lost: next.lost,
          verdict: next.verdict,
          events: transitions,
        }).toEqual(expected);
        record = next;
      }
    }),
    { numRuns: 3000 },
  );
});
