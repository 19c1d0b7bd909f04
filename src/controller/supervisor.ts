import type { Child, DetachOptions, HealthCheck, SupervisorOptions } from '../config/options.js';
import { type ResolvedSupervisor, resolveChild, resolveDetach, resolveSupervisor } from '../config/resolve-child.js';
import { type CheckResult, degraded, healthy, unhealthy } from '../core/check-result.js';
import { CHILD_STATES, type ChildFailure, type ChildHealth } from '../core/child.js';
import { HealthControllerError, type HealthControllerErrorCode } from '../core/errors.js';
import { printable } from '../core/printable.js';
import { ChildFailures } from '../engine/child-failures.js';
import { EngineScope } from '../engine/scope.js';
import { ServiceRunner, type ServiceWatcher } from '../engine/service-runner.js';
import { Shutdown, type Stoppable } from '../engine/shutdown.js';

type SupervisorState = 'pending' | 'running' | 'stopping' | 'stopped';

/**
 * Runs children that come and go: each is started, followed and restarted as its own policy says. A child that fails for
 * good is told of and listed; the others carry on.
 *
 * Used once. It registers with a controller like any service (`controller.register('jobs', supervisor)`); a service that
 * is to survive its own restart makes a new one in its `start`.
 *
 * @example
 * ```ts
 * const jobs = new Supervisor({ onFailure: ({ name, error }) => console.error(name, error) });
 * jobs.attach({ name: 'mailer', start: ({ signal }) => sendMail(signal), restartPolicy: { maxRestarts: 5 } });
 * controller.register('jobs', jobs);
 * controller.registerCheck(jobs.healthCheck('jobs-children'));
 * ```
 */
export class Supervisor {
  readonly #options: ResolvedSupervisor;
  readonly #scope: EngineScope;
  readonly #children = new Map<string, ServiceRunner>();
  /** Those that are being detached: a stop waits for them too. */
  readonly #leaving = new Set<ServiceRunner>();
  readonly #failures = new ChildFailures();
  #state: SupervisorState = 'pending';
  #stopped: Promise<void> | undefined;

  /** @throws HealthControllerError `invalid_option` */
  constructor(options: SupervisorOptions = {}) {
    this.#options = resolveSupervisor(options);
    const { clock, random, logger } = this.#options;
    this.#scope = new EngineScope(clock, random, logger);
  }

