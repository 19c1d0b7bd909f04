import type { ControllerOptions, HealthCheck, ReportOptions, WhenReadyOptions } from '../config/options.js';
import {
  checkListener,
  resolveCheck,
  resolveController,
  resolveHold,
  resolveMaintenance,
  resolveReport,
  resolveWhenReady,
} from '../config/resolve.js';
import { resolveService } from '../config/resolve-service.js';
import type { ControllerEventName, ControllerEvents } from '../core/events.js';
import type { LifecycleState } from '../core/lifecycle.js';
import type { Outcome } from '../core/outcome.js';
import { printable } from '../core/printable.js';
import type { HealthReport } from '../core/report.js';
import type { ReportKind } from '../core/report-kind.js';
import type { ServiceInfo } from '../core/service-info.js';
import type { CheckSnapshot } from '../engine/check-entry.js';
import { Engine } from '../engine/engine.js';
import type { TakeReport } from '../engine/report-view.js';
import { EngineScope } from '../engine/scope.js';
import type { ServiceOption } from './service-options.js';

/** A registered check. */
export interface CheckHandle {
  readonly name: string;
  /** How many ticks found its last run still under way and ran nothing. */
  readonly skippedTicks: number;
  /** Ends its timers, aborts its run and drops its entry. Doing it again does nothing. */
  unregister(): void;
}

/** Set once, by the class below, which alone sees the inside of its instances. */
let observe: (reporter: Record<ReportKind, unknown>, kind: ReportKind, take: TakeReport) => boolean;

/**
 * Asks a controller for a report that is made only where it is read: what handlers answer is the same bytes most of the
 * time. Says false, and has done nothing, where the reporter is something else.
 */
export function observeReport(reporter: Record<ReportKind, unknown>, kind: ReportKind, take: TakeReport): boolean {
  return observe(reporter, kind, take);
}

/**
 * Watches over the parts of one process: services with probes, and standalone checks. Starts and stops them, and
 * answers the three questions: status (what is wrong?), liveness (restart me?) and readiness (send me traffic?).
 *
 * It is used once: after `stop()` it stays stopped. Nothing that is measured is ever thrown; wrong options and names
 * throw a {@link HealthControllerError}. It starts no timer and touches nothing of the process before `start()`.
 *
 * @example
 * ```ts
 * const controller = new Controller({ signals: true, drainDelayMs: 5000, reportRunState: true });
 * controller.register('api', { start: () => api.listen(), stop: () => api.close() });
 * controller.registerCheck({ name: 'db', check: () => pool.query('select 1'), intervalMs: 5000, timeoutMs: 1000 });
 * controller.start();
 * process.exitCode = (await controller.wait()).exitCode;
 * ```
 */
