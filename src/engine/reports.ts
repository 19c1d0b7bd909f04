import { type HealthReport, makeReport, type ServiceStatus } from '../core/report.js';
import { gateOf, KINDS, type ReportKind } from '../core/report-kind.js';
import { type Gate, Likeness } from './likeness.js';
import { ReportFlight, ReportView, type TakeReport } from './report-view.js';
import { RunBatch } from './run-batch.js';
import type { EngineScope } from './scope.js';
import type { ReportSource } from './source.js';
import { soon } from './thenable.js';

/** Whether an entry of this name is wanted. */
export type NameFilter = (name: string) => boolean;

interface Kept {
  readonly view: ReportView;
  readonly freshUntil: number;
}

type PerKind<Value> = Record<ReportKind, Value | undefined>;

const none = <Value>(): PerKind<Value> => ({ status: undefined, liveness: undefined, readiness: undefined });

/** Builds the three reports: one loop, one table. Concurrent requests of one kind share one report in flight. */
export class Reports {
  readonly #scope: EngineScope;
  readonly #gate: () => Gate;
  readonly #services: ReportSource[] = [];
  /** A set, so that thousands can leave one by one. */
  readonly #checks = new Set<ReportSource>();
  #lists: PerKind<readonly ReportSource[]> = none();
  readonly #kept: PerKind<Kept> = none();
  readonly #flights: PerKind<ReportFlight> = none();
  readonly #likeness: PerKind<Likeness> = none();
  readonly #settled = Promise.resolve();
  readonly #readers: Readonly<Record<ReportKind, () => HealthReport | Promise<HealthReport>>>;

  constructor(scope: EngineScope, gate: () => Gate) {
    this.#scope = scope;
    this.#gate = gate;
    const reader = (kind: ReportKind) => () => this.#keptNow(kind)?.report ?? this.#fresh(kind).promise;
    this.#readers = { status: reader('status'), liveness: reader('liveness'), readiness: reader('readiness') };
  }

  add(source: ReportSource, kind: 'service' | 'check'): void {
    if (kind === 'service') this.#services.push(source);
    else this.#checks.add(source);
    this.#relist();
  }

  removeCheck(source: ReportSource): void {
    this.#checks.delete(source);
    this.#relist();
  }

  /** Reports of these kinds are no longer what they were. */
  changed(kinds: readonly ReportKind[] = KINDS): void {
    for (const kind of kinds) this.#kept[kind] = undefined;
  }

  /** The entries of such a report, in order, without running anything. */
  names(kind: ReportKind): readonly string[] {
    return this.#list(kind).map((source) => source.name);
  }

  /** Whether such a report runs something whenever it is asked for. */
  isInline(kind: ReportKind): boolean {
    const now = this.#scope.clock.now();
    return this.#list(kind).some((source) => source.freshUntil(kind, now) === Number.NEGATIVE_INFINITY);
  }

  /** Never rejects, and never waits longer than the longest timeout of what it runs. */
  report(kind: ReportKind, filter: NameFilter | undefined): Promise<HealthReport> {
    if (filter !== undefined) {
      const sources = this.#list(kind).filter((source) => filter(source.name));
      return this.#begin(kind, sources, new ReportFlight(), false).promise;
    }
    // Read in a turn of its own: what was asked for before stop() must not say ready after it.
    if (this.#keptNow(kind) !== undefined) return this.#settled.then(this.#readers[kind]);
    return this.#fresh(kind).promise;
  }

  /** The same for who can tell from `says` that it needs no report: at once where one is kept. */
  observe(kind: ReportKind, take: TakeReport): void {
    const kept = this.#keptNow(kind);
    if (kept === undefined) this.#fresh(kind).join(take);
    else take(kept);
  }

  #keptNow(kind: ReportKind): ReportView | undefined {
    const kept = this.#kept[kind];
    if (kept === undefined) return undefined;
    if (kept.freshUntil === Number.POSITIVE_INFINITY || this.#scope.clock.now() <= kept.freshUntil) return kept.view;
    this.#kept[kind] = undefined;
    return undefined;
  }

  #fresh(kind: ReportKind): ReportFlight {
    const under = this.#flights[kind];
    if (under !== undefined) return under;
    const flight = new ReportFlight();
    this.#flights[kind] = flight;
    return this.#begin(kind, this.#list(kind), flight, true);
  }

  #begin(kind: ReportKind, sources: readonly ReportSource[], flight: ReportFlight, shared: boolean): ReportFlight {
    const deliver = (): void => {
      if (shared) this.#flights[kind] = undefined;
      flight.land(this.#view(kind, sources));
    };
    let beginning = true;
    const batch = new RunBatch(this.#scope, true, () => (beginning ? soon(deliver) : deliver()));
    for (let i = 0; i < sources.length; i++) sources[i]?.begin(kind, batch);
    batch.seal();
    beginning = false;
    return flight;
  }

  #view(kind: ReportKind, sources: readonly ReportSource[]): ReportView {
    const now = this.#scope.clock.now();
    const view = new ReportView(
      () => this.#assemble(kind, sources, now),
      () => this.#says(kind, sources, now),
    );
    // One that was begun before something was registered lacks it, and must not be kept.
    const freshUntil = sources === this.#list(kind) ? freshOf(kind, sources, now) : Number.NEGATIVE_INFINITY;
    // Made now: what is handed out later must be of this moment.
    if (freshUntil >= now && view.report) this.#kept[kind] = { view, freshUntil };
    return view;
  }

  #says(kind: ReportKind, sources: readonly ReportSource[], now: number): object {
    if (sources !== this.#list(kind)) return Object.freeze({});
    const likeness = this.#likeness[kind] ?? new Likeness(kind);
    this.#likeness[kind] = likeness;
    return likeness.of(sources, this.#gate(), now);
  }

  #assemble(kind: ReportKind, sources: readonly ReportSource[], now: number): HealthReport {
    const entries = new Array<ServiceStatus>(sources.length);
    let length = 0;
    for (let i = 0; i < sources.length; i++) {
      const source = sources[i];
      if (source === undefined || source.removed) continue;
      entries[length++] = source.entry(kind, now);
    }
    entries.length = length;
    const { state, maintenance } = this.#gate();
    return makeReport(state, gateOf(kind, state, maintenance), entries);
  }

  #list(kind: ReportKind): readonly ReportSource[] {
    const list = this.#lists[kind] ?? [...this.#services, ...this.#checks].filter((source) => source.takes(kind));
    this.#lists[kind] = list;
    return list;
  }

  #relist(): void {
    this.#lists = none();
    this.changed();
  }
}

/** Until when all of them stay as they are if nothing is told. */
function freshOf(kind: ReportKind, sources: readonly ReportSource[], now: number): number {
  let until = Number.POSITIVE_INFINITY;
  for (let i = 0; i < sources.length && until !== Number.NEGATIVE_INFINITY; i++) {
    until = Math.min(until, sources[i]?.freshUntil(kind, now) ?? Number.POSITIVE_INFINITY);
  }
  return until;
}
