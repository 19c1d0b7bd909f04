import type { HealthHandler } from '../../http/node.js';
import { type CheckHandle, type Controller, HealthControllerError } from '../../index.js';
import { callable, checkValue, oneOf } from '../../kit.js';
import { Endpoint, NOT_CHECKED, NOT_READY, REPLACED, STOPPED } from './endpoint.js';
import { type ServicesHandlerOptions, servicesHandler } from './handler.js';
import { Observer } from './observer.js';
import type {
  AttachOptions,
  ExposedService,
  ExposeRequest,
  SandboxHandle,
  SandboxServicesEvents,
  SandboxServicesOptions,
  ServiceEndpoint,
  ServiceFilter,
  ServiceIdentity,
} from './options.js';
import {
  resolveAttach,
  resolveExpose,
  resolveFilter,
  resolveIdentity,
  resolveRuntime,
  resolveSandbox,
  resolveSettings,
  resolveUrl,
} from './resolve.js';
import { Sandboxes } from './sandboxes.js';
import { judgeServices } from './services-check.js';

/**
 * The health of HTTP services that sandboxes expose: observed continuously while a sandbox is ready, kept in memory,
 * and honest about what is not known (seed 001). It is observational: it neither gates traffic nor restarts anything.
 *
 * Observation begins with `sandbox(…).ready(…)`, needs no controller, and never keeps the process alive.
 *
 * @example
 * ```ts
 * const services = new SandboxServices();
 * services.expose({ workspace: 'team', sandbox: 'codex', port: 8080, readinessCheck: { path: '/readyz' } });
 * services.sandbox('team', 'codex').ready('runtime-1');
 * services.on('change', ({ to, service }) => console.log(service.url, to, service.health.message));
 * ```
 */
export class SandboxServices {
  readonly #observer: Observer;
  readonly #sandboxes = new Sandboxes();
  #stopped: Promise<void> | undefined;

  /** @throws HealthControllerError `invalid_option` */
  constructor(options: SandboxServicesOptions = {}) {
    this.#observer = new Observer(resolveSettings(options));
  }

