import type { ServiceStatus } from '../core/report.js';
import { KINDS, REPORT_KINDS, type ReportKind } from '../core/report-kind.js';
import type { ServiceSettings } from '../core/settings.js';
import { statementOf } from './attempt.js';
import type { RunBatch } from './run-batch.js';
import type { EngineScope } from './scope.js';
import { ServiceProbe } from './service-probe.js';
import type { ReportSource, Standing } from './source.js';

/** What the controller knows of a service beside its probes, as it shows in reports. */
export interface RunState {
  readonly reason: string;
  readonly error: string;
  /** Shown also where a probe could answer. */
  readonly outranksProbe: boolean;
}

/** A service in reports: its probes, and its run state where that is asked for. */
export class ServiceEntry implements ReportSource {
  readonly name: string;
  readonly removed = false;
  /** What to show of the run, or undefined; the service's runner sets it. */
  runState: RunState | undefined;

  readonly #scope: EngineScope;
  readonly #reportRunState: boolean;
  readonly #own: Readonly<Record<ReportKind, ServiceProbe | undefined>>;
  readonly #ok: ServiceStatus;
  #silenced: ServiceStatus | undefined;

  constructor(scope: EngineScope, settings: ServiceSettings, reportRunState: boolean) {
    const { name, probeTimeoutMs } = settings;
    this.name = name;
    this.#scope = scope;
    this.#reportRunState = reportRunState;
    this.#ok = statementOf(name, 'service', 'OK', undefined, undefined);
    const probe = (kind: ReportKind): ServiceProbe | undefined => {
      const run = settings[kind];
      return run === undefined ? undefined : new ServiceProbe(scope, name, kind, run, probeTimeoutMs);
    };
    this.#own = { status: probe('status'), liveness: probe('liveness'), readiness: probe('readiness') };
  }

  /** The status probe, which supervision polls too. */
  get statusProbe(): ServiceProbe | undefined {
    return this.#own.status;
  }

  takes(): boolean {
    return true;
  }

  /** The shutdown has called the service's stop, or is over: its probes are not called any more. */
  freeze(): void {
    if (this.#silenced !== undefined) return;
    this.#silenced = statementOf(this.name, 'service', 'OK', undefined, 'stopped');
    this.#scope.changed();
  }

  /** Leaves the runs under way behind, and releases who waits for them. */
  cancel(): void {
    for (const kind of KINDS) this.#own[kind]?.runner.cancel();
  }

  setRunState(runState: RunState | undefined): void {
    if (this.runState?.reason === runState?.reason && this.runState?.error === runState?.error) return;
    this.runState = runState;
    if (this.#reportRunState) this.#scope.changed();
  }

  begin(kind: ReportKind, batch: RunBatch): void {
    if (this.#silenced !== undefined || this.#stated(kind) !== undefined) return;
    this.#probe(kind)?.runner.begin(batch);
  }

  standing(kind: ReportKind): Standing {
    return this.entry(kind);
  }

  entry(kind: ReportKind): ServiceStatus {
    const stated = this.#stated(kind);
    if (stated !== undefined) return statementOf(this.name, 'service', 'ERROR', stated.error, stated.reason);
    return this.#silenced ?? this.#probe(kind)?.entry() ?? this.#ok;
  }

  freshUntil(kind: ReportKind): number {
    const inline = this.#silenced === undefined && this.#stated(kind) === undefined && this.#probe(kind) !== undefined;
    return inline ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  }

  #probe(kind: ReportKind): ServiceProbe | undefined {
    for (const candidate of REPORT_KINDS[kind].probes) {
      const probe = this.#own[candidate];
      if (probe !== undefined) return probe;
    }
    return undefined;
  }

  #stated(kind: ReportKind): RunState | undefined {
    const { runState } = this;
    if (!this.#reportRunState || runState === undefined || !REPORT_KINDS[kind].runState) return undefined;
    // Being stopped, it is no longer on its way up.
    const comingUp = this.#silenced === undefined && this.#probe(kind) === undefined;
    return runState.outranksProbe || comingUp ? runState : undefined;
  }
}
