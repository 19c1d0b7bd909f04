import type { HealthReport } from '../core/report.js';
import type { TimerHandle } from '../ports/clock.js';
import type { Lifecycle } from './lifecycle.js';
import type { Reports } from './reports.js';
import type { EngineScope } from './scope.js';

/** How often a wait looks again where inline probes or checks decide. */
const LOOK_MS = 1000;

interface Waiter {
  settle(ready: boolean): void;
}

/** Those who wait for the first healthy readiness. All share one look at a time. */
export class ReadinessWaiters {
  readonly #scope: EngineScope;
  readonly #reports: Reports;
  readonly #lifecycle: Lifecycle;
  readonly #waiters = new Set<Waiter>();
  #timer: TimerHandle | undefined;
  #looking = false;
  #again = false;

  constructor(scope: EngineScope, reports: Reports, lifecycle: Lifecycle) {
    this.#scope = scope;
    this.#reports = reports;
    this.#lifecycle = lifecycle;
  }

  /** True at the first healthy readiness; false when aborted, timed out (0: never) or stopping. Never rejects. */
  wait(signal: AbortSignal | undefined, timeoutMs: number): Promise<boolean> {
    if (this.#lifecycle.ending || signal?.aborted === true) return Promise.resolve(false);
    return new Promise((resolve) => {
      const { clock } = this.#scope;
      let deadline: TimerHandle | undefined;
      const waiter: Waiter = {
        settle: (ready) => {
          if (!this.#waiters.delete(waiter)) return;
          if (deadline !== undefined) clock.clearTimeout(deadline);
          signal?.removeEventListener('abort', aborted);
          if (this.#waiters.size === 0) this.#rest();
          resolve(ready);
        },
      };
      const aborted = (): void => waiter.settle(false);
      signal?.addEventListener('abort', aborted, { once: true });
      if (timeoutMs > 0) deadline = clock.setTimeout(aborted, timeoutMs, { keepAlive: true });
      this.#waiters.add(waiter);
      this.#watch();
      this.look();
    });
  }

  /** Something has changed. */
  look(): void {
    if (this.#waiters.size === 0) return;
    if (this.#lifecycle.ending) {
      this.#settle(false);
      return;
    }
    if (this.#lifecycle.state === 'never_started') return;
    if (this.#looking) {
      this.#again = true;
      return;
    }
    this.#looking = true;
    this.#again = false;
    // A microtask later, so that one burst of changes is one look.
    queueMicrotask(() => {
      void this.#reports.report('readiness', undefined).then((report) => this.#seen(report));
    });
  }

  #seen(report: HealthReport): void {
    this.#looking = false;
    if (this.#lifecycle.ending) this.#settle(false);
    else if (report.overallHealthy) this.#settle(true);
    else if (this.#again) this.look();
  }

  #settle(ready: boolean): void {
    for (const waiter of [...this.#waiters]) waiter.settle(ready);
  }

  // Also keeps the process alive while somebody waits.
  #watch(): void {
    this.#timer ??= this.#scope.clock.setTimeout(
      () => {
        this.#timer = undefined;
        if (this.#waiters.size === 0) return;
        this.#watch();
        if (this.#reports.isInline('readiness')) this.look();
      },
      LOOK_MS,
      { keepAlive: true },
    );
  }

  #rest(): void {
    if (this.#timer !== undefined) this.#scope.clock.clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