  /**
   * Exposes a service, or changes one that is exposed. With the same configuration nothing changes; with another one
   * what was known is forgotten. Where its sandbox is ready, the first check is at once.
   * @throws HealthControllerError `invalid_option`, `stopped`
   */
  expose(request: ExposeRequest): ExposedService {
    const { settings } = this.#observer;
    const asked = resolveExpose(request, settings.relayed);
    if (this.#stopped !== undefined) {
      throw new HealthControllerError(
        'stopped',
        'expose(): expected services that are observed, but stop() was called',
      );
    }
    const { workspace, sandbox: name, service } = asked;
    const kept = this.#sandboxes.find(workspace, name)?.endpoints.get(service)?.config.readinessCheck;
    const config = Object.freeze(
      asked.readinessCheck === undefined && kept !== undefined ? { ...asked, readinessCheck: kept } : asked,
    );
    const url = resolveUrl(config, settings);
    const sandbox = this.#sandboxes.make(workspace, name);
    const known = sandbox.endpoints.get(service);
    const endpoint = known ?? new Endpoint(this.#observer, config, url);
    if (known === undefined) {
      sandbox.endpoints.set(service, endpoint);
      if (sandbox.runtimeId !== undefined) endpoint.begin(sandbox.runtimeId, NOT_CHECKED);
    } else if (!isSame(known.config, config)) known.configure(config, url);
    this.#observer.tell();
    return endpoint.service();
  }

  /**
   * What is known of a service; undefined where it is not exposed. Starts nothing and changes nothing.
   * @throws HealthControllerError `invalid_option`
   */
  get(identity: ServiceIdentity): ExposedService | undefined {
    const { workspace, sandbox, service } = resolveIdentity('get()', identity);
    return this.#sandboxes.find(workspace, sandbox)?.endpoints.get(service)?.service();
  }

  /**
   * What is known of all services, or of those of a workspace or sandbox. Starts nothing and changes nothing.
   * @throws HealthControllerError `invalid_option`
   */
  list(filter: ServiceFilter = {}): ExposedService[] {
    return this.#sandboxes.list(resolveFilter('list()', filter));
  }

  /**
   * Exposes a service no more; everything of it ends, its readiness check included. Returns whether there was one.
   * @throws HealthControllerError `invalid_option`
   */
  remove(identity: ServiceIdentity): boolean {
    const { workspace, sandbox: name, service } = resolveIdentity('remove()', identity);
    const sandbox = this.#sandboxes.find(workspace, name);
    const endpoint = sandbox?.endpoints.get(service);
    if (sandbox === undefined || endpoint === undefined) return false;
    sandbox.endpoints.delete(service);
    this.#sandboxes.tidy(sandbox);
    endpoint.close();
    this.#observer.tell();
    return true;
  }

  /**
   * Where the sandbox's runtime tells how it is. May be called before anything of it is exposed.
   * @throws HealthControllerError `invalid_option`
   */
  sandbox(workspace: string, name: string): SandboxHandle {
    resolveSandbox(workspace, name);
    return Object.freeze({
      ready: (runtimeId: string) => this.#ready(workspace, name, resolveRuntime(runtimeId)),
      notReady: () => this.#notReady(workspace, name),
      gone: () => this.#gone(workspace, name),
    });
  }

  /**
   * Ends all observation; resolves when no timer and no connection is left. What is known stays readable, and grows
   * too old to be trusted. Called again: the same promise. Never rejects.
   */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  /** Listens. A listener that throws, rejects or never settles harms nobody. The function returned ends it. */
  on<Name extends keyof SandboxServicesEvents>(
    name: Name,
    listener: (event: SandboxServicesEvents[Name]) => unknown,
  ): () => void {
    checkListener(name, listener);
    return this.#observer.events.on(name, listener);
  }

  /** Listens to the next event only. */
  once<Name extends keyof SandboxServicesEvents>(
    name: Name,
    listener: (event: SandboxServicesEvents[Name]) => unknown,
  ): () => void {
    checkListener(name, listener);
    return this.#observer.events.once(name, listener);
  }

  off<Name extends keyof SandboxServicesEvents>(
    name: Name,
    listener: (event: SandboxServicesEvents[Name]) => unknown,
  ): void {
    checkListener(name, listener);
    this.#observer.events.off(name, listener);
  }

  /**
   * Registers one check with a controller, `sandbox-services`: a reading of what is known, with the states in its data.
   * It is `DEGRADED` while any service is unhealthy or unknown, or `ERROR` with `gate`. Ends nothing at the
   * controller's stop: call {@link SandboxServices.stop} from a service's stop.
   * @throws HealthControllerError `invalid_option`, and what `registerCheck` throws
   */
  attach(controller: Pick<Controller, 'registerCheck'>, options: AttachOptions = {}): CheckHandle {
    const { gate } = resolveAttach(options);
    return controller.registerCheck({
      name: 'sandbox-services',
      check: () => judgeServices(this.#sandboxes.list({}), gate),
    });
  }

  /**
   * A handler for a `node:http` server, `(request, response) => boolean`: whether it took the request. It lists the
   * services with their health and labels as JSON. Whoever may ask may see it all: ask for authorization before it.
   * @throws HealthControllerError `invalid_option`
   */
  handler(options: ServicesHandlerOptions = {}): HealthHandler {
    return servicesHandler((filter) => this.#sandboxes.list(filter), options);
  }

  #ready(workspace: string, name: string, runtimeId: string): void {
    const sandbox = this.#sandboxes.make(workspace, name);
    if (sandbox.runtimeId === runtimeId) return;
    const because = sandbox.runtimeId === undefined ? NOT_CHECKED : REPLACED;
    sandbox.runtimeId = runtimeId;
    for (const endpoint of [...sandbox.endpoints.values()]) {
      // A relay or an abort listener may have said something else meanwhile.
      if (sandbox.runtimeId !== runtimeId || !sandbox.endpoints.has(endpoint.config.service)) continue;
      if (this.#stopped === undefined) endpoint.begin(runtimeId, because);
      else endpoint.end(STOPPED);
    }
    this.#sandboxes.tidy(sandbox);
    this.#observer.tell();
  }

  #notReady(workspace: string, name: string): void {
    const sandbox = this.#sandboxes.find(workspace, name);
    if (sandbox === undefined || sandbox.runtimeId === undefined) return;
    sandbox.runtimeId = undefined;
    this.#sandboxes.tidy(sandbox);
    for (const endpoint of [...sandbox.endpoints.values()]) {
      if (sandbox.runtimeId === undefined) endpoint.end(NOT_READY);
    }
    this.#observer.tell();
  }

  #gone(workspace: string, name: string): number {
    const sandbox = this.#sandboxes.find(workspace, name);
    if (sandbox === undefined) return 0;
    const endpoints = [...sandbox.endpoints.values()];
    sandbox.runtimeId = undefined;
    sandbox.endpoints.clear();
    this.#sandboxes.tidy(sandbox);
    for (const endpoint of endpoints) endpoint.close();
    this.#observer.tell();
    return endpoints.length;
  }

  async #stop(): Promise<void> {
    const { slots, wheel, settings } = this.#observer;
    slots.close();
    for (const endpoint of this.#sandboxes.endpoints({})) endpoint.close();
    wheel.clear();
    // A socket that was destroyed is closed at the end of this turn.
    await new Promise<void>((resolve) => settings.clock.nextTurn(resolve));
  }
}

function isSame(one: ServiceEndpoint, other: ServiceEndpoint): boolean {
  return one.host === other.host && one.port === other.port && one.readinessCheck?.path === other.readinessCheck?.path;
}

function checkListener(name: unknown, listener: unknown): void {
  checkValue('on(): the event', oneOf('change'), name);
  checkValue(`on(): the listener of "${String(name)}"`, callable(), listener);
}
