import type { Clock, Logger, Random } from '../index.js';
import { Emitter, Slots, Wheel, WheelTask } from '../kit.js';
import type { InstanceState, PollerEvents } from './events.js';
import type { PollTransition } from './poll-record.js';
import type { PollResult } from './poll-result.js';
import type { PollPorts } from './settings.js';

/** Something of an instance's that comes due. */
export abstract class ScopeTask extends WheelTask {
  abstract due(now: number): void;
}

/** What a scope is made of. */
export interface ScopeSettings extends PollPorts {
  /** How many tries may be under way at one time. */
  readonly maxConcurrent: number;
  /** Whether there may be many, whose tries are to be spread. */
  readonly spreads: boolean;
}

/** Of whom a scope tells. */
interface Told {
  readonly settings: { readonly id: string };
  state(): InstanceState;
}

/** What all instances share: one wheel, so many places for tries, and those who want to hear of them. */
export class PollScope {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly spreads: boolean;
  readonly wheel: Wheel<ScopeTask>;
  readonly events: Emitter<PollerEvents>;
  slots: Slots;
  readonly #maxConcurrent: number;

  constructor({ clock, random, logger, maxConcurrent, spreads }: ScopeSettings) {
    this.clock = clock;
    this.random = random;
    this.logger = logger;
    this.spreads = spreads;
    this.#maxConcurrent = maxConcurrent;
    this.slots = new Slots(maxConcurrent);
    this.events = new Emitter(logger);
    this.wheel = new Wheel(clock, (tasks, now) => {
      for (const task of tasks) task.due(now);
    });
  }

  /** Tells of an outcome, and then of what has happened by it. */
  tell(told: Told, result: PollResult, transitions: readonly PollTransition[]): void {
    const instance = told.settings.id;
    if (result.ok) {
      const { snapshot, verdict } = result;
      if (this.events.has('snapshot')) this.events.emit('snapshot', Object.freeze({ instance, snapshot, verdict }));
    } else if (this.events.has('unreachable')) {
      this.events.emit('unreachable', Object.freeze({ instance, error: result.error }));
    }
    for (const transition of transitions) {
      const level = transition === 'lost' || transition === 'degraded' ? 'warn' : 'info';
      this.logger[level](`instance ${JSON.stringify(instance)} is ${transition}`, { instance, transition });
      this.events.emit(transition, Object.freeze({ instance, state: told.state() }));
    }
  }

  /** Ends all of them at once: no place that one gives back goes to another. */
  async end(instances: Iterable<{ end(): Promise<void> }>): Promise<void> {
    this.slots.close();
    const ended = Array.from(instances, (instance) => instance.end());
    this.slots = new Slots(this.#maxConcurrent);
    await Promise.all(ended);
    // Sockets that were closed are so at the end of this turn.
    await new Promise<void>((resolve) => this.clock.nextTurn(resolve));
  }
}
