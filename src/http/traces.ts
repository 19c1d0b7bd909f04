import type { HealthReport } from '../index.js';

/** What the bytes without details depend on, for one entry. */
interface Trace {
  readonly name: unknown;
  readonly kind: unknown;
  readonly status: unknown;
  readonly reason: unknown;
}

/** Tells whether a report of any reporter says what the one before it said, as the controller's own does by itself. */
export class Traces {
  #last: HealthReport | undefined;
  /** A report that can no longer change: nothing needs to be compared. */
  #frozen: HealthReport | undefined;
  #head: readonly unknown[] = [];
  #traces: readonly Trace[] = [];
  #token: object = Object.freeze({});

  /** The same object as the last time, if nothing differs. Throws what the report's getters throw. */
  of(report: HealthReport): object {
    if (this.#frozen === report) return this.#token;
    if (this.#last === undefined || !this.#isSame(report)) {
      this.#head = [report.overallHealthy, report.state, report.reason];
      // Copied: one that is not frozen may be changed by its owner.
      this.#traces = report.services.map(({ name, kind, status, reason }) => ({ name, kind, status, reason }));
      this.#token = Object.freeze({});
      this.#frozen = undefined;
    } else if (this.#last === report && isFrozen(report)) {
      // Only one that comes twice is worth the look.
      this.#frozen = report;
    }
    this.#last = report;
    return this.#token;
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
