import { dependencyOrder } from '../core/dependency-order.js';
import type { StopError } from '../core/outcome.js';
import type { ServiceSettings, ValidErrorFunction } from '../core/settings.js';
import type { Lifecycle } from './lifecycle.js';
import { runStateOf } from './run-state.js';
import type { EngineScope } from './scope.js';
import { ServiceEntry } from './service-entry.js';
import { ServiceRunner, type ServiceWatcher } from './service-runner.js';

/** What all services of a controller have in common. */
export interface ServicesSettings {
  readonly validError: ValidErrorFunction | undefined;
  readonly reportRunState: boolean;
  /** How long a restart waits for a service's stop where the service says nothing. */
  readonly stopBudgetMs: number;
  /** A service whose giving up is to stop the controller has given up. */
  readonly stop: (service: string, error: unknown) => void;
}

/** The services of a controller, and what they have to do with each other: who waits for whom, who could not start. */
export class Services {
  readonly #scope: EngineScope;
  readonly #lifecycle: Lifecycle;
  readonly #settings: ServicesSettings;
  readonly #runners = new Map<string, ServiceRunner>();
  readonly #entries: ServiceEntry[] = [];
  /** Who waits for a service, by its name. */
  readonly #dependents = new Map<string, ServiceRunner[]>();
  /** Those that never came up and are not tried again. */
  readonly #unable = new Set<ServiceRunner>();
  #stopOrder: readonly ServiceRunner[] = [];
  /** Those that have come up and whose dependents have not all been told. */
  readonly #cameUpNow: ServiceRunner[] = [];

  constructor(scope: EngineScope, lifecycle: Lifecycle, settings: ServicesSettings) {
    this.#scope = scope;
    this.#lifecycle = lifecycle;
    this.#settings = settings;
  }

  /** Their places in reports. */
  get entries(): readonly ServiceEntry[] {
    return this.#entries;
  }

  /** Those that the shutdown stops: dependents before what they depend on, otherwise the last registered first. */
  get stopOrder(): readonly ServiceRunner[] {
    return this.#stopOrder;
  }

  get(name: string): ServiceRunner | undefined {
    return this.#runners.get(name);
  }

  add(settings: ServiceSettings): { readonly runner: ServiceRunner; readonly entry: ServiceEntry } {
    const { validError, reportRunState, stopBudgetMs } = this.#settings;
    const entry = new ServiceEntry(this.#scope, settings, reportRunState);
    const { statusProbe } = entry;
    const parts = { settings, validError, statusProbe, stopBudgetMs, watcher: this.#watcher(entry) };
    const runner = new ServiceRunner(this.#scope, parts);
    entry.setRunState(runStateOf(runner.phase, []));
    this.#runners.set(settings.name, runner);
    this.#entries.push(entry);
    return { runner, entry };
  }

  /** Decides who waits for whom and who stops after whom. Throws, with nothing moved, where that cannot be. */
  order(): void {
    const ordered = dependencyOrder([...this.#runners.values()]);
    this.#stopOrder = [...ordered].reverse();
    for (const service of ordered) {
      for (const name of service.dependsOn) {
        const dependents = this.#dependents.get(name);
        if (dependents === undefined) this.#dependents.set(name, [service]);
        else dependents.push(service);
      }
    }
  }

  /** Starts them at the same time. */
  start(): void {
    for (const service of [...this.#runners.values()]) {
      // A listener or a start may have begun the shutdown: what has not started then never does.
      if (this.#lifecycle.ending) return;
      service.start();
    }
  }

  /** The drain is over: supervision ends. */
  retire(): void {
    for (const service of this.#runners.values()) service.retire();
  }

  /** What the stops of the shutdown threw. */
  stopErrors(): readonly StopError[] {
    return this.#stopOrder.flatMap(({ name, shutdownError }) =>
      shutdownError === undefined ? [] : [{ service: name, error: shutdownError.thrown }],
    );
  }

  #watcher(entry: ServiceEntry): ServiceWatcher {
    return {
      told: (event) => this.#scope.events.emit('service', event),
      changed: (service) => entry.setRunState(runStateOf(service.phase, this.#missing(service))),
      missing: (service) => this.#missing(service),
      cameUp: (service) => this.#cameUp(service),
      gaveUp: (service, error) => this.#gaveUp(service, error),
      stopping: () => {
        entry.freeze();
        entry.cancel();
      },
    };
  }

  #missing(service: ServiceRunner): readonly string[] {
    return service.dependsOn.filter((name) => {
      const phase = this.#runners.get(name)?.phase;
      return phase !== 'up' && phase !== 'completed';
    });
  }

  #cameUp(service: ServiceRunner): void {
    if (this.#unable.delete(service) && this.#unable.size === 0) this.#lifecycle.to('running');
    // With a queue: in a chain of a thousand, each calling the next would overflow the stack.
    this.#cameUpNow.push(service);
    if (this.#cameUpNow.length > 1) return;
    for (const up of this.#cameUpNow) {
      for (const dependent of this.#dependents.get(up.name) ?? []) {
        if (!this.#lifecycle.ending) dependent.lookAgain();
      }
    }
    this.#cameUpNow.length = 0;
  }

  #gaveUp(service: ServiceRunner, error: unknown): void {
    if (!service.everUp) {
      this.#unable.add(service);
      this.#lifecycle.to('unable_to_start');
    }
    if (service.settings.stopOnGiveUp !== undefined) this.#settings.stop(service.name, error);
  }
}
