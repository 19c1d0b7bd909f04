import type { Clock } from '../../index.js';
import { Emitter, Slots, Wheel, WheelTask } from '../../kit.js';
import { type Observed, unobserved } from './observed.js';
import type { SandboxServicesEvents, ServiceChange } from './options.js';
import type { Settings } from './resolve.js';

/** Up to this many services keep to a grid from their first attempt; beyond it they are spread over the interval. */
const ON_GRID_UP_TO = 128;
/** Its multiples, less their whole part, spread evenly however many there are. */
const GOLDEN = 0.618_033_988_749_895;

/** Something of an endpoint's that comes due. */
export abstract class ObserverTask extends WheelTask {
  abstract due(now: number): void;
}

/** What all endpoints share: one wheel, so many places for attempts, and those who want to hear of changes. */
export class Observer {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly wheel: Wheel<ObserverTask>;
  readonly slots: Slots;
  readonly events: Emitter<SandboxServicesEvents>;
  /** What is known once the latest attempt has grown too old. */
  readonly tooOld: Observed;
  readonly #changes: ServiceChange[] = [];
  #spread = 0;

  constructor(settings: Settings) {
    this.settings = settings;
    this.clock = settings.clock;
    this.slots = new Slots(settings.maxConcurrent);
    this.events = new Emitter(settings.logger);
    this.tooOld = unobserved(`last check is more than ${settings.staleAfterMs} ms old`);
    this.wheel = new Wheel(settings.clock, (tasks, now) => {
      for (const task of tasks) task.due(now);
      this.tell();
    });
  }

  /** From an endpoint's first attempt to its second, so that those that began together do not stay together. */
  firstGapMs(): number {
    const { intervalMs } = this.settings;
    if (this.wheel.size < ON_GRID_UP_TO) return intervalMs;
    this.#spread = (this.#spread + GOLDEN) % 1;
    return intervalMs * this.#spread;
  }

  /** A state has changed; listeners hear of it when what changes together has changed. */
  changed(change: ServiceChange): void {
    this.#changes.push(change);
  }

  /** Tells of all changes so far, in order. */
  tell(): void {
    for (let next = this.#changes.shift(); next !== undefined; next = this.#changes.shift()) {
      this.#log(next);
      this.events.emit('change', Object.freeze(next));
    }
  }

  #log({ from, to, service }: ServiceChange): void {
    const { workspace, sandbox, service: name } = service.endpoint;
    const { message, httpStatusCode } = service.health;
    const level = to === 'unhealthy' ? 'warn' : 'info';
    this.settings.logger[level](
      `service ${JSON.stringify(name)} of sandbox ${JSON.stringify(sandbox)} is ${to}: ${message}`,
      {
        workspace,
        sandbox,
        service: name,
        from,
        to,
        ...(httpStatusCode === undefined ? undefined : { httpStatusCode }),
      },
    );
  }
}
