import { LeftCalls, type Waiting } from '../../kit.js';
import type { ServiceHealthState } from '../../wire/service-health.js';
import { authority } from './host.js';
import { Observation } from './observation.js';
import { isTooOld, type Observed, observe, unobserved, type Verdict } from './observed.js';
import { type Observer, ObserverTask } from './observer.js';
import type { ExposedService, ServiceEndpoint } from './options.js';
import { sentPath } from './readiness-path.js';
import { RELAY_STUCK } from './verdict.js';

const RECONFIGURED = unobserved('configuration has changed, not checked yet');
export const NOT_READY = unobserved('sandbox is not ready');
export const STOPPED = unobserved('observation has ended');
export const NOT_CHECKED = unobserved('not checked yet');
export const REPLACED = unobserved('runtime was replaced, not checked yet');

/**
 * One exposed service: its configuration, its place on the wheel, the attempt under way and what is known. Whatever
 * makes an attempt worthless leaves it behind, so that its answer is never taken, however late it comes.
 */
export class Endpoint extends ObserverTask implements Waiting {
  readonly #observer: Observer;
  #config: ServiceEndpoint;
  #url: string;
  /** Empty while it is not observed: no runtime has that id. */
  #runtimeId = '';
  #calls = new LeftCalls();
  #observed: Observed = NOT_READY;
  #attempt: 'waiting' | Observation | undefined;
  #nextAt = 0;
  #agingTask: AgingTask | undefined;
  #told: ServiceHealthState = 'unknown';
  #shown: ExposedService | undefined;

  constructor(observer: Observer, config: ServiceEndpoint, url: string) {
    super();
    this.#observer = observer;
    this.#config = config;
    this.#url = url;
  }

  get config(): ServiceEndpoint {
    return this.#config;
  }

  /** As it is to be shown now. Reading changes nothing that is known. */
  service(): ExposedService {
    const { health } = this.#isTooOld(this.#observer.clock.now()) ? this.#observer.tooOld : this.#observed;
    if (this.#shown?.health !== health) {
      this.#shown = Object.freeze({ endpoint: this.#config, url: this.#url, health });
    }
    return this.#shown;
  }

  /** The sandbox is ready with this runtime: what was known is forgotten, and the first attempt is made at once. */
  begin(runtimeId: string, because: Observed): void {
    this.#runtimeId = runtimeId;
    this.#restart(because);
  }

  /** Its configuration has changed: what was known is forgotten. */
  configure(config: ServiceEndpoint, url: string): void {
    this.#config = config;
    this.#url = url;
    this.#shown = undefined;
    if (this.#runtimeId !== '') this.#restart(RECONFIGURED);
  }

  /** It is observed no more, and what was known is forgotten. */
  end(because: Observed): void {
    this.#runtimeId = '';
    this.#restart(because);
  }

  /** It is observed no more; what is known stays, and grows too old. */
  close(): void {
    this.#runtimeId = '';
    this.#unschedule();
    const before = this.#attempt;
    this.#attempt = undefined;
    this.#release(before);
  }

  /** A tick: an attempt, unless one is under way. No tick is caught up with. */
  due(now: number): void {
    // A listener or relay called for another task of this moment may have ended or restarted it.
    if (this.#runtimeId === '' || now < this.#nextAt) return;
    const { wheel, settings } = this.#observer;
    this.#nextAt += settings.intervalMs * (1 + Math.floor((now - this.#nextAt) / settings.intervalMs));
    wheel.add(this, this.#nextAt, settings.intervalMs);
    this.#watchAge();
    this.#try();
  }

  /** What is known may have grown too old. */
  aged(now: number): void {
    if (this.#isTooOld(now)) this.#know(this.#observer.tooOld);
  }

  admitted(): void {
    const { clock, settings } = this.#observer;
    const { workspace, sandbox, service, host, port, readinessCheck } = this.#config;
    const runtimeId = this.#runtimeId;
    const observation = new Observation({
      clock,
      relay: settings.relay,
      timeoutMs: settings.timeoutMs,
      target: { workspace, sandbox, service, host, port, runtimeId },
      request: { path: sentPath(readinessCheck?.path ?? '/'), host: authority(host, port) },
      ready: readinessCheck !== undefined,
      calls: this.#calls,
    });
    this.#attempt = observation;
    observation.begin((verdict) => this.#ended(verdict));
  }

  #restart(because: Observed): void {
    const { clock, wheel, settings } = this.#observer;
    const before = this.#attempt;
    this.#attempt = undefined;
    this.#calls = new LeftCalls();
    this.#unschedule();
    if (this.#runtimeId !== '') {
      this.#nextAt = clock.now() + this.#observer.firstGapMs();
      wheel.add(this, this.#nextAt, settings.intervalMs);
    }
    this.#know(because);
    // Last, since they call what is not ours: abort listeners and the relay.
    this.#release(before);
    this.#try();
  }

  #try(): void {
    if (this.#runtimeId === '' || this.#attempt !== undefined) return;
    const { clock, settings, slots } = this.#observer;
    if (this.#calls.allow(clock.now(), settings.timeoutMs)) {
      this.#attempt = 'waiting';
      slots.take(this);
    } else this.#learn(RELAY_STUCK);
  }

  #ended(verdict: Verdict): void {
    this.#attempt = undefined;
    this.#learn(verdict);
    this.#observer.slots.giveBack();
    this.#observer.tell();
  }

  #learn(verdict: Verdict): void {
    const { clock, settings } = this.#observer;
    const now = clock.now();
    // The process may have stalled, and read this answer before its timers.
    this.aged(now);
    this.#know(observe(this.#observed, verdict, { now, wall: clock.wall() }, settings.rule));
    this.#watchAge();
  }

  #know(observed: Observed): void {
    this.#observed = observed;
    const { state } = observed.health;
    if (state === this.#told) return;
    this.#observer.changed({ from: this.#told, to: state, service: this.service() });
    this.#told = state;
  }

  #isTooOld(now: number): boolean {
    return isTooOld(this.#observed, now, this.#observer.settings.staleAfterMs);
  }

  // Only what would grow too old before the next tick needs a moment of its own: usually nothing does.
  #watchAge(): void {
    const { wheel, settings } = this.#observer;
    const tooOldAfter = (this.#observed.at ?? Number.POSITIVE_INFINITY) + settings.staleAfterMs;
    if (tooOldAfter < this.fireAt) {
      this.#agingTask ??= new AgingTask(this);
      wheel.add(this.#agingTask, tooOldAfter + 1, 0);
    } else if (this.#agingTask !== undefined) wheel.remove(this.#agingTask);
  }

  #unschedule(): void {
    this.#observer.wheel.remove(this);
    if (this.#agingTask !== undefined) this.#observer.wheel.remove(this.#agingTask);
  }

  #release(attempt: 'waiting' | Observation | undefined): void {
    if (attempt === 'waiting') this.#observer.slots.forget(this);
    else if (attempt !== undefined) {
      attempt.cancel();
      this.#observer.slots.giveBack();
    }
  }
}

/** The moment after which what is known of an endpoint is too old to be trusted. */
export class AgingTask extends ObserverTask {
  readonly #endpoint: Endpoint;

  constructor(endpoint: Endpoint) {
    super();
    this.#endpoint = endpoint;
  }

  due(now: number): void {
    this.#endpoint.aged(now);
  }
}
