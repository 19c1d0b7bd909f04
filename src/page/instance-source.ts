import { checkValue, where } from '../kit.js';
import { badge, type InstanceHealth, type InstanceStatus } from '../wire/instance.js';
import type { PageEntry, PageSource, PageState } from './source.js';
import { type SourceOptions, sourceName } from './source-name.js';

/** An `Instance` of `health-controller/presets/instance`, or what answers like one. */
export interface PageInstance {
  readonly name: string;
  /** A look that never rejects and is bounded. */
  health(): PromiseLike<InstanceHealth>;
  on?(name: 'status', listener: (event: { readonly to: InstanceStatus }) => unknown): () => void;
}

const STATES: Readonly<Record<InstanceStatus, PageState>> = {
  pending: 'unknown',
  starting: 'degraded',
  running: 'ok',
  unhealthy: 'error',
  error: 'error',
};

/** So many are looked at, at one time. */
const AT_ONCE = 8;

const isList = (value: unknown): boolean =>
  Array.isArray(value) && value.every((each) => typeof (each as Partial<PageInstance> | null)?.health === 'function');

/**
 * Instances on the page: container and tunnel of each, told apart. A reading looks at each of them, eight at a time.
 * @throws HealthControllerError `invalid_option`
 */
export function instanceSource(instances: readonly PageInstance[], options: SourceOptions = {}): PageSource {
  const at = 'instanceSource()';
  checkValue(`${at}: the instances`, where(isList, 'a list of instances'), instances);
  const all = [...instances];
  return Object.freeze({
    name: sourceName(at, options, 'Instances'),
    read: async ({ only }) => {
      const wanted = only === undefined ? all : all.filter(({ name }) => only.includes(name));
      return { entries: await lookAt(wanted) };
    },
    watch: (changed) => {
      const ends = all.map((instance) =>
        instance.on?.('status', ({ to }) => changed({ entry: instance.name, state: STATES[to] })),
      );
      return () => {
        for (const end of ends) end?.();
      };
    },
  } satisfies PageSource);
}

async function lookAt(instances: readonly PageInstance[]): Promise<readonly PageEntry[]> {
  const entries = new Array<PageEntry>(instances.length);
  const left = instances.entries();
  const look = async (): Promise<void> => {
    for (const [index, instance] of left) entries[index] = entryOf(instance.name, await instance.health());
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, instances.length) }, look));
  return entries;
}

function entryOf(name: string, health: InstanceHealth): PageEntry {
  const { status, container_status, tunnel_status, validated, exit_code, message } = health;
  const state = STATES[status];
  return {
    name,
    kind: 'instance',
    // Its container is up; what its badge tells of is the tunnel, or a container that has gone meanwhile.
    state: state === 'ok' && badge(health) !== undefined ? 'degraded' : state,
    label: status,
    reason: reasonOf(health),
    error: message,
    facts: {
      container: container_status,
      tunnel: tunnel_status,
      validated,
      ...(exit_code === undefined ? undefined : { 'exit code': exit_code }),
    },
  };
}

function reasonOf({ container_status, tunnel_status }: InstanceHealth): string | undefined {
  if (container_status !== 'running') return `container_${container_status}`;
  return tunnel_status === 'healthy' || tunnel_status === 'none'
    ? undefined
    : `tunnel_${tunnel_status}`.replace(/^tunnel_(tunnel|app|tls)_/, '$1_');
}
