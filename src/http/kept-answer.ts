import type { HealthReport } from '../index.js';
import type { HealthResponse } from './response.js';

/** What the bytes without details depend on, for one entry. */
interface Trace {
  readonly name: unknown;
  readonly kind: unknown;
  readonly status: unknown;
  readonly reason: unknown;
}

/**
 * The last answer without details to one question in one format. Probes come every second and almost always find what
 * they found before: the bytes are made again only when a state, a reason or the list of names has changed.
 */
export class KeptAnswer {
  /** A report that can no longer change, and that the answer is of: nothing needs to be compared. */
  #frozen: object | undefined;
  #last: object | undefined;
  #head: readonly unknown[] = [];
  #traces: readonly Trace[] = [];
  #response: HealthResponse | undefined;

  /** The answer, where it is the one to this report too. Throws what the report's getters throw. */
  for(report: HealthReport): HealthResponse | undefined {
    if (this.#frozen === report) return this.#response;
    if (this.#response === undefined || !this.#isSame(report)) return undefined;
    // Only one that comes twice is worth the look: sync checks make a new one each time.
    if (this.#last === report && isFrozen(report)) this.#frozen = report;
    this.#last = report;
    return this.#response;
  }

  keep(report: HealthReport, response: HealthResponse): void {
    this.#head = [report.overallHealthy, report.state, report.reason];
    // Copied: one that is not frozen may be changed by its owner.
    this.#traces = report.services.map(({ name, kind, status, reason }) => ({ name, kind, status, reason }));
    this.#frozen = undefined;
    this.#last = report;
    this.#response = response;
  }

  #isSame(report: HealthReport): boolean {
    const head = this.#head;
    if (report.overallHealthy !== head[0] || report.state !== head[1] || report.reason !== head[2]) return false;
    const { services } = report;
    const traces = this.#traces;
    if (services.length !== traces.length) return false;
    for (let i = 0; i < traces.length; i++) {
      const entry = services[i];
      const trace = traces[i];
      if (entry === undefined || trace === undefined) return false;
      if (entry.status !== trace.status || entry.reason !== trace.reason) return false;
      if (entry.name !== trace.name || entry.kind !== trace.kind) return false;
    }
    return true;
  }
}

function isFrozen(report: HealthReport): boolean {
  return (
    Object.isFrozen(report) &&
    Object.isFrozen(report.services) &&
    report.services.every((entry) => Object.isFrozen(entry))
  );
}