  /**
   * Adds a child; once the supervisor runs, the child is started at once.
   * @throws HealthControllerError `invalid_option`, `duplicate_name`, `stopped`
   */
  attach(child: Child): void {
    const { settings, validError } = resolveChild(child);
    const quoted = JSON.stringify(settings.name);
    if (this.#isOver) throw refused('stopped', `attach(): child ${quoted} came after stop()`);
    if (this.#children.has(settings.name))
      throw refused('duplicate_name', `attach(): there is a child ${quoted} already`);
    const { stopTimeoutMs: stopBudgetMs } = this.#options;
    const parts = { settings, validError, statusProbe: undefined, stopBudgetMs, watcher: this.#watcher() };
    const runner = new ServiceRunner(this.#scope, parts);
    this.#children.set(settings.name, runner);
    if (this.#state === 'running') runner.start();
  }

  /**
   * Stops a child and drops it. Resolves with whether it had settled within `timeoutMs`; one that had not is left behind.
   * @throws HealthControllerError (as a rejection) `unknown_child`, `invalid_option`
   */
  async detach(name: string, options: DetachOptions = {}): Promise<boolean> {
    const timeoutMs = resolveDetach(options);
    const child = this.#children.get(name);
    if (child === undefined) {
      throw refused('unknown_child', `detach(): expected the name of a child, got ${printable(name)}`);
    }
    this.#children.delete(name);
    this.#leaving.add(child);
    const { unfinished } = await this.#halt([child], timeoutMs);
    this.#leaving.delete(child);
    return unfinished.length === 0;
  }

  /**
   * Starts all children at the same time; returns at once.
   * @throws HealthControllerError `already_started`, `stopped`
   */
  start(_context?: unknown): void {
    if (this.#isOver) throw refused('stopped', 'start(): the supervisor was stopped; it is used once');
    if (this.#state === 'running') throw refused('already_started', 'start(): the supervisor is running');
    this.#state = 'running';
    for (const child of [...this.#children.values()]) child.start();
  }

  /**
   * Stops the children, the last attached first, within `context.deadlineMs` or `stopTimeoutMs`. Rejects when children
   * had not settled by then or their stop failed, naming them. Again: the same promise.
   */
  stop(context?: { readonly deadlineMs?: number | undefined }): Promise<void> {
    if (this.#stopped === undefined) {
      this.#stopped = this.#stop(context?.deadlineMs ?? this.#options.stopTimeoutMs);
      // Who does not await it must not be ended by an unhandled rejection.
      this.#stopped.catch(() => {});
    }
    return this.#stopped;
  }

  /** Each child's health, by name. */
  health(): Readonly<Record<string, ChildHealth>> {
    const health: Record<string, ChildHealth> = Object.create(null) as Record<string, ChildHealth>;
    for (const [name, child] of this.#children) {
      const { error, panics } = child.record;
      const { restarts } = child;
      const lastError = error === undefined ? undefined : { lastError: error.value };
      health[name] = Object.freeze({ state: CHILD_STATES[child.phase], restarts, panics, ...lastError });
    }
    return Object.freeze(health);
  }

  /** A readiness probe: healthy while it runs, whatever its children do. */
  readiness(): CheckResult {
    return this.#state === 'running' ? healthy() : unhealthy(`supervisor is ${this.#state}`, undefined, this.#state);
  }

  /** A readiness check that is degraded, and names them, while children have failed: it takes nothing out of rotation. */
  healthCheck(name: string): HealthCheck {
    return { name, type: 'readiness', check: () => this.#childrenHealth() };
  }

  /**
   * Failures for good from now on, in order, until the supervisor has stopped. A reader that does not read has a
   * thousand of them waiting at most: older ones are dropped.
   */
  failures(): AsyncIterableIterator<ChildFailure> {
    return this.#failures.read();
  }

  get #isOver(): boolean {
    return this.#state === 'stopping' || this.#state === 'stopped';
  }

  #childrenHealth(): CheckResult {
    const failed = [...this.#children.values()].filter((child) => child.phase === 'gave_up').map((child) => child.name);
    if (failed.length === 0) return healthy();
    const text = `${failed.length === 1 ? 'a child has' : `${failed.length} children have`} failed: ${failed.join(', ')}`;
    return degraded(text, { failed }, 'failed');
  }

  async #stop(timeoutMs: number): Promise<void> {
    this.#state = 'stopping';
    const children = [...this.#children.values(), ...this.#leaving].reverse();
    const { unfinished, failed } = await this.#halt(children, timeoutMs);
    this.#state = 'stopped';
    this.#failures.end();
    if (unfinished.length + failed.length === 0) return;
    const late = unfinished.length === 0 ? '' : `children did not finish in time: ${unfinished.join(', ')}`;
    const broken =
      failed.length === 0 ? '' : `children whose stop failed: ${failed.map((child) => child.name).join(', ')}`;
    const message = [late, broken].filter((text) => text !== '').join('; ');
    throw new AggregateError(
      failed.map((child) => child.error),
      message,
    );
  }

  #halt(
    children: readonly ServiceRunner[],
    timeoutMs: number,
  ): Promise<{ unfinished: readonly string[]; failed: readonly { name: string; error: unknown }[] }> {
    for (const child of children) child.retire();
    return new Promise((resolve) => {
      const done = (unfinished: readonly string[]): void => {
        const failed = children.flatMap((child) =>
          child.shutdownError === undefined ? [] : [{ name: child.name, error: child.shutdownError.thrown }],
        );
        resolve({ unfinished, failed });
      };
      new Shutdown(this.#scope, children as readonly Stoppable[], timeoutMs, done).begin();
    });
  }

  #watcher(): ServiceWatcher {
    return {
      told: () => {},
      changed: () => {},
      missing: () => [],
      cameUp: () => {},
      gaveUp: (child, error) => this.#failed(child, error),
      stopping: () => {},
    };
  }

  #failed(child: ServiceRunner, error: unknown): void {
    const failure = Object.freeze({
      name: child.name,
      error,
      restarts: child.restarts,
      panicked: child.record.panicked,
    });
    this.#failures.push(failure);
    const { onFailure } = this.#options;
    if (onFailure === undefined) return;
    const complain = (fault: unknown): void => {
      this.#scope.log.error(`onFailure failed for child ${JSON.stringify(child.name)}: ${printable(fault)}`, { fault });
    };
    try {
      Promise.resolve(onFailure(failure)).then(undefined, complain);
    } catch (fault) {
      complain(fault);
    }
  }
}

function refused(code: HealthControllerErrorCode, message: string): HealthControllerError {
  return new HealthControllerError(code, message);
}
