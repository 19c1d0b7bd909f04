import { describe, expect, it } from 'vitest';
import type { LifecycleState } from '../../src/core/lifecycle.js';
import { type EntryStatus, makeReport, type ServiceStatus } from '../../src/core/report.js';
import { gateOf, KINDS, REPORT_KINDS } from '../../src/core/report-kind.js';

const entry = (name: string, status: EntryStatus): ServiceStatus => ({ name, kind: 'check', status });
const STATUSES: readonly EntryStatus[] = ['OK', 'DEGRADED', 'ERROR'];

describe('makeReport', () => {
  // Cases 31 and 45: the worst entry wins, and nothing at all is healthy.
  it('is healthy without any entry', () => {
    expect(makeReport('running', undefined, [])).toEqual({ overallHealthy: true, state: 'running', services: [] });
  });

  it.each(STATUSES.flatMap((one) => STATUSES.map((other) => [one, other] as const)))(
    'of %s and %s the worse decides',
    (one, other) => {
      const report = makeReport('running', undefined, [entry('a', one), entry('b', other)]);
      expect(report.overallHealthy).toBe(one !== 'ERROR' && other !== 'ERROR');
      expect(report.services.map(({ status }) => status)).toEqual([one, other]);
    },
  );

  it('is unhealthy behind a closed gate, whatever the entries say, and names the reason', () => {
    expect(makeReport('stopping', 'draining', [entry('a', 'OK')])).toEqual({
      overallHealthy: false,
      state: 'stopping',
      reason: 'draining',
      services: [entry('a', 'OK')],
    });
  });

  it('has no reason where no gate is closed', () => {
    expect(makeReport('running', undefined, [entry('a', 'ERROR')])).not.toHaveProperty('reason');
  });

  it('is frozen', () => {
    const report = makeReport('running', undefined, [entry('a', 'OK')]);
    expect(Object.isFrozen(report)).toBe(true);
    expect(Object.isFrozen(report.services)).toBe(true);
  });
});

describe('the table of the reports', () => {
  it('says which probe each asks, the first that there is', () => {
    expect(KINDS.map((kind) => [kind, ...REPORT_KINDS[kind].probes])).toEqual([
      ['status', 'status'],
      ['liveness', 'liveness', 'status'],
      ['readiness', 'readiness', 'status'],
    ]);
  });

  it('says which checks each takes', () => {
    expect(KINDS.map((kind) => [kind, REPORT_KINDS[kind].checks])).toEqual([
      ['status', { liveness: true, readiness: true, both: true }],
      ['liveness', { liveness: true, readiness: false, both: true }],
      ['readiness', { liveness: false, readiness: true, both: true }],
    ]);
  });

  it('fails closed on a check without a result in readiness alone', () => {
    expect(KINDS.map((kind) => [kind, REPORT_KINDS[kind].pending])).toEqual([
      ['status', 'OK'],
      ['liveness', 'OK'],
      ['readiness', 'ERROR'],
    ]);
  });
});

describe('gateOf', () => {
  it.each<[LifecycleState, string | undefined]>([
    ['never_started', 'not_started'],
    ['running', undefined],
    ['unable_to_start', 'unable_to_start'],
    ['stopping', 'draining'],
    ['stopped', 'stopped'],
  ])('closes readiness alone: %s gives %s', (state, reason) => {
    expect(gateOf('readiness', state, false)).toBe(reason);
    expect(gateOf('readiness', state, true)).toBe(reason ?? 'maintenance');
    for (const kind of ['status', 'liveness'] as const) {
      expect(gateOf(kind, state, false)).toBeUndefined();
      expect(gateOf(kind, state, true)).toBeUndefined();
    }
  });
});
