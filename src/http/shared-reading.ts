import type { Clock, HealthReport, ReportKind } from '../index.js';
import { isThenable, observeReport, onSettled } from '../kit.js';
import type { HealthReporter } from './reporter.js';
import { Traces } from './traces.js';

/** A report that has been read. */
export interface Reading {
  readonly report: HealthReport;
  /** The same object while nothing that shows without details has changed. */
  readonly says: object;
}

/** Who waits for a reading: exactly one of the two is called, once. They must not throw. */
export interface Taker {
  readonly take: (reading: Reading) => void;
  readonly failed: (error: unknown) => void;
}

/** A caller that is alone waits for a turn this seldom: only so is it seen that there are others. */
const LOOK_EVERY = 8;

/**
 * Reads one kind of report for all who ask. Where the reporter makes a new one each time, those who ask within one turn
 * of the event loop share one, which is begun when all of them have asked: nobody gets anything older than its question,
 * and twenty connections cost what one does.
 */
export class SharedReading {
  readonly #reporter: HealthReporter;
  readonly #kind: ReportKind;
  readonly #clock: Clock;
  readonly #traces = new Traces();
  /** The last report, by its identity. */
  #last: object | undefined;
  #renewed = false;
  /** How many have asked since two asked in one turn. */
  #alone = 0;
  #takers: Taker[] = [];

  constructor(reporter: HealthReporter, kind: ReportKind, clock: Clock) {
    this.#reporter = reporter;
    this.#kind = kind;
    this.#clock = clock;
  }

  read(taker: Taker): void {
    // One that is handed out again costs less than a turn, and so does one for a single caller.
    if (this.#takers.length === 0 && (!this.#renewed || this.#alone++ % LOOK_EVERY !== 0)) this.#ask([taker]);
    else if (this.#takers.push(taker) === 1) this.#clock.nextTurn(this.#turn);
  }

  readonly #turn = (): void => {
    const takers = this.#takers;
    this.#takers = [];
    if (takers.length > 1) this.#alone = 0;
    this.#ask(takers);
  };

  #ask(takers: readonly Taker[]): void {
    const failed = (error: unknown): void => {
      for (const taker of takers) taker.failed(error);
    };
    const given = (report: HealthReport): void => {
      let says: object;
      try {
        says = this.#traces.of(report);
      } catch (error) {
        failed(error);
        return;
      }
      this.#hand(takers, report, { report, says });
    };
    try {
      if (observeReport(this.#reporter, this.#kind, (view) => this.#hand(takers, view, view))) return;
      const report = this.#reporter[this.#kind]();
      if (!isThenable(report)) given(report);
      else onSettled(report, (value) => given(value as HealthReport), failed);
    } catch (error) {
      failed(error);
    }
  }

  #hand(takers: readonly Taker[], identity: object, reading: Reading): void {
    this.#renewed = this.#last !== undefined && this.#last !== identity;
    this.#last = identity;
    for (const taker of takers) taker.take(reading);
  }
}
