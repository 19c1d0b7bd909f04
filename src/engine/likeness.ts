import type { LifecycleState } from '../core/lifecycle.js';
import type { ReportKind } from '../core/report-kind.js';
import type { ReportSource, Standing } from './source.js';

/** What a report is gated by, read when it is delivered. */
export interface Gate {
  readonly state: LifecycleState;
  readonly maintenance: boolean;
}

/**
 * Tells whether a report says what the one before it said: the same names, states and reasons behind the same gate.
 * Costs less than making either.
 */
export class Likeness {
  readonly #kind: ReportKind;
  #sources: readonly ReportSource[] | undefined;
  #gate: Gate | undefined;
  #standings: Standing[] = [];
  #token: object = Object.freeze({});

  constructor(kind: ReportKind) {
    this.#kind = kind;
  }

  /** The same object as the last time, if nothing differs. */
  of(sources: readonly ReportSource[], gate: Gate, now: number): object {
    let same = sources === this.#sources && gate.state === this.#gate?.state;
    same &&= gate.maintenance === this.#gate?.maintenance;
    const before = this.#standings;
    if (!same) before.length = 0;
    for (let i = 0; i < sources.length; i++) {
      const standing = sources[i]?.standing(this.#kind, now);
      const last = before[i];
      if (standing === undefined || standing === last) continue;
      if (last?.status !== standing.status || last.reason !== standing.reason) same = false;
      before[i] = standing;
    }
    this.#sources = sources;
    this.#gate = gate;
    if (!same) this.#token = Object.freeze({});
    return this.#token;
  }
}
