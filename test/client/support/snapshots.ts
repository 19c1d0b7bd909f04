import type { GatewaySnapshot } from '../../../src/client/index.js';

export type Kind = 'healthy' | 'degraded' | 'provisioning' | 'dead' | 'old-restart' | 'mute' | 'cold';

const PROBES: Readonly<
  Record<Kind, readonly [startup: boolean, readiness: boolean, liveness: boolean, phase?: string]>
> = {
  healthy: [true, true, true, 'ready'],
  /** A restart: it was ready before. */
  degraded: [false, false, true, 'degraded'],
  provisioning: [false, false, true, 'starting'],
  dead: [false, false, false, 'dead'],
  /** As an older gateway tells of a restart: without a phase. */
  'old-restart': [false, false, true],
  /** Ready, but not alive. */
  mute: [true, true, false, 'degraded'],
  cold: [false, false, false, 'cold_start'],
};

/** A snapshot as it travels. */
export function wire(kind: Kind): Record<string, unknown> {
  const [startup, readiness, liveness, phase] = PROBES[kind];
  const probe = (ok: boolean) =>
    ok ? { ok, status: 'success', latencyMs: 5 } : { ok, status: 'failure', latencyMs: 5, error: 'no' };
  return {
    ts: '2026-07-03T14:00:00.000Z',
    startup: probe(startup),
    readiness: probe(readiness),
    liveness: probe(liveness),
    restoreStatus: { hadBackup: false, restored: false },
    status: readiness ? 'running' : 'starting',
    ...(phase === undefined ? undefined : { phase }),
  };
}

export const text = (kind: Kind): string => JSON.stringify(wire(kind));

export const snapshotOf = (kind: Kind): GatewaySnapshot => wire(kind) as unknown as GatewaySnapshot;
