import { checkValue, having } from '../kit.js';
import type { GatewaySnapshot, GatewayVerdict } from '../wire/gateway.js';
import type { PageChange, PageEntry, PageReading, PageSource, PageState } from './source.js';
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

/** A `HealthMonitor` of `health-controller/client`, or what lists instances like one. */
export interface PageMonitor {
  list(): Iterable<PageInstanceState>;
  get?(id: string): PageInstanceState | undefined;
  on?(
    name: 'snapshot',
    listener: (event: { readonly instance: string; readonly verdict: GatewayVerdict }) => unknown,
  ): () => void;
  on?(name: 'unreachable', listener: (event: { readonly instance: string }) => unknown): () => void;
  on?(
    name: 'lost' | 'found',
    listener: (event: { readonly instance: string; readonly state: PageInstanceState }) => unknown,
  ): () => void;
}

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
  const reader = new MonitorReader(monitor);
  return Object.freeze({
    name: sourceName(at, options, 'Instances'),
    read: () => reader.read(),
    watch: (changed: (change: PageChange) => void) => reader.watch(changed),
  } satisfies PageSource);
}

/** A monitor tells of every try: what changes nothing is not passed on. */
class MonitorReader {
  readonly #monitor: PageMonitor;
  /** What was told of each last. */
  #states = new Map<string, PageState>();

  constructor(monitor: PageMonitor) {
    this.#monitor = monitor;
  }

  read(): PageReading {
    const entries = Array.from(this.#monitor.list(), entryOf);
    this.#states = new Map(entries.map(({ name, state }) => [name, state]));
    return { entries };
  }

  watch(changed: (change: PageChange) => void): () => void {
    const monitor = this.#monitor;
    const tell = (entry: string, state: PageState): void => {
      const from = this.#states.get(entry);
      if (from === state) return;
      this.#states.set(entry, state);
      changed({ entry, state, from });
    };
    const ends = [
      // One that is lost stays so until it is found.
      monitor.on?.('snapshot', ({ instance, verdict }) => {
        if (this.#states.get(instance) !== 'error') tell(instance, VERDICTS[verdict]);
      }),
      monitor.on?.('unreachable', ({ instance }) => {
        const state = monitor.get?.(instance);
        if (state === undefined) changed({ entry: instance });
        else tell(instance, stateOf(state));
      }),
      monitor.on?.('lost', ({ instance, state }) => tell(instance, stateOf(state))),
      monitor.on?.('found', ({ instance, state }) => tell(instance, stateOf(state))),
    ];
    return () => {
      for (const end of ends) end?.();
    };
  }
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