export class Controller {
  static {
    observe = (reporter, kind, take) => {
      // One whose method was replaced, by a subclass or a test, answers as that method says.
      if (!(#engine in reporter) || reporter[kind] !== Controller.prototype[kind]) return false;
      reporter.#engine.observe(kind, take);
      return true;
    };
  }

  readonly #engine: Engine;

  /** @throws HealthControllerError `invalid_option` */
  constructor(options: ControllerOptions = {}) {
    const { clock, random, logger, lifecycle, parent } = resolveController(options);
    this.#engine = new Engine(new EngineScope(clock, random, logger), lifecycle, parent);
  }

  get state(): LifecycleState {
    return this.#engine.lifecycle.state;
  }

  /** Aborted when the drain is over and stopping begins, with a `HealthControllerError` of code `shutdown`. */
  get signal(): AbortSignal {
    return this.#engine.signal;
  }

  /** What `setMaintenance` said, while it holds. */
  get maintenance(): string | undefined {
    return this.#engine.maintenance;
  }

  /**
   * Registers a service under a name of its own; options are merged, later ones winning. Meant for before `start()`:
   * afterwards it is accepted with a warning and an event, is never started, and stands in reports by its probes.
   * @throws HealthControllerError `invalid_option`, `duplicate_name`
   */
  register(name: string, ...options: readonly ServiceOption[]): void {
    this.#engine.register(resolveService(name, options));
  }

  /**
   * Registers a check. Works until the shutdown begins; a polled check registered while running runs at once.
   * @throws HealthControllerError `invalid_option`, `duplicate_name`, `stopping`
   */
  registerCheck(check: HealthCheck): CheckHandle {
    const engine = this.#engine;
    const entry = engine.registerCheck(resolveCheck(check));
    return Object.freeze({
      name: entry.name,
      get skippedTicks() {
        return entry.skippedTicks;
      },
      unregister: () => engine.unregisterCheck(entry),
    });
  }

  /**
   * Starts all services at the same time and begins to poll; returns at once. A second call, or one after the shutdown
   * has begun, logs a warning and does nothing. Called inside a listener it takes effect when the dispatch has ended.
   * @throws HealthControllerError `unknown_dependency`, `dependency_cycle`: nothing has been started then
   */
  start(): void {
    this.#engine.start();
  }

  /**
   * Restarts a service by hand, also after it has given up: clears its count, brings it down if it is up, starts it.
   * Resolves when the new run is up or completed. The last one that was unable to start, started cleanly, leads the
   * controller back to `running`. Keeps the process alive while it is awaited.
   * @throws HealthControllerError (as a rejection) `unknown_service`, `not_running` (the controller), `restart_failed`
   * with the cause
   */
  restart(name: string): Promise<void> {
    return this.#engine.restart(name);
  }

  /**
   * Shuts down: readiness is false at once, then the drain, then each service's stop. Never rejects and need not be
   * awaited. Under way or done: the same outcome. Before `start()`: resolves with the cause `not_started`, and the
   * controller can still be started. `reason` is shown in the outcome.
   */
  stop(reason?: string): Promise<Outcome> {
    return this.#engine.stop({ cause: 'stop', ...(reason === undefined ? undefined : { reason: printable(reason) }) });
  }

  /** The shutdown's end, whoever began it. Never rejects. Keeps nothing alive by itself. */
  wait(): Promise<Outcome> {
    return this.#engine.wait();
  }

  /**
   * Resolves with true at the first healthy readiness; with false when aborted, timed out, or when the controller is
   * stopping. Never rejects. Keeps the process alive while it waits.
   * @throws HealthControllerError `invalid_option`
   */
  whenReady(options: WhenReadyOptions = {}): Promise<boolean> {
    const { signal, timeoutMs } = resolveWhenReady(options);
    return this.#engine.waiters.wait(signal, timeoutMs);
  }

  /** What is wrong? Every service and every check; gates nothing. Never rejects. */
  status(options?: ReportOptions): Promise<HealthReport> {
    return this.#report('status', options);
  }

  /** Is this process alive? Not gated by the lifecycle: a draining process must not be killed. Never rejects. */
  liveness(options?: ReportOptions): Promise<HealthReport> {
    return this.#report('liveness', options);
  }

  /** Can it take traffic? True only while `running` and not in maintenance. Never rejects. */
  readiness(options?: ReportOptions): Promise<HealthReport> {
    return this.#report('readiness', options);
  }

  /** The names of a report's entries, in order, without running anything. */
  names(kind: ReportKind): readonly string[] {
    return this.#engine.names(kind);
  }

  /** What is known of a service; undefined for an unknown name. */
  serviceInfo(name: string): ServiceInfo | undefined {
    return this.#engine.service(name)?.info();
  }

  /** The last result of a check; undefined for an unknown name, or before the first. */
  checkResult(name: string): CheckSnapshot | undefined {
    return this.#engine.check(name)?.snapshot();
  }

  /** Closes readiness, with a text that says why, until it is called with false. */
  setMaintenance(maintenance: string | boolean): void {
    this.#engine.setMaintenance(resolveMaintenance(maintenance));
  }

  /**
   * Holds the drain up until the function returned is called, or for `holdTimeoutMs` at most; what is not released by
   * then is named in the outcome as `hold:<name>`. Taken after the drain it holds up nothing.
   */
  hold(name: string): () => void {
    return this.#engine.hold(resolveHold(name));
  }

  /** Listens. A listener that throws, rejects or never settles harms nobody. The function returned ends it. */
  on<Name extends ControllerEventName>(name: Name, listener: (event: ControllerEvents[Name]) => unknown): () => void {
    checkListener(name, listener);
    return this.#engine.scope.events.on(name, listener);
  }

  /** Listens to the next event only. */
  once<Name extends ControllerEventName>(name: Name, listener: (event: ControllerEvents[Name]) => unknown): () => void {
    checkListener(name, listener);
    return this.#engine.scope.events.once(name, listener);
  }

  off<Name extends ControllerEventName>(name: Name, listener: (event: ControllerEvents[Name]) => unknown): void {
    checkListener(name, listener);
    this.#engine.scope.events.off(name, listener);
  }

  #report(kind: ReportKind, options: ReportOptions | undefined): Promise<HealthReport> {
    return this.#engine.report(kind, options === undefined ? undefined : resolveReport(`${kind}()`, options));
  }
}
