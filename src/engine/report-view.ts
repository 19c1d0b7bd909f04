import type { HealthReport } from '../core/report.js';

/** A report that is being delivered. It is made only for who reads it; valid within the call that hands it over. */
export class ReportView {
  readonly #make: () => HealthReport;
  readonly #compare: () => object;
  #report: HealthReport | undefined;
  #says: object | undefined;

  constructor(make: () => HealthReport, compare: () => object) {
    this.#make = make;
    this.#compare = compare;
  }

  get report(): HealthReport {
    this.#report ??= this.#make();
    return this.#report;
  }

  /** The same object as that of the last report of its kind, while names, states, reasons and gate are the same. */
  get says(): object {
    this.#says ??= this.#compare();
    return this.#says;
  }
}

/** Takes a report. Must not throw. */
export type TakeReport = (view: ReportView) => void;

/** A report under way, for all who wait for it. */
export class ReportFlight {
  readonly #takers: TakeReport[] = [];
  #promise: Promise<HealthReport> | undefined;

  /** Made when somebody wants one: handlers take views. */
  get promise(): Promise<HealthReport> {
    this.#promise ??= new Promise((resolve) => {
      this.#takers.push((view) => resolve(view.report));
    });
    return this.#promise;
  }

  join(take: TakeReport): void {
    this.#takers.push(take);
  }

  land(view: ReportView): void {
    for (const take of this.#takers) take(view);
  }
}
