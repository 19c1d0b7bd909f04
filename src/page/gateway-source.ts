import { checkValue, having } from '../kit.js';
import { type GatewayPhase, type GatewaySnapshot, type ProbeResult, readSnapshot } from '../wire/gateway.js';
import type { PageEntry, PageReading, PageSource, PageState } from './source.js';
import { type SourceOptions, sourceName } from './source-name.js';

/** A `Gateway` of `health-controller/presets/gateway`, or what answers like one. */
export interface PageGateway {
  snapshot(options: { readonly passive: true }): PromiseLike<GatewaySnapshot>;
  on?(name: 'phase', listener: (event: { readonly to: GatewayPhase }) => unknown): () => void;
}

const PHASES: Readonly<Record<GatewayPhase, PageState>> = {
  ready: 'ok',
  cold_start: 'degraded',
  starting: 'degraded',
  starting_backup: 'degraded',
  degraded: 'degraded',
  dead: 'error',
  stuck: 'error',
};

/**
 * A gateway on the page: its three probes, its phase and how that went. Snapshots are passive: to look starts nothing.
 * @throws HealthControllerError `invalid_option`
 */
export function gatewaySource(gateway: PageGateway, options: SourceOptions = {}): PageSource {
  const at = 'gatewaySource()';
  checkValue(`${at}: the gateway`, having('snapshot'), gateway);
  return Object.freeze({
    name: sourceName(at, options, 'Gateway'),
    read: async () => readingOf(await gateway.snapshot({ passive: true })),
    watch: (changed) => gateway.on?.('phase', ({ to }) => changed({ label: to })) ?? (() => {}),
  } satisfies PageSource);
}

function readingOf(snapshot: GatewaySnapshot): PageReading {
  const { startup, readiness, liveness, phase, status, processId, processType, restoreStatus } = snapshot;
  return {
    state: PHASES[phase],
    label: phase,
    facts: {
      verdict: readSnapshot(snapshot),
      status,
      ...(processId === undefined ? undefined : { 'process id': processId }),
      ...(processType === undefined ? undefined : { process: processType }),
      backup: restoreStatus.hadBackup ? (restoreStatus.restored ? 'restored' : 'not restored') : 'none',
    },
    entries: [
      entryOf('startup', startup, phase),
      entryOf('readiness', readiness, phase),
      entryOf('liveness', liveness, phase),
    ],
  };
}

/** A probe that fails is as bad as the phase: while a gateway starts, that is to be expected. */
function entryOf(name: string, { status, error, latencyMs }: ProbeResult, phase: GatewayPhase): PageEntry {
  const failed = PHASES[phase] === 'error' ? 'error' : 'degraded';
  const state = status === 'success' ? 'ok' : status === 'failure' ? failed : 'unknown';
  const label = status === 'success' ? undefined : status;
  return { name, kind: 'probe', state, label, error, facts: { 'took ms': Math.round(latencyMs) } };
}
