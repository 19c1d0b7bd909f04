import { checkListener, type InstanceState, type PollerEventName, type PollerEvents } from './events.js';
import type { HealthPollerOptions, WhenRunningOptions } from './options.js';
import type { PollResult } from './poll-result.js';
import { PolledInstance } from './polled-instance.js';
import { resolvePoller, resolveWhenRunning } from './resolve.js';
import { RunningWaiters } from './running-waiters.js';
import { PollScope } from './scope.js';

/**
 * Follows the health of one instance, as a control plane or a dashboard does (seed 000, "Consumer Contract"): by WebSocket
 * where there is one, by HTTP polling where there is none or it breaks, and by WebSocket again later. What is measured is a
 * value: nothing rejects or throws for what an instance does.
 *
 * Runs in Node, Bun, Deno and browsers. Polling alone does not keep a process alive; a WebSocket that is open does, until
 * `stop()`.
 *
 * @example
 * ```ts
 * const poller = new HealthPoller({ url: 'https://worker.example/api/health' });
 * poller.on('degraded', ({ state }) => console.log('send no new traffic', state.snapshot?.phase));
 * poller.start();
 * if (await poller.whenRunning({ timeoutMs: 300_000 })) console.log('send traffic');
 * ```
 */
export class HealthPoller {
  readonly #scope: PollScope;
  readonly #instance: PolledInstance;
  readonly #waiters: RunningWaiters;
  #started = false;
  #stopped: Promise<void> = Promise.resolve();

  /** @throws HealthControllerError `invalid_option` */
  constructor(options: HealthPollerOptions) {
    const { instance, ports } = resolvePoller(options);
    this.#scope = new PollScope({ ...ports, maxConcurrent: Number.POSITIVE_INFINITY, spreads: false });
    this.#instance = new PolledInstance(this.#scope, instance);
    this.#waiters = new RunningWaiters(ports.clock);
    this.#scope.events.on('running', () => this.#waiters.settle(true));
  }

  /** What is known now. Reading asks nobody. */
  get state(): InstanceState {
    return this.#instance.state();
  }

  /** Begins at once. Does nothing where it has begun; after `stop()` it goes on with what was known. */
  start(): void {
    if (this.#started) return;
    this.#started = true;
    this.#instance.begin();
  }

  /**
   * Ends it: the try under way is left, timers are cleared, and the WebSocket is closed, for which a second is waited.
   * Resolves when all is gone. What is known stays readable. May be called again, and before `start()`. Never rejects.
   */
  stop(): Promise<void> {
    this.#started = false;
    // Also one that is still under way.
    this.#stopped = Promise.all([this.#stopped, this.#scope.end([this.#instance])]).then(() => {});
    this.#waiters.settle(false);
    return this.#stopped;
  }

  /**
   * One try by HTTP now, also while a WebSocket is in use, and whether started or not; who asks while one is under way gets
   * that one. It counts like any other. Never rejects: a try that `stop()` ends is not ok.
   */
  poll(): Promise<PollResult> {
    return this.#instance.poll();
  }

  /**
   * True as soon as the instance is running: at once where it is. False when `stop()` is called, the signal aborts or the
   * time is up. Starts nothing. Keeps the process alive. Never rejects.
   * @throws HealthControllerError `invalid_option`
   */
  whenRunning(options: WhenRunningOptions = {}): Promise<boolean> {
    const resolved = resolveWhenRunning(options);
    if (this.#instance.running) return Promise.resolve(true);
    return this.#waiters.wait(resolved);
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
}
