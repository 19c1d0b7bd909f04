import type { ControllerEvents } from '../core/events.js';
import type { ReportKind } from '../core/report-kind.js';
import { isoStamp } from '../core/stamp.js';
import type { Clock } from '../ports/clock.js';
import type { Logger } from '../ports/logger.js';
import type { Random } from '../ports/random.js';
import { Emitter } from './emitter.js';
import { soon } from './thenable.js';

/** What the parts of one engine share: the ports, the emitter, and who is told that a report has changed. */
export class EngineScope {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly events: Emitter<ControllerEvents>;
  /** Set once by the controller: reports of these kinds are no longer what they were; all kinds when absent. */
  changed: (kinds?: readonly ReportKind[]) => void = () => {};
  /** Whether runs were seen to block the loop, so that each needs a reading of the clock of its own. */
  runsBlock = true;
  /** Whether the readings below are of this burst of microtasks. */
  #burst = false;
  #settledAt: number | undefined;
  #stamped = false;
  #stampedAt = Number.NaN;
  #wall = 0;
  #written = Number.NaN;
  #stamp = '';

  constructor(clock: Clock, random: Random, log: Logger) {
    this.clock = clock;
    this.random = random;
    this.log = log;
    this.events = new Emitter<ControllerEvents>(log);
  }

  /** The monotonic time, read once for all runs that settle in one go: a reading costs as much as a trivial run. */
  settleTime(): number {
    this.#begin();
    this.#settledAt ??= this.clock.now();
    return this.#settledAt;
  }

  /**
   * The wall-clock time as ISO 8601. The clock is read once for all that is recorded in one go; `at`, by the monotonic
   * clock, says how much later than the first of them something ended that came after one that blocks.
   */
  stamp(at = this.#stampedAt): string {
    this.#begin();
    if (!this.#stamped) {
      this.#stamped = true;
      this.#wall = this.clock.wall();
      this.#stampedAt = at;
    }
    const wall = Math.floor(this.#wall + (at - this.#stampedAt || 0));
    if (wall === this.#written) return this.#stamp;
    this.#written = wall;
    this.#stamp = isoStamp(wall);
    return this.#stamp;
  }

  #begin(): void {
    if (this.#burst) return;
    this.#burst = true;
    soon(this.#end);
  }

  readonly #end = (): void => {
    this.#burst = false;
    this.#settledAt = undefined;
    this.#stamped = false;
  };
}
