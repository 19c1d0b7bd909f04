import type { LifecycleState } from '../core/lifecycle.js';
import { type HealthReport, makeReport, type ServiceStatus } from '../core/report.js';
import { gateOf, KINDS, type ReportKind } from '../core/report-kind.js';
import { RunBatch } from './run-batch.js';
import type { EngineScope } from './scope.js';
import type { ReportSource } from './source.js';

/** What a report is gated by, read when it is delivered. */
export interface Gate {
  readonly state: LifecycleState;
  readonly maintenance: boolean;
}

/** Whether an entry of this name is wanted. */
export type NameFilter = (name: string) => boolean;

interface Kept {
  readonly report: HealthReport;
  readonly freshUntil: number;
}

type PerKind<Value> = Record<ReportKind, Value | undefined>;

const none = <Value>(): PerKind<Value> => ({ status: undefined, liveness: undefined, readiness: undefined });

/** Builds the three reports: one loop, one table. Concurrent requests of one kind share one report in flight. */
export class Reports {
  readonly #scope: EngineScope;
  readonly #gate: () => Gate;
  readonly #services: ReportSource[] = [];
  readonly #checks: ReportSource[] = [];
  #lists: PerKind<readonly ReportSource[]> = none();
  readonly #kept: PerKind<Kept> = none();
  readonly #inFlight: PerKind<Promise<HealthReport>> = none();
  readonly #settled = Promise.resolve();
  readonly #readers: Readonly<Record<ReportKind, () => HealthReport | Promise<HealthReport>>>;

  constructor(scope: EngineScope, gate: () => Gate) {
    this.#scope = scope;
    this.#gate = gate;
    const reader = (kind: ReportKind) => () => this.#keptNow(kind) ?? this.#fresh(kind);
    this.#readers = { status: reader('status'), liveness: reader('liveness'), readiness: reader('readiness') };
  }

  add(source: ReportSource, kind: 'service' | 'check'): void {
    (kind === 'service' ? this.#services : this.#checks).push(source);
    this.#relist();
  }

  removeCheck(source: ReportSource): void {
    const index = this.#checks.indexOf(source);
    if (index >= 0) this.#checks.splice(index, 1);
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
      return this.#build(
        kind,
        this.#list(kind).filter((source) => filter(source.name)),
        false,
      );
    }
    // Read in a turn of its own: what was asked for before stop() must not say ready after it.
    if (this.#keptNow(kind) !== undefined) return this.#settled.then(this.#readers[kind]);
    return this.#fresh(kind);
  }

  #keptNow(kind: ReportKind): HealthReport | undefined {
    const kept = this.#kept[kind];
    if (kept === undefined) return undefined;
    if (kept.freshUntil === Number.POSITIVE_INFINITY || this.#scope.clock.now() <= kept.freshUntil) return kept.report;
    this.#kept[kind] = undefined;
    return undefined;
  }

  #fresh(kind: ReportKind): Promise<HealthReport> {
    return this.#inFlight[kind] ?? this.#build(kind, this.#list(kind), true);
  }

  #build(kind: ReportKind, sources: readonly ReportSource[], shared: boolean): Promise<HealthReport> {
    let resolve: (report: HealthReport) => void = () => {};
    const promise = new Promise<HealthReport>((settle) => {
      resolve = settle;
    });
    if (shared) this.#inFlight[kind] = promise;
    const deliver = (): void => {
      if (shared) this.#inFlight[kind] = undefined;
      resolve(this.#assemble(kind, sources, shared));
    };
    let beginning = true;
    const batch = new RunBatch(this.#scope, true, () => (beginning ? queueMicrotask(deliver) : deliver()));
    for (let i = 0; i < sources.length; i++) sources[i]?.begin(kind, batch);
    batch.seal();
    beginning = false;
    return promise;
  }

  #assemble(kind: ReportKind, sources: readonly ReportSource[], shared: boolean): HealthReport {
    const now = this.#scope.clock.now();
    let freshUntil = shared ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY;
    const entries = new Array<ServiceStatus>(sources.length);
    let length = 0;
    for (let i = 0; i < sources.length; i++) {
      const source = sources[i];
      if (source === undefined || source.removed) continue;
      entries[length++] = source.entry(kind, now);
      if (freshUntil !== Number.NEGATIVE_INFINITY) freshUntil = Math.min(freshUntil, source.freshUntil(kind, now));
    }
    entries.length = length;
    const { state, maintenance } = this.#gate();
    const report = makeReport(state, gateOf(kind, state, maintenance), entries);
    // One that was begun before something was registered lacks it, and must not be kept.
    if (freshUntil >= now && sources === this.#list(kind)) this.#kept[kind] = { report, freshUntil };
    return report;
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
