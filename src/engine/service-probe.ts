import type { Verdict } from '../core/check-result.js';
import type { CheckState } from '../core/events.js';
import type { ServiceStatus } from '../core/report.js';
import type { ReportKind } from '../core/report-kind.js';
import type { ProbeFunction } from '../core/settings.js';
import { type Attempt, entryOf } from './attempt.js';
import { Runner, type RunSink } from './run-check.js';
import type { EngineScope } from './scope.js';
import { TransitionLog } from './transition-log.js';

/** How many unsettled runs of one probe may be left behind: as for a check. */
const MAX_ABANDONED = 2;

/** One probe of a service: what its last run said. */
export class ServiceProbe implements RunSink {
  readonly runner: Runner;
  readonly #scope: EngineScope;
  readonly #service: string;
  readonly #log: TransitionLog;
  #last: Attempt | undefined;
  #seen: CheckState = 'pending';
  #entry: ServiceStatus | undefined;

  constructor(scope: EngineScope, service: string, kind: ReportKind, run: ProbeFunction, timeoutMs: number) {
    this.#scope = scope;
    this.#service = service;
    this.#log = new TransitionLog(scope, `${kind} probe of service ${JSON.stringify(service)}`);
    this.runner = new Runner(scope, { label: 'probe', run, timeoutMs, maxAbandoned: MAX_ABANDONED }, this);
  }

  get last(): Verdict | undefined {
    return this.#last?.verdict;
  }

  record(verdict: Verdict, startedAt: number, endedAt: number): void {
    this.#last = { verdict, durationMs: endedAt - startedAt, timestamp: this.#scope.stamp(endedAt) };
    this.#entry = undefined;
    const from = this.#seen;
    this.#seen = verdict.status;
    if (from !== 'healthy' || verdict.status !== 'healthy') {
      this.#log.note(from, verdict.status, verdict.message, verdict.reason);
    }
  }

  /** The entry of its last run; undefined before the first. */
  entry(): ServiceStatus | undefined {
    if (this.#last === undefined) return undefined;
    this.#entry ??= entryOf(this.#service, 'service', this.#last, true);
    return this.#entry;
  }
}
