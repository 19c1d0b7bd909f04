import { describe, expect, expectTypeOf, it } from 'vitest';
import * as z from 'zod';
import {
  type GatewaySnapshot,
  gatewaySnapshotSchema,
  type StandardSchema,
} from '../../../src/presets/gateway/index.js';
import { makeGateway, REFUSED } from './doubles.js';

const validate = (value: unknown) => gatewaySnapshotSchema['~standard'].validate(value);
const parsed = (value: unknown): GatewaySnapshot => {
  const result = validate(value);
  if (result.issues !== undefined) throw new Error(JSON.stringify(result.issues));
  return result.value;
};

const ok = { ok: true, status: 'success', latencyMs: 1 };
const failed = { ok: false, status: 'failure', latencyMs: 2, error: 'no' };
const SNAPSHOT = {
  ts: '2026-07-03T14:00:00.000Z',
  startup: ok,
  readiness: ok,
  liveness: ok,
  restoreStatus: { hadBackup: true, restored: true },
  status: 'running',
  processId: 'proc_123',
  processType: 'gateway',
  phase: 'ready',
};

it('is a Standard Schema of version 1', () => {
  expect(gatewaySnapshotSchema['~standard']).toMatchObject({ version: 1, vendor: 'health-controller' });
  expectTypeOf(gatewaySnapshotSchema).toEqualTypeOf<StandardSchema<unknown, GatewaySnapshot>>();
});

it('takes what a gateway makes, as it went over a wire', async () => {
  const { gateway, world } = makeGateway();
  for (const processes of [world.processes, [], new Error('no')]) {
    world.processes = processes;
    world.answer = processes instanceof Error ? REFUSED : world.answer;
    const snapshot = await gateway.snapshot({ passive: true });
    expect(parsed(JSON.parse(JSON.stringify(snapshot)))).toEqual(snapshot);
  }
});

it('takes the example of the seed, and derives the phase that it does not have', () => {
  const { phase, ...old } = SNAPSHOT;
  expect(parsed(old)).toEqual({ ...old, phase });
});

it('completes a partial snapshot from its probes', () => {
  const partial = { ts: SNAPSHOT.ts, startup: { ok: true }, readiness: { ok: false }, liveness: { ok: false } };
  expect(parsed(partial)).toEqual({
    ts: SNAPSHOT.ts,
    startup: { ok: true, status: 'success', latencyMs: 0 },
    readiness: { ok: false, status: 'failure', latencyMs: 0, error: 'no reason given' },
    liveness: { ok: false, status: 'failure', latencyMs: 0, error: 'no reason given' },
    restoreStatus: { hadBackup: false, restored: false },
    status: 'stopped',
    phase: 'dead',
  });
  expect(parsed({ ...partial, processId: 'proc_1' }).status).toBe('starting');
});

it('takes null for absent, drops what it does not know, and freezes what it returns', () => {
  const value = parsed({
    ...SNAPSHOT,
    processId: null,
    restoreStatus: null,
    startup: { ...ok, error: null },
    extra: 1,
  });
  expect(value).not.toHaveProperty('processId');
  expect(value).not.toHaveProperty('extra');
  expect(value.restoreStatus).toEqual({ hadBackup: false, restored: false });
  expect([value, value.startup, value.restoreStatus].every((part) => Object.isFrozen(part))).toBe(true);
});

it('derives what is of a kind that it does not know', () => {
  const value = parsed({ ...SNAPSHOT, phase: 'dancing', status: 'sleeping', processType: 'daemon' });
  expect(value).toMatchObject({ phase: 'ready', status: 'running' });
  expect(value).not.toHaveProperty('processType');
});

it('believes ok, not a status that contradicts it', () => {
  expect(parsed({ ...SNAPSHOT, readiness: { ok: true, status: 'failure' } }).readiness.status).toBe('success');
  expect(parsed({ ...SNAPSHOT, readiness: { ...failed, status: 'success' } }).readiness.status).toBe('failure');
  expect(parsed({ ...SNAPSHOT, readiness: { ...failed, status: 'unknown' } }).readiness.status).toBe('unknown');
});

describe('refuses', () => {
  it.each<[string, unknown, string]>([
    ['null', null, ''],
    ['a text', 'ready', ''],
    ['a list', [SNAPSHOT], ''],
    ['no time', { ...SNAPSHOT, ts: undefined }, 'ts'],
    ['a time that is none', { ...SNAPSHOT, ts: 'yesterday' }, 'ts'],
    ['a long time', { ...SNAPSHOT, ts: `${SNAPSHOT.ts}${' '.repeat(100)}` }, 'ts'],
    ['no probe', { ...SNAPSHOT, liveness: undefined }, 'liveness'],
    ['a probe without ok', { ...SNAPSHOT, readiness: { status: 'success' } }, 'readiness.ok'],
    ['an ok that is a text', { ...SNAPSHOT, startup: { ok: 'true' } }, 'startup.ok'],
    ['a latency below 0', { ...SNAPSHOT, startup: { ...ok, latencyMs: -1 } }, 'startup.latencyMs'],
    ['a latency that is no number', { ...SNAPSHOT, startup: { ...ok, latencyMs: '1' } }, 'startup.latencyMs'],
    ['a huge error text', { ...SNAPSHOT, startup: { ...failed, error: 'x'.repeat(4097) } }, 'startup.error'],
    ['a huge process id', { ...SNAPSHOT, processId: 'x'.repeat(4097) }, 'processId'],
    [
      'a wrong restore status',
      { ...SNAPSHOT, restoreStatus: { hadBackup: 1, restored: true } },
      'restoreStatus.hadBackup',
    ],
  ])('%s, and says where', (_, value, path) => {
    const { issues } = validate(value);
    expect(issues).toHaveLength(1);
    expect(issues?.[0]?.path?.join('.')).toBe(path);
    expect(issues?.[0]?.message).toMatch(/^expected /);
  });
});

it('what the settings of a zod of the user are makes no difference', () => {
  const before = z.config();
  const previous = { ...before };
  try {
    z.config({ customError: () => 'mine', jitless: true });
    expect(validate({ ...SNAPSHOT, ts: 1 }).issues?.[0]?.message).toBe('expected a time in ISO 8601');
    expect(parsed(SNAPSHOT)).toEqual(SNAPSHOT);
  } finally {
    z.config({ customError: previous.customError, jitless: previous.jitless });
  }
});
