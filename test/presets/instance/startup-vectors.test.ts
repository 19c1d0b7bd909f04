import { describe, expect, it } from 'vitest';
import {
  type ContainerObservation,
  type ExecOutcome,
  execProbe,
  type FoundContainer,
  Instance,
} from '../../../src/presets/instance/index.js';
import { FakeClock } from '../../../src/testing/index.js';
import vectors from '../../vectors/tunnel.json' with { type: 'json' };
import { ended, found, ScriptedContainer, UNREACHABLE } from './support/doubles.js';

interface Row {
  readonly name: string;
  readonly container: readonly string[];
  readonly probe?: readonly string[] | string;
  readonly flow: readonly string[];
  readonly exitCode?: number;
  readonly endsAtMs?: number;
  readonly validated?: boolean;
  readonly messageNames?: string;
}

const GATE_END_MS = 30_000;

function observation(text: string): ContainerObservation {
  const [status = '', code, extra] = text.split(':');
  if (status === 'missing') return { status };
  if (status === 'unreachable') return UNREACHABLE;
  const restarts = /^restarts(\d+)$/.exec(extra ?? '')?.[1];
  return found({
    status: status as FoundContainer['status'],
    exitCode: code === undefined ? 0 : Number(code),
    outOfMemory: extra === 'oom',
    restartCount: restarts === undefined ? 0 : Number(restarts),
    startedAt: status === 'created' ? undefined : '2024-01-01T00:00:01Z',
    startError: status === 'created' ? extra : undefined,
  });
}

function outcomes(probe: readonly string[], now: () => number): (ExecOutcome | (() => ExecOutcome))[] {
  if (probe[0] === 'fail until after the timeout') return [() => ended(now() <= GATE_END_MS ? 1 : 0)];
  return probe.map((text) => {
    if (text === 'pass') return ended(0);
    return text === 'fail' ? ended(1, 'connection refused') : ended(Number(text.replace('exit:', '')));
  });
}

describe('startup: tunnel.json', () => {
  it.each(vectors.startup.cases as readonly Row[])('$name', async (row) => {
    const clock = new FakeClock();
    const probe = row.probe ?? ['fail'];
    const ends = typeof probe === 'string' ? [] : outcomes(probe, () => clock.now());
    const container = new ScriptedContainer(row.container.map(observation), ends);
    const readinessProbe = probe === 'none' ? undefined : execProbe(['check']);
    const instance = new Instance({ container, readinessProbe, clock });

    const flow: string[] = [instance.status];
    const times: number[] = [];
    const messages: (string | undefined)[] = [];
    instance.on('status', ({ to, message }) => {
      flow.push(to);
      times.push(clock.now());
      messages.push(message);
    });
    let reached: string | undefined;
    void instance.start().then((status) => {
      reached = status;
    });
    await clock.advance(120_000);

    expect(flow).toEqual(row.flow);
    const settled = row.flow.find((status) => ['running', 'unhealthy', 'error'].includes(status));
    expect(reached).toBe(settled);
    const health = await instance.health();
    expect(health.status).toBe(row.flow.at(-1));
    expect(health.exit_code).toBe(row.exitCode);
    if (row.endsAtMs !== undefined) expect(times.at(-1)).toBe(row.endsAtMs);
    if (row.validated !== undefined) expect(health.validated).toBe(row.validated);
    if (row.messageNames !== undefined) expect(messages.at(-1)).toContain(row.messageNames);
    instance.stop();
    expect(clock.pending).toBe(0);
  });
});
