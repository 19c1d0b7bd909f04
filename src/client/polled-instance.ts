import { jitteredTick, LeftCalls, type Waiting } from '../kit.js';
import type { GatewaySnapshot } from '../wire/gateway.js';
import type { InstanceState, PollTransport } from './events.js';
import { Feed, type FeedOwner } from './feed.js';
import { lostAtMs, type PollOutcome, type PollRecord, recordPoll, startRecord } from './poll-record.js';
import { type PollResult, resultOf } from './poll-result.js';
import { SnapshotRequest } from './request.js';
import { type PollScope, ScopeTask } from './scope.js';
import { type InstanceSettings, retryDelayMs } from './settings.js';

const ENDED: PollResult = Object.freeze({ ok: false, error: 'polling has ended' });
const STUCK: PollOutcome = Object.freeze({ ok: false, error: 'earlier requests have not ended' });

/**
 * One instance: its place on the wheel, the try under way, its WebSocket where one is wanted, and what is known of it. An
 * idle one holds no timer, no closure and no AbortController.
 */
export class PolledInstance extends ScopeTask implements Waiting, FeedOwner {
  readonly settings: InstanceSettings;
  readonly #scope: PollScope;
  readonly #feed: Feed | undefined;
  #record: PollRecord;
  #snapshot: GatewaySnapshot | undefined;
  #snapshotAt = 0;
  #error: string | undefined;
  #mode: 'ended' | 'feed' | 'http' = 'ended';
  #request: 'waiting' | SnapshotRequest | undefined;
  #failures = 0;
  /** When the next try by HTTP is due. */
  #nextAt = 0;
  /** Its next wait is of any length up to an interval, so that those that began together do not stay together. */
  #spread = false;
  /** Made where one is left behind: usually none is. */
  #calls: LeftCalls | undefined;
  /** Those who wait for the try under way. */
  #waiters: ((result: PollResult) => void)[] | undefined;

  constructor(scope: PollScope, settings: InstanceSettings) {
    super();
    this.#scope = scope;
    this.settings = settings;
    this.#record = startRecord(scope.clock.now(), settings.instanceStatus);
    this.#feed = settings.poll.webSocket === undefined ? undefined : new Feed(scope, this);
  }

  /** Whether its status is `running`. */
  get running(): boolean {
    return this.#record.instanceStatus === 'running';
  }

