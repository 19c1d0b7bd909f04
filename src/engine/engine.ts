import { HealthControllerError } from '../core/errors.js';
import { makeOutcome, NOT_STARTED, type Outcome, type ShutdownReason } from '../core/outcome.js';
import { printable } from '../core/printable.js';
import type { HealthReport } from '../core/report.js';
import type { ReportKind } from '../core/report-kind.js';
import type { CheckSettings, LifecycleSettings, ServiceSettings } from '../core/settings.js';
import { CheckEntry } from './check-entry.js';
import { Holds } from './holds.js';
import { Lifecycle } from './lifecycle.js';
import { Poller } from './poll-task.js';
import { ReadinessWaiters } from './readiness-waiters.js';
import type { TakeReport } from './report-view.js';
import { type NameFilter, Reports } from './reports.js';
import type { EngineScope } from './scope.js';
import type { ServiceRunner } from './service-runner.js';
import { Services } from './services.js';
import { Shutdown } from './shutdown.js';
import { StopTriggers } from './stop-triggers.js';

/** Moves everything that a controller is made of. */
export class Engine {
  readonly scope: EngineScope;
  readonly lifecycle: Lifecycle;
  readonly waiters: ReadinessWaiters;
  readonly #settings: LifecycleSettings;
  readonly #parent: AbortSignal | undefined;
  readonly #reports: Reports;
  readonly #holds: Holds;
  readonly #names = new Set<string>();
  readonly #services: Services;
  readonly #triggers: StopTriggers;
  readonly #checks = new Map<string, CheckEntry>();
  readonly #abort = new AbortController();
  readonly #ended: Promise<Outcome>;
  #end: (outcome: Outcome) => void = () => {};
  #poller: Poller | undefined;
  /** Inside a listener: a start that comes when the dispatch has ended. */
  #startAsked = false;
  #maintenance: string | undefined;

