import type { TimerHandle } from '../ports/clock.js';
import type { EngineScope } from './scope.js';

/** A service as the shutdown sees it. */
export interface Stoppable {
  readonly name: string;
  /** 0: as long as the shutdown has. */
  readonly stopTimeoutMs: number;
  /** Whether its `stop` and its run have settled. */
  readonly finished: boolean;
  /** Whether an earlier run was left behind and has not settled: it is named, but nobody waits for it. */
  readonly leftBehind: boolean;
  /** Aborts its run and calls its `stop`. `whenFinished` is called once both have settled, perhaps within. */
  beginStop(budgetMs: number, whenFinished: () => void): void;
  /** Its time is over: the signal of its `stop` aborts. */
  expireStop(): void;
}

interface Awaited {
  readonly service: Stoppable;
  readonly until: number;
}

/**
 * Stops services one after the other under one deadline. One that has used half of what was left when it began no
 * longer holds up the next, but is still awaited. At the deadline the stops that are left are called at once and get
 * one turn of the loop. One timer serves it all.
 */
export class Shutdown {
  readonly #scope: EngineScope;
  readonly #services: readonly Stoppable[];
  readonly #deadline: number;
  readonly #done: (unfinished: readonly string[]) => void;
  readonly #awaited = new Map<Stoppable, Awaited>();
  readonly #unfinished = new Set<Stoppable>();
  #next = 0;
  #current: Stoppable | undefined;
  /** When the current one no longer holds up the next. */
  #holdUntil = Number.POSITIVE_INFINITY;
  #timer: TimerHandle | undefined;
  #timerAt = Number.POSITIVE_INFINITY;
  #stepping = false;
  #over = false;

  /** `services` in the order in which they stop. `done` gets the names of those that had not settled in time. */
  constructor(
    scope: EngineScope,
    services: readonly Stoppable[],
    timeoutMs: number,
    done: (unfinished: readonly string[]) => void,
  ) {
    this.#scope = scope;
    this.#services = services;
    this.#deadline = scope.clock.now() + timeoutMs;
    this.#done = done;
  }

  begin(): void {
    this.#step();
  }

  #step(): void {
    if (this.#stepping || this.#over) return;
    this.#stepping = true;
    let now = this.#scope.clock.now();
    while (this.#current === undefined && this.#next < this.#services.length && now < this.#deadline) {
      this.#stop(now);
      now = this.#scope.clock.now();
    }
    this.#stepping = false;
    if (now >= this.#deadline) this.#finish(now);
    else if (this.#next >= this.#services.length && this.#awaited.size === 0) this.#end();
    else this.#arm(now);
  }

  #stop(now: number): void {
    const service = this.#services[this.#next++];
    if (service === undefined) return;
    const left = this.#deadline - now;
    const budget = service.stopTimeoutMs > 0 ? Math.min(service.stopTimeoutMs, left) : left;
    this.#awaited.set(service, { service, until: now + budget });
    this.#current = service;
    this.#holdUntil = now + Math.min(budget, left / 2);
    service.beginStop(budget, () => this.#settled(service));
  }

  #settled(service: Stoppable): void {
    this.#awaited.delete(service);
    if (this.#current === service) this.#current = undefined;
    this.#step();
  }

  #arm(now: number): void {
    let at = this.#current === undefined ? this.#deadline : Math.min(this.#deadline, this.#holdUntil);
    for (const { until } of this.#awaited.values()) at = Math.min(at, until);
    // An earlier timer is left alone: it looks again when it fires, which costs less than a timer for every service.
    if (this.#timer !== undefined && this.#timerAt <= at) return;
    if (this.#timer !== undefined) this.#scope.clock.clearTimeout(this.#timer);
    this.#timerAt = at;
    this.#timer = this.#scope.clock.setTimeout(() => this.#due(), Math.max(0, at - now), { keepAlive: true });
  }

  #due(): void {
    this.#timer = undefined;
    const now = this.#scope.clock.now();
    for (const { service, until } of [...this.#awaited.values()]) {
      if (until > now || until >= this.#deadline) continue;
      this.#abandon(service);
      if (this.#current === service) this.#current = undefined;
    }
    if (this.#current !== undefined && this.#holdUntil <= now) this.#current = undefined;
    this.#step();
  }

  #abandon(service: Stoppable): void {
    this.#awaited.delete(service);
    this.#unfinished.add(service);
    service.expireStop();
  }

  #finish(now: number): void {
    if (this.#over) return;
    this.#over = true;
    const late = [...this.#awaited.keys()];
    for (const service of late) service.expireStop();
    const rest = this.#services.slice(this.#next);
    for (const service of rest) service.beginStop(Math.max(0, this.#deadline - now), () => {});
    this.#scope.clock.nextTurn(() => {
      for (const service of [...late, ...rest]) if (!service.finished) this.#unfinished.add(service);
      this.#end();
    });
  }

  #end(): void {
    this.#over = true;
    if (this.#timer !== undefined) this.#scope.clock.clearTimeout(this.#timer);
    this.#timer = undefined;
    const unfinished = this.#services.filter((service) => this.#unfinished.has(service) || service.leftBehind);
    this.#done(unfinished.map((service) => service.name));
  }
}
