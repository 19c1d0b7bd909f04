import type { TimerHandle } from '../../index.js';
import type { Observation } from './observation.js';
import type { Mode, Observer } from './observer.js';

/** Who gets snapshots. */
export interface StreamClient {
  /** Sends it, or drops the client where it does not keep up. Must not throw. */
  show(seen: Observation): void;
}

/**
 * The snapshots of one mode, for all who listen: one at once and one every interval. Nothing is polled while nobody
 * listens.
 */
export class SnapshotStream<Client extends StreamClient> {
  readonly clients = new Set<Client>();
  readonly #observer: Observer;
  readonly #mode: Mode;
  readonly #intervalMs: number;
  #timer: TimerHandle | undefined;
  #polling = false;
  /** What those who listen were shown last. */
  #last: Observation | undefined;
  #ended = false;

  constructor(observer: Observer, mode: Mode, intervalMs: number) {
    this.#observer = observer;
    this.#mode = mode;
    this.#intervalMs = intervalMs;
  }

  add(client: Client): void {
    this.clients.add(client);
    if (this.#last !== undefined) client.show(this.#last);
    if (this.#timer === undefined && !this.#polling) void this.#poll();
  }

  remove(client: Client): void {
    this.clients.delete(client);
    if (this.clients.size === 0) this.#rest();
  }

  /** Shows everybody one more, which starts nothing. From now on nothing is polled. */
  async end(): Promise<void> {
    this.#ended = true;
    this.#rest();
    if (this.clients.size > 0) this.#show(await this.#observer.observe('passive'));
  }

  #rest(): void {
    if (this.#timer !== undefined) this.#observer.settings.clock.clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#last = undefined;
  }

  async #poll(): Promise<void> {
    const beganAt = this.#observer.settings.clock.now();
    this.#timer = undefined;
    this.#polling = true;
    const seen = await this.#observer.observe(this.#mode);
    this.#polling = false;
    if (this.#ended || this.clients.size === 0) return;
    this.#last = seen;
    this.#show(seen);
    // It may have dropped the last one.
    if (this.clients.size > 0) this.#schedule(beganAt);
    else this.#rest();
  }

  #show(seen: Observation): void {
    for (const client of [...this.clients]) client.show(seen);
  }

  /** The next tick, counted from when the last poll began. Ticks that a slow one took are skipped. */
  #schedule(beganAt: number): void {
    const { clock } = this.#observer.settings;
    const passedMs = Math.max(0, clock.now() - beganAt);
    const delayMs = this.#intervalMs - (passedMs % this.#intervalMs);
    this.#timer = clock.setTimeout(() => void this.#poll(), delayMs, { keepAlive: false });
  }
}