  state(): InstanceState {
    const now = this.#scope.clock.now();
    const { instanceStatus, verdict, reachable, lost, changedAtMs } = this.#record;
    const snapshot = this.#snapshot;
    const webSocketError = this.#feed?.error;
    return Object.freeze({
      id: this.settings.id,
      url: this.settings.target.shown,
      instanceStatus,
      ...(verdict === undefined ? undefined : { verdict }),
      reachable,
      lost,
      transport: this.#transport(),
      ...(snapshot === undefined ? undefined : { snapshot, snapshotAgeMs: Math.max(0, now - this.#snapshotAt) }),
      changedAgeMs: Math.max(0, now - changedAtMs),
      ...(this.#error === undefined ? undefined : { error: this.#error }),
      ...(webSocketError === undefined ? undefined : { webSocketError }),
    });
  }

  /** Begins, by WebSocket where one is wanted, else by HTTP at once. */
  begin(): void {
    const now = this.#scope.clock.now();
    // While nobody looked, nothing was lost.
    this.#record = { ...this.#record, aliveAtMs: now };
    this.#failures = 0;
    this.#spread = this.#scope.spreads;
    if (this.#feed === undefined) {
      this.#startHttp();
      return;
    }
    this.#mode = 'feed';
    this.#schedule(now);
    this.#feed.begin();
  }

  /** Ends whatever is under way; resolves when its socket is closed. What is known stays. */
  end(): Promise<void> {
    this.#mode = 'ended';
    this.#scope.wheel.remove(this);
    this.#abandon();
    this.#answer(ENDED);
    return this.#feed?.end() ?? Promise.resolve();
  }

  /** One try by HTTP now, or the one that is under way. Never rejects. */
  poll(): Promise<PollResult> {
    return new Promise((resolve) => {
      this.#waiters ??= [];
      this.#waiters.push(resolve);
      if (this.#request === undefined) this.#try();
      else if (this.#request !== 'waiting') this.#request.hold();
    });
  }

  due(): void {
    // Who was called for another task of this moment may have placed it anew, or ended it.
    if (this.#mode === 'ended' || this.slot !== undefined || this.#request !== undefined) return;
    this.#try();
  }

  admitted(): void {
    const { clock } = this.#scope;
    const { target, headers, poll } = this.settings;
    const { fetch, timeoutMs } = poll;
    const leave = (beganAt: number): (() => void) => {
      this.#calls ??= new LeftCalls();
      return this.#calls.leave(beganAt);
    };
    const request = new SnapshotRequest({ clock, fetch, url: target.httpUrl, headers, timeoutMs, leave });
    this.#request = request;
    request.begin((outcome) => {
      this.#request = undefined;
      this.#scope.slots.giveBack();
      this.#learn(outcome);
    }, this.#waiters !== undefined);
  }

  fed(snapshot: GatewaySnapshot): void {
    if (this.#mode === 'http') {
      this.#mode = 'feed';
      this.#abandon();
    }
    this.#learn({ ok: true, snapshot });
  }

  unfed(why: string): void {
    if (this.#mode !== 'feed') return;
    this.#scope.logger.warn(`instance ${JSON.stringify(this.settings.id)}: ${why}`, { instance: this.settings.id });
    this.#startHttp();
  }

  #transport(): PollTransport {
    if (this.#mode === 'http') return 'http';
    return this.#mode === 'feed' && this.#feed?.live === true ? 'websocket' : 'none';
  }

  #startHttp(): void {
    this.#mode = 'http';
    if (this.#request === undefined) this.#try();
  }

  #try(): void {
    const { clock, slots, wheel } = this.#scope;
    const now = clock.now();
    wheel.remove(this);
    // The first of all, by poll() alone: lost is counted from here.
    if (this.#mode === 'ended' && this.#snapshot === undefined && this.#error === undefined) {
      this.#record = startRecord(now, this.settings.instanceStatus);
    }
    if (this.#calls?.allow(now, this.settings.poll.timeoutMs) === false) {
      this.#learn(STUCK);
      return;
    }
    this.#request = 'waiting';
    slots.take(this);
  }

  #learn(outcome: PollOutcome): void {
    const { clock } = this.#scope;
    const now = clock.now();
    const [record, transitions] = recordPoll(this.#record, outcome, now, this.settings.poll);
    this.#record = record;
    if (outcome.ok) {
      this.#snapshot = outcome.snapshot;
      this.#snapshotAt = now;
      this.#error = undefined;
      this.#failures = 0;
    } else {
      this.#error = outcome.error;
      this.#failures++;
    }
    if (this.#mode !== 'ended') {
      this.#nextAt = this.#next(now);
      this.#schedule(now);
    }
    const result = resultOf(outcome);
    // Before anybody is told: a listener may ask again, and waits for the next one.
    this.#answer(result);
    this.#scope.tell(this, result, transitions);
  }

  #next(now: number): number {
    const { random } = this.#scope;
    const { poll } = this.settings;
    const { intervalMs, jitter } = poll;
    if (this.#spread && this.#failures === 0 && jitter > 0) {
      this.#spread = false;
      return jitteredTick(now, intervalMs, 1, random);
    }
    const delayMs = this.#failures === 0 ? intervalMs : retryDelayMs(poll, this.#failures);
    return jitteredTick(now + delayMs, delayMs, jitter, random);
  }

  /** The next try, or, where that comes first, one at the moment at which it would be lost. */
  #schedule(now: number): void {
    const { wheel } = this.#scope;
    const nextAt = this.#mode === 'http' ? this.#nextAt : Number.POSITIVE_INFINITY;
    const lostAt = lostAtMs(this.#record, this.settings.poll);
    const at = lostAt > now ? Math.min(nextAt, lostAt) : nextAt;
    if (at === Number.POSITIVE_INFINITY || this.#request !== undefined) wheel.remove(this);
    else wheel.add(this, at, this.settings.poll.intervalMs);
  }

  #abandon(): void {
    const { slots } = this.#scope;
    const request = this.#request;
    this.#request = undefined;
    if (request === 'waiting') slots.forget(this);
    else if (request !== undefined) {
      request.cancel();
      slots.giveBack();
    }
  }

  #answer(result: PollResult): void {
    const waiters = this.#waiters ?? [];
    this.#waiters = undefined;
    for (const answer of waiters) answer(result);
  }
}
