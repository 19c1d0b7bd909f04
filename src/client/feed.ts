import { jitteredTick, type Waiting } from '../kit.js';
import type { GatewaySnapshot } from '../wire/gateway.js';
import { type PollScope, ScopeTask } from './scope.js';
import { type InstanceSettings, retryDelayMs } from './settings.js';
import { SnapshotSocket, type SocketListener } from './snapshot-socket.js';

/** Who is fed. */
export interface FeedOwner {
  readonly settings: InstanceSettings;
  fed(snapshot: GatewaySnapshot): void;
  /** The feed brings nothing any more, or nothing yet, and tries again later. */
  unfed(why: string): void;
}

/** An upgrade is answered at once, whatever the snapshot takes. */
const CONNECT_TIMEOUT_MS = 5000;
/** As everywhere, older than three intervals is stale. */
const SILENT_INTERVALS = 3;

/**
 * The snapshots of one instance by WebSocket. What breaks, floods or falls silent is dropped, and tried again after a
 * backoff that begins with one interval.
 */
export class Feed extends ScopeTask implements Waiting, SocketListener {
  /** Why it is not in use. */
  error: string | undefined;
  readonly #scope: PollScope;
  readonly #owner: FeedOwner;
  #at: 'off' | 'queued' | 'connecting' | 'open' | 'live' | 'resting' = 'off';
  #socket: SnapshotSocket | undefined;
  #failures = 0;

  constructor(scope: PollScope, owner: FeedOwner) {
    super();
    this.#scope = scope;
    this.#owner = owner;
  }

  /** Whether a snapshot has come by the present connection. */
  get live(): boolean {
    return this.#at === 'live';
  }

  begin(): void {
    this.#at = 'queued';
    this.#scope.slots.take(this);
  }

  /** Resolves when its socket is closed. */
  async end(): Promise<void> {
    const before = this.#at;
    this.#at = 'off';
    this.error = undefined;
    this.#failures = 0;
    this.#scope.wheel.remove(this);
    if (before === 'queued') this.#scope.slots.forget(this);
    if (before === 'connecting') this.#scope.slots.giveBack();
    const socket = this.#socket;
    this.#socket = undefined;
    await socket?.leave();
  }

  admitted(): void {
    const { clock, wheel } = this.#scope;
    const { target, headers, poll } = this.#owner.settings;
    this.#at = 'connecting';
    const socket = new SnapshotSocket(clock, this);
    this.#socket = socket;
    const made = poll.webSocket !== undefined && socket.open(poll.webSocket, target.socketUrl ?? '', headers);
    if (made) {
      wheel.add(this, clock.now() + Math.min(CONNECT_TIMEOUT_MS, poll.timeoutMs), 0);
      return;
    }
    // Never within this call, which has taken the place.
    queueMicrotask(() => {
      if (this.#socket === socket) this.gone('none can be made, or none that sends headers');
    });
  }

  opened(): void {
    if (this.#at !== 'connecting') return;
    this.#at = 'open';
    this.#expect();
    this.#scope.slots.giveBack();
  }

  snapshot(snapshot: GatewaySnapshot): void {
    if (this.#at !== 'open' && this.#at !== 'live') return;
    this.#at = 'live';
    this.error = undefined;
    this.#failures = 0;
    this.#expect();
    this.#owner.fed(snapshot);
  }

  gone(why: string): void {
    const before = this.#at;
    if (before === 'off' || before === 'resting') return;
    const { clock, wheel, slots, random } = this.#scope;
    const { poll } = this.#owner.settings;
    this.#at = 'resting';
    this.#socket = undefined;
    this.#failures++;
    this.error = `the WebSocket is not in use: ${why}`;
    const delayMs = retryDelayMs(poll, this.#failures);
    wheel.add(this, jitteredTick(clock.now() + delayMs, delayMs, poll.jitter, random), poll.intervalMs);
    if (before === 'connecting') slots.giveBack();
    this.#owner.unfed(this.error);
  }

  due(): void {
    // Who was called for another task of this moment may have placed it anew.
    if (this.slot !== undefined) return;
    if (this.#at === 'resting') this.begin();
    else if (this.#at !== 'off' && this.#at !== 'queued') {
      this.#socket?.drop();
      this.gone(this.#at === 'connecting' ? 'it did not open in time' : 'it fell silent');
    }
  }

  #expect(): void {
    const { intervalMs, timeoutMs } = this.#owner.settings.poll;
    const silentAfterMs = SILENT_INTERVALS * intervalMs + timeoutMs;
    this.#scope.wheel.add(this, this.#scope.clock.now() + silentAfterMs, intervalMs);
  }
}
