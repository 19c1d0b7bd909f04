import type { Controller, ServiceOption } from '../../index.js';
import { abortSignal, callable, checkValue, oneOf, readOptions, SingleFlight } from '../../kit.js';
import type { InstanceHealth, InstanceStatus } from '../../wire/instance.js';
import type { ContainerObservation } from './container.js';
import { ContainerWatch } from './container-watch.js';
import { Gatekeeper } from './gatekeeper.js';
import { healthOf, isUnsettled, type Known } from './health.js';
import { type AttachOptions, attachInstance, type InstanceParts, instanceService } from './in-controller.js';
import { type InstanceOptions, type InstanceSettings, resolveInstance, type StartOptions } from './options.js';
import type { ReadinessFinding } from './readiness-probe.js';
import { Repeater } from './repeater.js';
import { StartWaiters } from './start-waiters.js';
import { StatusModel } from './status-model.js';
import { type InstanceStatusEvent, Telling } from './telling.js';
import { TunnelSpell } from './tunnel-spell.js';
import { type TunnelObservation, TunnelWatch } from './tunnel-watch.js';

/**
 * One containerised tool and the tunnel that leads to it, observed separately (seed 003): a start that is verified and
 * gated on readiness, a health that tells the container's trouble from the tunnel's, and whether a new tunnel may help.
 *
 * It starts, restarts and recreates nothing. Nothing is asked and no timer set before `start()` or `health()`.
 *
 * @example
 * ```ts
 * const instance = new Instance({
 *   container: dockerContainer({ name: 'tool-17' }),
 *   tunnel: () => tunnels.urlOf('tool-17'),
 *   readinessProbe: defaultProbe('web', 8080),
 * });
 * const status = await instance.start(); // 'running', 'unhealthy' or 'error'
 * const { container_status, tunnel_status, can_recreate_tunnel } = await instance.health();
 * ```
 */
export class Instance {
  readonly #settings: InstanceSettings;
  readonly #telling: Telling;
  readonly #container: ContainerWatch;
  readonly #tunnel: TunnelWatch | undefined;
  readonly #spell: TunnelSpell;
  readonly #gatekeeper: Gatekeeper;
  readonly #polls: Repeater;
  readonly #tunnelPolls: Repeater | undefined;
  readonly #health = new SingleFlight<InstanceHealth>();
  readonly #starts = new StartWaiters(() => this.stop());
  #phase: 'idle' | 'observing' | 'stopped' = 'idle';
  #model: StatusModel;
  #seenContainer: ContainerObservation | undefined;
  #seenTunnel: TunnelObservation | undefined;

