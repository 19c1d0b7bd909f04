import { describe, expect, it } from 'vitest';
import {
  classifyOpenClawProcess,
  classifyPhase,
  deriveGatewayStatus,
  type GatewayPhase,
  type ListedProcess,
  type ProbeResult,
  readSnapshot,
} from '../../../src/presets/gateway/index.js';
import vectors from '../../vectors/gateway-states.json' with { type: 'json' };
import { makeGateway, NOT_OK, OK, RUNNING } from './doubles.js';

const named = <Row>(rows: readonly Row[]): [string, Row][] => rows.map((row) => [JSON.stringify(row), row]);

const probe = (ok: boolean | string): ProbeResult => {
  if (ok === true) return { ok, status: 'success', latencyMs: 1 };
  return { ok: false, status: ok === 'unknown' ? 'unknown' : 'failure', latencyMs: 1, error: 'no' };
};

describe('the status is derived as the table says', () => {
  it.each(named(vectors.derivedStatus))('%s', (_, { readinessOk, process, status }) => {
    expect(deriveGatewayStatus(probe(readinessOk), process)).toBe(status);
  });
});

describe('the phase follows the table of the three booleans', () => {
  interface Row {
    startup: boolean;
    readiness: boolean;
    liveness: boolean | string;
    heldForMs?: number;
    wasReady?: boolean;
    phase: string;
  }
  it.each(named<Row>(vectors.phase))('%s', (_, { startup, readiness, liveness, heldForMs, wasReady, phase }) => {
    const snapshot = { startup: probe(startup), readiness: probe(readiness), liveness: probe(liveness) };
    expect(classifyPhase(snapshot, { heldForMs, wasReady })).toBe(phase);
  });
});

describe('a consumer reads a snapshot as the table says', () => {
  interface Row {
    startup: boolean;
    readiness: boolean;
    phase?: string;
    verdict: string;
  }
  it.each(named<Row>(vectors.consumer))('%s', (_, { startup, readiness, phase, verdict }) => {
    const snapshot = { startup: probe(startup), readiness: probe(readiness), phase: phase as GatewayPhase | undefined };
    expect(readSnapshot(snapshot)).toBe(verdict);
  });
});

describe('startup takes the backup into account as the table says', () => {
  it.each(named(vectors.startupBackup))('%s', async (_, { hadBackup, restored, liveness, readiness, startupOk }) => {
    const { gateway, world } = makeGateway();
    world.backup = { hadBackup, restored };
    world.answer = liveness ? OK : NOT_OK;
    world.processes = readiness ? [RUNNING] : [];
    const snapshot = await gateway.snapshot();
    expect([snapshot.liveness.ok, snapshot.readiness.ok]).toEqual([liveness, readiness]);
    expect(snapshot.startup.ok).toBe(startupOk);
    expect(snapshot.restoreStatus).toEqual({ hadBackup, restored });
  });
});

it('a success of startup is latched, dropped and cleared as the steps of the table say', async () => {
  const { gateway, world, clock } = makeGateway();
  for (const step of vectors.startupCache.steps) {
    if ('restart' in step) {
      await gateway.restart();
      continue;
    }
    expect(step.backup).toBe('none');
    world.answer = step.liveness ? OK : NOT_OK;
    world.processes = step.readiness ? [RUNNING] : [];
    const asked = gateway.snapshot();
    clock.freeze(7);
    const { startup, readiness } = await asked;
    expect(readiness.ok).toBe(step.readiness);
    expect(startup.ok).toBe(step.startupOk);
    if (step.cached) expect(startup.latencyMs).toBe(step.latencyMs);
    else expect(startup.latencyMs).toBe(7);
  }
});

describe('a process is classified as the table says', () => {
  it.each(named(vectors.processes.cases))('%s', (_, { command, status, is }) => {
    expect(classifyOpenClawProcess({ command, status })).toBe(is);
  });
});

describe('readiness follows the listed processes as the table says', () => {
  interface Row {
    processes: readonly ListedProcess[] | string;
    readinessOk: boolean;
    processType?: string;
    probeStatus?: string;
  }
  it.each(named<Row>(vectors.readinessByProcess.cases))('%s', async (_, row) => {
    const { gateway, world } = makeGateway();
    world.processes = typeof row.processes === 'string' ? new Error(row.processes) : row.processes;
    const { readiness, processType } = await gateway.snapshot({ passive: true });
    expect(readiness.ok).toBe(row.readinessOk);
    expect(readiness.status).toBe(row.probeStatus ?? (row.readinessOk ? 'success' : 'failure'));
    expect(processType).toBe(row.processType);
  });
});
