import { checkValue, having } from '../kit.js';
import type { GatewaySnapshot, GatewayVerdict } from '../wire/gateway.js';
import type { PageChange, PageEntry, PageSource, PageState } from './source.js';
import { type SourceOptions, sourceName } from './source-name.js';

/** What a monitor knows of one instance, as far as the page shows it. */
export interface PageInstanceState {
  readonly id: string;
  /** Without credentials. */
  readonly url: string;
  readonly instanceStatus: string;
  readonly verdict?: GatewayVerdict;
  readonly reachable: boolean;
  readonly lost: boolean;
  readonly transport: string;
  readonly snapshot?: GatewaySnapshot;
  readonly snapshotAgeMs?: number;
  readonly changedAgeMs: number;
  readonly error?: string;
}

type Move = 'running' | 'degraded' | 'recovered' | 'lost' | 'found';

/** A `HealthMonitor` of `health-controller/client`, or what lists instances like one. */
export interface PageMonitor {
  list(): Iterable<PageInstanceState>;
  on?(name: Move, listener: (event: { readonly state: PageInstanceState }) => unknown): () => void;
}

const MOVES: readonly Move[] = ['running', 'degraded', 'recovered', 'lost', 'found'];
const VERDICTS: Readonly<Record<GatewayVerdict, PageState>> = {
  healthy: 'ok',
  degraded: 'degraded',
  provisioning: 'unknown',
};

/**
 * The instances of a monitor on the page, with verdict, phase and how old what is known is. Reads what the monitor knows,
 * and polls nothing.
 * @throws HealthControllerError `invalid_option`
 */
export function monitorSource(monitor: PageMonitor, options: SourceOptions = {}): PageSource {
  const at = 'monitorSource()';
  checkValue(`${at}: the monitor`, having('list'), monitor);
  return Object.freeze({
    name: sourceName(at, options, 'Instances'),
    read: () => ({ entries: Array.from(monitor.list(), entryOf) }),
    watch: (changed: (change: PageChange) => void) => {
      const ends = MOVES.map((move) =>
        monitor.on?.(move, ({ state }) => changed({ entry: state.id, state: stateOf(state) })),
      );
      return () => {
        for (const end of ends) end?.();
      };
    },
  } satisfies PageSource);
}

function stateOf({ lost, reachable, verdict, snapshot }: PageInstanceState): PageState {
  if (lost) return 'error';
  if (!reachable) return snapshot === undefined ? 'unknown' : 'degraded';
  return verdict === undefined ? 'unknown' : VERDICTS[verdict];
}

function entryOf(instance: PageInstanceState): PageEntry {
  const { id, url, instanceStatus, verdict, reachable, lost, transport, snapshot, error } = instance;
  return {
    name: id,
    kind: 'instance',
    state: stateOf(instance),
    label: snapshot === undefined || !reachable ? instanceStatus : snapshot.phase,
    reason: lost ? 'lost' : reachable ? undefined : 'unreachable',
    error,
    ageMs: instance.snapshotAgeMs,
    changedAgeMs: instance.changedAgeMs,
    followed: true,
    facts: {
      url,
      status: instanceStatus,
      verdict: verdict ?? 'none yet',
      transport,
      ...(snapshot?.processId === undefined ? undefined : { 'process id': snapshot.processId }),
    },
  };
}
