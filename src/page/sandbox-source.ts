import { checkValue, having } from '../kit.js';
import type { ServiceHealth, ServiceHealthState } from '../wire/service-health.js';
import type { PageEntry, PageSource, PageState } from './source.js';
import { type SourceOptions, sourceName } from './source-name.js';
import { StampAges } from './stamp-ages.js';

/** An exposed service, as far as the page shows it. */
export interface PageSandboxService {
  readonly endpoint: {
    readonly workspace: string;
    readonly sandbox: string;
    readonly service: string;
    readonly readinessCheck?: unknown;
  };
  readonly url: string;
  readonly health: ServiceHealth;
}

/** `SandboxServices` of `health-controller/presets/sandbox-service`, or what lists services like them. */
export interface PageSandboxServices {
  list(): readonly PageSandboxService[];
  on?(
    name: 'change',
    listener: (event: { readonly to: ServiceHealthState; readonly service: PageSandboxService }) => unknown,
  ): () => void;
}

const STATES: Readonly<Record<ServiceHealthState, PageState>> = {
  healthy: 'ok',
  unhealthy: 'error',
  unknown: 'unknown',
};

/**
 * Exposed sandbox services on the page: their states, in words that promise no more than was checked. Reads what is
 * known, and starts nothing.
 * @throws HealthControllerError `invalid_option`
 */
export function sandboxSource(services: PageSandboxServices, options: SourceOptions = {}): PageSource {
  const at = 'sandboxSource()';
  checkValue(`${at}: the services`, having('list'), services);
  const ages = new StampAges();
  return Object.freeze({
    name: sourceName(at, options, 'Sandbox services'),
    read: ({ clock }) => {
      const list = services.list();
      const stamps = list.flatMap((service) => {
        const { lastCheckedTime } = service.health;
        return lastCheckedTime === undefined ? [] : [[nameOf(service), lastCheckedTime] as const];
      });
      const known = ages.read(stamps, clock, true);
      return { entries: list.map((service) => entryOf(service, known.get(nameOf(service)))) };
    },
    watch: (changed) =>
      services.on?.('change', ({ to, service }) => changed({ entry: nameOf(service), state: STATES[to] })) ??
      (() => {}),
  } satisfies PageSource);
}

function nameOf({ endpoint: { workspace, sandbox, service } }: PageSandboxService): string {
  return service === '' ? `${workspace}/${sandbox}` : `${workspace}/${sandbox}/${service}`;
}

function entryOf(service: PageSandboxService, ageMs: number | undefined): PageEntry {
  const { url, health, endpoint } = service;
  const { state, message, httpStatusCode } = health;
  return {
    name: nameOf(service),
    kind: 'service',
    state: STATES[state],
    label: labelOf(state, endpoint.readinessCheck !== undefined),
    error: state === 'healthy' ? undefined : message,
    facts: { url, ...(httpStatusCode === undefined ? undefined : { 'http status': httpStatusCode }) },
    ageMs,
    followed: true,
  };
}

/** The words of seed 001, as codes. */
function labelOf(state: ServiceHealthState, checked: boolean): string | undefined {
  if (state === 'unknown') return undefined;
  if (state === 'healthy') return checked ? 'ready' : 'responsive';
  return checked ? 'not_ready' : 'unresponsive';
}