  /** @throws HealthControllerError `invalid_option` */
  constructor(options: InstanceOptions) {
    const settings = resolveInstance(options);
    const { clock, container, tunnel, probeTimeoutMs, tunnelIntervalMs } = settings;
    this.#settings = settings;
    this.#telling = new Telling(settings);
    this.#container = new ContainerWatch(container, probeTimeoutMs, clock, (seen) => this.#onContainer(seen));
    if (tunnel !== undefined) {
      const watch = new TunnelWatch(tunnel, probeTimeoutMs, clock, (seen) => this.#onTunnel(seen));
      this.#tunnel = watch;
      if (tunnelIntervalMs > 0) this.#tunnelPolls = new Repeater(clock, tunnelIntervalMs, () => watch.look());
    }
    this.#spell = new TunnelSpell(settings.recreate, tunnelIntervalMs / 2);
    this.#gatekeeper = new Gatekeeper(settings, {
      found: (gateNumber, finding) => this.#onFinding(gateNumber, finding),
      overdue: () => this.#step(() => this.#model.overdue(clock.now())),
    });
    this.#polls = new Repeater(clock, settings.pollIntervalMs, () => this.#container.look());
    this.#model = this.#newModel();
  }

  get name(): string {
    return this.#settings.name;
  }

  /** Where it is. Stays `pending` until `start()`, and what it was after `stop()`. */
  get status(): InstanceStatus {
    return this.#model.status;
  }

  /**
   * Verifies that the container is up, then that it is ready, and goes on observing until `stop()`. Resolves with the
   * status that it reached: `running`, `unhealthy`, `error`; after a `stop()` with what it was. Called while a start is
   * under way it joins that one; called later it verifies anew, from `pending`.
   *
   * Its clock starts with the call: the container must be up within `startupTimeoutMs`, the readiness probe pass within
   * `readinessTimeoutMs` after that; the last look at each may take `probeTimeoutMs` longer.
   *
   * Rejects only when its signal aborts, with the signal's reason; then nothing is left behind, unless another caller
   * waits for the same start.
   * @throws HealthControllerError `invalid_option`
   */
  start(options: StartOptions = {}): Promise<InstanceStatus> {
    const { signal }: StartOptions = readOptions('start()', { signal: abortSignal() }, options);
    if (signal?.aborted === true) return Promise.reject(signal.reason);
    const status = this.#starts.wait(signal);
    this.#telling.defer(() => {
      if (!this.#isStarting && this.#starts.size > 0) this.#begin();
      this.#keepAlive();
    });
    return status;
  }

  /** Ends all observation at once. What was seen last stays to be read; `start()` may be called again. */
  stop(): void {
    this.#phase = 'stopped';
    this.#rest();
    this.#starts.settle(this.status);
  }

  /**
   * Looks at the container and at the tunnel, at the same time, and tells what is known then. Callers at the same time
   * share one look. Works before `start()` too, where nothing is verified yet; after `stop()` it tells what was seen
   * last. Never rejects, and takes `probeTimeoutMs` at most, twice that when the tunnel has changed.
   */
  health(): Promise<InstanceHealth> {
    return this.#health.run(async () => {
      if (this.#phase !== 'stopped') await Promise.all([this.#container.look(), this.#tunnel?.look()]);
      return healthOf(this.#known());
    });
  }

  /** Listens. A listener that throws, rejects or never settles harms nobody. The function returned ends it. */
  on(name: 'status', listener: (event: InstanceStatusEvent) => unknown): () => void {
    checkValue('on(): the event', oneOf('status'), name);
    checkValue('on(): the listener', callable(), listener);
    return this.#telling.onStatus(listener);
  }

  /**
   * Registers its container and, where it has one, its tunnel as two readiness checks; the tunnel is not critical.
   * Liveness does not depend on either: restarting this process mends neither. The function returned unregisters them.
   * @throws HealthControllerError `invalid_option`, `duplicate_name`, `stopping`
   */
  attach(controller: Pick<Controller, 'registerCheck'>, options: AttachOptions = {}): () => void {
    return attachInstance(this.#parts(), controller, options);
  }

  /**
   * A fragment for `register`: its start is the verified startup, which fails where that ends in `error`; its status and
   * readiness are those of the container; its stop ends the observation. The container itself is not touched.
   */
  service(): ServiceOption {
    return instanceService(this.#parts(), this);
  }

  get #isStarting(): boolean {
    return this.#phase === 'observing' && (this.status === 'pending' || this.status === 'starting');
  }

  #begin(): void {
    const { clock, startupTimeoutMs } = this.#settings;
    // What was begun before may still see what is no more.
    this.#rest();
    this.#phase = 'observing';
    this.#step(() => {
      this.#model = this.#newModel();
    });
    // A listener may have stopped it.
    if (this.#phase !== 'observing') return;
    this.#polls.start(clock.now() + startupTimeoutMs);
    this.#tunnelPolls?.start();
  }

  #rest(): void {
    this.#polls.stop();
    this.#tunnelPolls?.stop();
    this.#gatekeeper.follow(undefined);
    this.#container.cancel();
    this.#tunnel?.cancel();
  }

  #newModel(): StatusModel {
    const { clock, readinessProbe } = this.#settings;
    return new StatusModel({ ...this.#settings, probed: readinessProbe !== undefined }, clock.now());
  }

  #onContainer(seen: ContainerObservation): void {
    this.#seenContainer = seen;
    if (this.#phase === 'observing') this.#step(() => this.#model.observed(seen, this.#settings.clock.now()));
  }

  async #onFinding(gateNumber: number, finding: ReadinessFinding): Promise<void> {
    if (finding.outcome === 'unvalidated') {
      // An engine that cannot execute a command because the container has just ended says it with the same code.
      const model = this.#model;
      await this.#container.lookAnew();
      const { gate } = model;
      if (this.#phase !== 'observing' || this.#model !== model) return;
      if (gate?.number !== gateNumber || gate.runningSince === undefined) return;
      this.#telling.unvalidated(finding.message);
    }
    if (finding.outcome === 'failed' && finding.message !== this.#model.gate?.lastFailure) {
      this.#telling.notReady(finding.message);
    }
    this.#step(() => this.#model.probed(gateNumber, finding));
  }

  async #onTunnel(seen: TunnelObservation): Promise<void> {
    const { clock } = this.#settings;
    this.#seenTunnel = seen;
    if (seen.renewed) {
      this.#spell.renewed(clock.now());
      await this.#container.lookAnew();
    }
    if (this.#phase === 'stopped') return;
    const known = this.#known();
    const { tunnel_status: tunnel, container_status: container } = healthOf(known);
    if (!this.#spell.note({ at: clock.now(), tunnel, container, starting: isUnsettled(known) })) return;
    this.#telling.tunnelBroken(seen.message);
  }

  /** Moves the model, and everything that follows from where it is then. */
  #step(move: () => void): void {
    const from = this.status;
    move();
    this.#gatekeeper.follow(this.#phase === 'observing' ? this.#model.gate : undefined);
    // Before listeners are told: they may start it again.
    if (this.#phase === 'observing' && !this.#isStarting) this.#starts.settle(this.status);
    if (this.status !== from) this.#telling.moved(from, this.#model.state);
    this.#keepAlive();
  }

  /** Polls only observe; those that a start waits for keep the process alive. */
  #keepAlive(): void {
    const awaited = this.#starts.size > 0;
    this.#polls.keepAlive(awaited);
    this.#gatekeeper.keepAlive(awaited);
  }

  #known(): Known {
    return {
      observed: this.#phase === 'observing',
      state: this.#model.state,
      container: this.#seenContainer,
      tunnel: this.#tunnel === undefined ? 'none' : this.#seenTunnel,
    };
  }

  #parts(): InstanceParts {
    return {
      settings: this.#settings,
      known: () => this.#known(),
      lookAtContainer: async () => (this.#phase === 'stopped' ? undefined : this.#container.look()),
      lookAtTunnel: async () => (this.#phase === 'stopped' ? undefined : this.#tunnel?.look()),
    };
  }
}
