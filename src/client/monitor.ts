import { HealthControllerError } from '../index.js';
import { checkListener, type InstanceState, type PollerEventName, type PollerEvents } from './events.js';
import type { HealthMonitorOptions, MonitoredInstance } from './options.js';
import { PolledInstance } from './polled-instance.js';
import { resolveMonitor, resolveMonitored } from './resolve.js';
import { PollScope } from './scope.js';
import type { PollSettings } from './settings.js';

/**
 * Follows the health of many instances, each by the rules of {@link HealthPoller}, which may come and go while it runs. All
 * of them share one timer and a bounded number of tries at a time. By HTTP polling, unless `webSocket` says otherwise.
 *
 * For more than one machine can poll: {@link pollOnce} and {@link recordPoll} in the jobs of a queue.
 *
 * @example
 * ```ts
 * const monitor = new HealthMonitor();
 * monitor.on('lost', ({ instance }) => console.log('re-deploy', instance));
 * monitor.add({ id: 'alpha', url: 'https://alpha.example' });
 * monitor.start();
 * ```
 */
export class HealthMonitor {
  readonly #scope: PollScope;
  readonly #shared: PollSettings;
  readonly #instances = new Map<string, PolledInstance>();
  /** Those that are removed or stopped, and not yet gone. */
  readonly #ending = new Set<Promise<void>>();
  #started = false;

  /** @throws HealthControllerError `invalid_option` */
  constructor(options: HealthMonitorOptions = {}) {
    const { poll, ports } = resolveMonitor(options);
    this.#shared = poll;
    this.#scope = new PollScope({ ...ports, spreads: true });
  }

  /** How many instances there are. */
  get size(): number {
    return this.#instances.size;
  }

  /**
   * Adds an instance. Once started, its first try is at once, as soon as there is a place for it; the second comes at any
   * time within an interval, so that what was added together does not stay together.
   * @throws HealthControllerError `invalid_option`, `duplicate_name`
   */
  add(instance: MonitoredInstance): InstanceState {
    const settings = resolveMonitored(instance, this.#shared);
    const { id } = settings;
    if (this.#instances.has(id)) {
      const sentence = `add(): option "id": expected an id that is not taken, got ${JSON.stringify(id)}`;
      throw new HealthControllerError('duplicate_name', sentence);
    }
    const added = new PolledInstance(this.#scope, settings);
    this.#instances.set(id, added);
    if (this.#started) added.begin();
    return added.state();
  }

  /** Forgets an instance; its try under way is left, and its WebSocket closed. Whether there was one. */
  remove(id: string): boolean {
    const instance = this.#instances.get(id);
    if (instance === undefined) return false;
    this.#instances.delete(id);
    this.#end(instance.end());
    return true;
  }

  /** What is known of an instance; undefined where there is none of that id. Reading asks nobody. */
  get(id: string): InstanceState | undefined {
    return this.#instances.get(id)?.state();
  }

  /** What is known of all instances, in the order in which they were added. Reading asks nobody. */
  list(): InstanceState[] {
    return Array.from(this.#instances.values(), (instance) => instance.state());
  }

  /** Begins with all of them. Does nothing where it has begun; after `stop()` it goes on with what was known. */
  start(): void {
    if (this.#started) return;
    this.#started = true;
    for (const instance of this.#instances.values()) instance.begin();
  }

  /**
   * Ends all tries, timers and WebSockets; resolves when they are gone, those of instances that were removed too. What is
   * known stays readable, and instances can still be added. May be called again, and before `start()`. Never rejects.
   */
  async stop(): Promise<void> {
    if (this.#started) {
      this.#started = false;
      this.#end(this.#scope.end(this.#instances.values()));
    }
    await Promise.all(this.#ending);
  }

  /** Listens. A listener that throws, rejects or never settles harms nobody. The function returned ends it. */
  on<Name extends PollerEventName>(name: Name, listener: (event: PollerEvents[Name]) => unknown): () => void {
    checkListener(name, listener);
    return this.#scope.events.on(name, listener);
  }

  /** Listens to the next event only. */
  once<Name extends PollerEventName>(name: Name, listener: (event: PollerEvents[Name]) => unknown): () => void {
    checkListener(name, listener);
    return this.#scope.events.once(name, listener);
  }

  off<Name extends PollerEventName>(name: Name, listener: (event: PollerEvents[Name]) => unknown): void {
    checkListener(name, listener);
    this.#scope.events.off(name, listener);
  }

  #end(ended: Promise<void>): void {
    this.#ending.add(ended);
    void ended.then(() => this.#ending.delete(ended));
  }
}
