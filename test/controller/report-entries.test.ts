import { describe, expect, it } from 'vitest';
import { degraded, type HealthCheck, healthy, type ServiceStatus, unhealthy } from '../../src/index.js';
import { never } from './support/deferred.js';
import { Stage } from './support/stage.js';

/** The entry of a check, or of a service with a status probe, in a running controller. */
async function entryOf(check: HealthCheck['check'], as: 'service' | 'check'): Promise<ServiceStatus | undefined> {
  const stage = new Stage();
  stage.clock.setWall(Date.parse('2026-01-02T03:04:05.000Z'));
  if (as === 'check') stage.controller.registerCheck({ name: 'it', check });
  else stage.controller.register('it', { status: check });
  await stage.start();
  const report = await stage.within(5000, stage.controller.status());
  await stage.close();
  return report.services[0];
}

const MEASURED = { durationMs: 0, checkedAt: '2026-01-02T03:04:05.000Z' };
const THROWS = (value: unknown) => () => {
  throw value;
};

describe.each(['service', 'check'] as const)('an entry of a %s', (kind) => {
  const name = kind === 'service' ? 'probe' : 'health check';
  const entry = { name: 'it', kind };

  it.each<[string, HealthCheck['check'], Partial<ServiceStatus>]>([
    ['undefined', () => undefined, { status: 'OK' }],
    ['true', () => true, { status: 'OK' }],
    ['a promise of true', async () => true, { status: 'OK' }],
    ['healthy', () => healthy('12 ms', { pool: 3 }), { status: 'OK', data: { pool: 3 } }],
    ['degraded', () => degraded('slow', { ms: 9 }), { status: 'DEGRADED', error: 'slow', data: { ms: 9 } }],
    [
      'degraded for a reason',
      () => degraded('slow', undefined, 'busy'),
      { status: 'DEGRADED', error: 'slow', reason: 'busy' },
    ],
    ['unhealthy', () => unhealthy('down'), { status: 'ERROR', error: 'down', reason: 'failed' }],
    [
      'unhealthy for a reason',
      () => unhealthy('no', undefined, 'dns'),
      { status: 'ERROR', error: 'no', reason: 'dns' },
    ],
    ['a thrown Error', THROWS(new Error('boom')), { status: 'ERROR', error: 'boom', reason: 'failed' }],
    ['a rejection', () => Promise.reject(new Error('boom')), { status: 'ERROR', error: 'boom', reason: 'failed' }],
    ['false', () => false, { status: 'ERROR', error: 'check returned false', reason: 'failed' }],
    ['a thrown string', THROWS('kaput'), { status: 'ERROR', error: `${name} panicked: kaput`, reason: 'panicked' }],
    [
      'a thrown undefined',
      THROWS(undefined),
      { status: 'ERROR', error: `${name} panicked: undefined`, reason: 'panicked' },
    ],
    ['a thrown null', THROWS(null), { status: 'ERROR', error: `${name} panicked: null`, reason: 'panicked' }],
    ['a rejected 7', () => Promise.reject(7), { status: 'ERROR', error: `${name} panicked: 7`, reason: 'panicked' }],
  ])('of %s', async (_, check, expected) => {
    const found = await entryOf(check, kind);
    expect(found).toMatchObject({ ...entry, ...MEASURED, ...expected });
    for (const key of ['error', 'data'] as const) expect(found && key in found).toBe(key in expected);
    if (expected.status === 'OK') expect(found?.reason).toBeUndefined();
  });

  it.each([[7], ['up'], [{}], [{ status: 'UP' }], [{ healthy: true }], [[]], [null], [() => true]])(
    'of %j, which is no result, says so',
    async (value) => {
      // Case 26: an answer that was not understood counted as fine.
      const found = await entryOf(() => value as boolean, kind);
      expect(found).toMatchObject({ status: 'ERROR', reason: 'invalid_result' });
    },
  );

  it('of a run that hangs carries its timeout', async () => {
    expect(await entryOf(never, kind)).toMatchObject({
      ...entry,
      status: 'ERROR',
      error: `${name} timed out`,
      reason: 'timeout',
      durationMs: 5000,
      checkedAt: '2026-01-02T03:04:10.000Z',
    });
  });
});

describe('an entry', () => {
  it('of which nothing was run has neither times nor anything else', async () => {
    const stage = new Stage();
    stage.controller.register('plain');
    stage.controller.registerCheck({ name: 'pending', type: 'both', check: never, intervalMs: 1000 });
    await stage.start();
    const { services } = await stage.promptly(stage.controller.readiness());
    expect(services).toEqual([
      { name: 'plain', kind: 'service', status: 'OK' },
      {
        name: 'pending',
        kind: 'check',
        status: 'ERROR',
        error: 'check has not completed its first run',
        reason: 'pending',
      },
    ]);
    await stage.close();
  });

  it('of a stale check says so by its reason', async () => {
    const stage = new Stage();
    const answers = [() => true, never];
    stage.controller.registerCheck({ name: 'db', check: () => (answers.shift() ?? never)(), intervalMs: 1000 });
    await stage.start();
    await stage.clock.advance(3001);
    const { services } = await stage.promptly(stage.controller.readiness());
    expect(services).toMatchObject([{ status: 'ERROR', error: 'cached health result is stale', reason: 'stale' }]);
    await stage.close();
  });

  it('of a service that came late stands with the services, before the checks', async () => {
    const stage = new Stage();
    stage.controller.registerCheck({ name: 'db', check: () => true });
    stage.controller.register('early');
    await stage.start();
    stage.controller.registerCheck({ name: 'disk', check: () => true });
    stage.controller.register('late');
    const { services } = await stage.promptly(stage.controller.status());
    expect(services.map(({ name }) => name)).toEqual(['early', 'late', 'db', 'disk']);
    await stage.close();
  });

  it('of a probe that times out has had its signal aborted, each run its own', async () => {
    const stage = new Stage();
    const signals: AbortSignal[] = [];
    const status = ({ signal }: { signal: AbortSignal }) => {
      signals.push(signal);
      return never();
    };
    stage.controller.register('api', { status, probeTimeoutMs: 100 });
    await stage.start();
    await stage.within(100, stage.controller.status());
    await stage.within(100, stage.controller.status());
    expect(signals).toHaveLength(2);
    expect(signals[0]).not.toBe(signals[1]);
    for (const signal of signals) expect(signal.reason).toMatchObject({ code: 'timeout' });
    await stage.close();
  });
});
