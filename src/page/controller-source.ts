import { publish } from '../http/publish.js';
import type { CheckEvent, EntryStatus, HealthReport, ReportOptions, ServiceEvent, StateEvent } from '../index.js';
import { checkValue, having } from '../kit.js';
import type { PageChange, PageReadContext, PageReading, PageSource, PageState } from './source.js';
import { type SourceOptions, sourceName } from './source-name.js';
import { StampAges } from './stamp-ages.js';

/** A `Controller`, from whichever copy of the package, or what reports like one: `only` in particular is heeded. */
export interface PageController {
  status(options?: ReportOptions): HealthReport | PromiseLike<HealthReport>;
  readiness(options?: ReportOptions): HealthReport | PromiseLike<HealthReport>;
  on?(name: 'check', listener: (event: CheckEvent) => unknown): () => void;
  on?(name: 'service', listener: (event: ServiceEvent) => unknown): () => void;
  on?(name: 'state', listener: (event: StateEvent) => unknown): () => void;
  /** Tells a check that is not critical from one that is degraded, and one that is run by reports from a polled one. */
  checkResult?(name: string): { readonly status: string; readonly timestamp: string } | undefined;
  names?(kind: 'status'): readonly string[];
  /** Aborted when it has drained. */
  readonly signal?: AbortSignal;
}

const STATES: Readonly<Record<EntryStatus, PageState>> = { OK: 'ok', DEGRADED: 'degraded', ERROR: 'error' };

/** What a check is seen as, between readings. */
const CHECK_STATES: Readonly<Record<string, PageState | undefined>> = {
  healthy: 'ok',
  degraded: 'degraded',
  unhealthy: 'error',
  stale: 'error',
};

/** Gates that the state of the lifecycle says already. */
const SAID: readonly unknown[] = ['not_started', 'unable_to_start', 'stopped'];

/**
 * A controller on the page: its lifecycle and what closes readiness, its services and checks as `status()` reports them.
 * A reading runs what such a report runs: service probes and sync checks, and nothing of polled checks. Between readings
 * its events are listened to.
 * @throws HealthControllerError `invalid_option`
 */
export function controllerSource(controller: PageController, options: SourceOptions = {}): PageSource {
  const at = 'controllerSource()';
  checkValue(`${at}: the controller`, having('status', 'readiness'), controller);
  const name = sourceName(at, options, 'Services and checks');
  const { signal } = controller;
  const reader = new ControllerReader(controller);
  return Object.freeze({
    name,
    read: (context: PageReadContext) => reader.read(context),
    watch: (changed: (change: PageChange) => void) => reader.watch(changed),
    ...(signal === undefined ? undefined : { signal }),
  });
}

class ControllerReader {
  readonly #controller: PageController;
  readonly #ages = new StampAges();
  /** Checks that are shown as degraded when they fail. Seen, since events do not tell. */
  readonly #lenient = new Set<string>();
  /** Checks that are run by a report. To look must not run them oftener: they are shown by the next whole reading. */
  #inline: ReadonlySet<string> = new Set<string>();

  constructor(controller: PageController) {
    this.#controller = controller;
  }

  async read({ clock, only }: PageReadContext): Promise<PageReading> {
    const controller = this.#controller;
    // The gate alone: no entry is asked for.
    const gate = await controller.readiness({ only: [] });
    const before = only === undefined ? this.#resultStamps() : undefined;
    const report = await (only === undefined ? controller.status() : controller.status({ only }));
    const { state, services } = publish(report, true, undefined);
    const { reason } = publish(gate, false, undefined);
    const stamps = services.flatMap(({ name, checkedAt }) =>
      checkedAt === undefined ? [] : [[name, checkedAt] as const],
    );
    const ages = this.#ages.read(stamps, clock, only === undefined);
    if (before !== undefined) {
      const made = stamps.filter(([name, stamp]) => before.has(name) && before.get(name) !== stamp);
      this.#inline = new Set(made.map(([name]) => name));
    }
    this.#learn(services, only === undefined);
    return {
      state: reason === undefined ? 'ok' : reason === 'unable_to_start' ? 'error' : 'degraded',
      label: state,
      reason: SAID.includes(reason) ? undefined : reason,
      entries: services.map(({ name, kind, status, reason: why, error, durationMs, data }) => ({
        name,
        kind,
        state: why === 'pending' ? 'unknown' : STATES[status],
        reason: why,
        error: status === 'OK' ? undefined : error,
        ageMs: ages.get(name),
        followed: kind === 'check',
        facts: { ...(durationMs === undefined ? undefined : { 'took ms': Math.round(durationMs) }), ...factsOf(data) },
      })),
    };
  }

  /** Of each check: when its result was made that a report shows before it runs anything. */
  #resultStamps(): ReadonlyMap<string, string | undefined> {
    const controller = this.#controller;
    const names = controller.checkResult === undefined ? [] : (controller.names?.('status') ?? []);
    return new Map(names.map((name) => [name, controller.checkResult?.(name)?.timestamp]));
  }

  #learn(services: readonly { readonly name: string; readonly status: EntryStatus }[], all: boolean): void {
    if (all) {
      const names = new Set(services.map(({ name }) => name));
      for (const name of this.#lenient) if (!names.has(name)) this.#lenient.delete(name);
    }
    for (const { name, status } of services) {
      if (status === 'ERROR') this.#lenient.delete(name);
      else if (status === 'DEGRADED' && this.#controller.checkResult?.(name)?.status === 'unhealthy') {
        this.#lenient.add(name);
      }
    }
  }

  watch(changed: (change: PageChange) => void): () => void {
    const controller = this.#controller;
    const ends = [
      controller.on?.('check', ({ name, from, to }) => {
        const before = from === 'pending' ? undefined : this.#stateOf(name, from);
        const quiet = this.#inline.has(name);
        changed({ entry: name, state: this.#stateOf(name, to), from: before, ...(quiet ? { quiet } : undefined) });
      }),
      controller.on?.('service', ({ service }) => changed({ entry: service })),
      controller.on?.('state', ({ to }) => changed({ label: to })),
    ];
    return () => {
      for (const end of ends) end?.();
    };
  }

  #stateOf(name: string, to: string): PageState {
    const state = CHECK_STATES[to] ?? 'unknown';
    return state === 'error' && this.#lenient.has(name) ? 'degraded' : state;
  }
}

function factsOf(data: unknown): object | undefined {
  return typeof data === 'object' && data !== null ? data : undefined;
}