  constructor(scope: EngineScope, settings: LifecycleSettings, parent: AbortSignal | undefined) {
    this.scope = scope;
    this.#settings = settings;
    this.#parent = parent;
    this.lifecycle = new Lifecycle(scope);
    this.#holds = new Holds(scope);
    const { validError, reportRunState, shutdownTimeoutMs: stopBudgetMs } = settings;
    const stop = (service: string, error: unknown): void => this.#begin({ cause: 'gave_up', service, error });
    this.#services = new Services(scope, this.lifecycle, { validError, reportRunState, stopBudgetMs, stop });
    this.#triggers = new StopTriggers(
      scope,
      () => this.lifecycle.ending,
      (why) => this.#begin(why),
    );
    this.#reports = new Reports(scope, () => ({
      state: this.lifecycle.state,
      maintenance: this.#maintenance !== undefined,
    }));
    this.waiters = new ReadinessWaiters(scope, this.#reports, this.lifecycle);
    scope.changed = (kinds) => {
      this.#reports.changed(kinds);
      this.waiters.look();
    };
    this.#ended = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  get maintenance(): string | undefined {
    return this.#maintenance;
  }

  service(name: string): ServiceRunner | undefined {
    return this.#services.get(name);
  }

  check(name: string): CheckEntry | undefined {
    return this.#checks.get(name);
  }

  register(settings: ServiceSettings): void {
    this.#claim(settings.name);
    const { runner, entry } = this.#services.add(settings);
    this.#reports.add(entry, 'service');
    if (this.lifecycle.state === 'never_started') return;
    if (this.lifecycle.state === 'stopped') entry.freeze();
    this.scope.log.warn(`service ${JSON.stringify(settings.name)} was registered after start(): it is never started`);
    runner.leaveAlone();
  }

  registerCheck(settings: CheckSettings): CheckEntry {
    if (this.lifecycle.ending) {
      throw new HealthControllerError(
        'stopping',
        `registerCheck: check ${JSON.stringify(settings.name)} came after the shutdown had begun`,
      );
    }
    this.#claim(settings.name);
    const { name, timeoutMs, intervalMs } = settings;
    if (intervalMs > 0 && timeoutMs > 2 * intervalMs) {
      this.scope.log.warn(
        `health check ${JSON.stringify(name)}: timeoutMs ${timeoutMs} is above two intervals of ${intervalMs} ms, so that a slow run makes its result stale`,
        { name, timeoutMs, intervalMs },
      );
    }
    const entry = new CheckEntry(this.scope, settings);
    this.#checks.set(name, entry);
    this.#reports.add(entry, 'check');
    if (intervalMs > 0) this.#poller?.begin([entry]);
    return entry;
  }

  unregisterCheck(entry: CheckEntry): void {
    if (entry.removed) return;
    entry.remove();
    entry.poll?.end();
    this.#checks.delete(entry.name);
    this.#names.delete(entry.name);
    this.#reports.removeCheck(entry);
    this.waiters.look();
  }

  start(): void {
    this.#startAsked = true;
    this.scope.events.defer(() => this.#start());
  }

  /** Restarts a service by hand. Rejects with `unknown_service`, `not_running` or `restart_failed`. */
  restart(name: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.scope.events.defer(() => {
        const refused = this.#refuseRestart(name);
        if (refused !== undefined) reject(refused);
        else this.#services.get(name)?.restart().then(resolve, reject);
      });
    });
  }

  /** Begins the shutdown, unless it has begun. Inside a listener it begins when the dispatch has ended. */
  stop(why: ShutdownReason): Promise<Outcome> {
    if (this.lifecycle.state === 'never_started' && !this.#startAsked) return Promise.resolve(NOT_STARTED);
    this.#begin(why);
    return this.#ended;
  }

  wait(): Promise<Outcome> {
    return this.#ended;
  }

  report(kind: ReportKind, filter: NameFilter | undefined): Promise<HealthReport> {
    return this.#reports.report(kind, filter);
  }

  observe(kind: ReportKind, take: TakeReport): void {
    this.#reports.observe(kind, take);
  }

  names(kind: ReportKind): readonly string[] {
    return this.#reports.names(kind);
  }

  setMaintenance(maintenance: string | undefined): void {
    if (maintenance === this.#maintenance) return;
    this.#maintenance = maintenance;
    const text = maintenance === undefined ? 'maintenance is over' : `in maintenance: ${maintenance}`;
    this.scope.log.info(`readiness: ${text}`);
    this.scope.changed(['readiness']);
  }

  hold(name: string): () => void {
    return this.#holds.hold(name);
  }

  #refuseRestart(name: string): HealthControllerError | undefined {
    if (this.#services.get(name) === undefined) {
      const message = `restart(): expected the name of a registered service, got ${printable(name)}`;
      return new HealthControllerError('unknown_service', message);
    }
    const { state } = this.lifecycle;
    if (state === 'running' || state === 'unable_to_start') return undefined;
    const message = `restart(${JSON.stringify(name)}): expected the controller to be running, it is ${state}`;
    return new HealthControllerError('not_running', message);
  }

  #claim(name: string): void {
    if (this.#names.has(name)) {
      throw new HealthControllerError(
        'duplicate_name',
        `the name ${JSON.stringify(name)} is taken: names are unique across services and checks`,
      );
    }
    this.#names.add(name);
  }

  #start(): void {
    if (this.lifecycle.state === 'never_started') {
      this.#startAsked = false;
      this.#services.order();
    }
    if (!this.lifecycle.to('running')) {
      this.scope.log.warn(`start() has no effect: the controller is ${this.lifecycle.state}`);
      return;
    }
    this.#triggers.listen(this.#settings.signals, this.#parent);
    this.#services.start();
    if (this.lifecycle.ending) return;
    this.#poller = new Poller(this.scope);
    this.#poller.begin([...this.#checks.values()].filter((entry) => entry.poll !== undefined));
  }

  #begin(why: ShutdownReason): void {
    this.scope.events.defer(() => {
      if (this.lifecycle.to('stopping')) this.#shutDown(why);
    });
  }

  #shutDown(why: ShutdownReason): void {
    const begunAt = this.scope.clock.now();
    const { drainDelayMs, holdTimeoutMs, shutdownTimeoutMs } = this.#settings;
    this.#holds.drain(drainDelayMs, holdTimeoutMs, (held) => {
      this.#abort.abort(new HealthControllerError('shutdown', 'the controller is shutting down'));
      this.#services.retire();
      const shutdown = new Shutdown(this.scope, this.#services.stopOrder, shutdownTimeoutMs, (unfinished) => {
        this.#stopped(why, [...held.map((name) => `hold:${name}`), ...unfinished], begunAt);
      });
      shutdown.begin();
    });
  }

  #stopped(why: ShutdownReason, unfinished: readonly string[], begunAt: number): void {
    this.#poller?.end();
    const sources = [...this.#checks.values(), ...this.#services.entries];
    for (const source of sources) source.freeze();
    this.#triggers.release();
    for (const name of unfinished) this.scope.log.error(`${JSON.stringify(name)} did not finish in time`);
    const outcome = makeOutcome(why, unfinished, this.#services.stopErrors(), this.scope.clock.now() - begunAt);
    this.lifecycle.to('stopped');
    // Reports that still wait are delivered now, and say so.
    for (const source of sources) source.cancel();
    this.#end(outcome);
  }
}
