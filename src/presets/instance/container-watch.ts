import type { Clock } from '../../index.js';
import { SingleFlight } from '../../kit.js';
import type { ContainerStatus } from '../../wire/instance.js';
import { BoundedCall, type Settled } from './bounded-call.js';
import type { ContainerObservation, InstanceContainer } from './container.js';
import { couldNotLook, readEngineError } from './engine-fault.js';

const STATUSES: Readonly<Record<ContainerStatus, true>> = {
  created: true,
  running: true,
  paused: true,
  restarting: true,
  removing: true,
  exited: true,
  dead: true,
  missing: true,
  unknown: true,
};

/** Looks at a container, one look at a time: who asks while one is under way shares it. */
export class ContainerWatch {
  readonly #look: BoundedCall<ContainerObservation>;
  readonly #onSeen: (seen: ContainerObservation) => void;
  #flight = new SingleFlight<ContainerObservation | undefined>();
  #latest: Promise<unknown> = Promise.resolve();

  /** `onSeen` is told of each look, once. */
  constructor(
    container: InstanceContainer,
    timeoutMs: number,
    clock: Clock,
    onSeen: (seen: ContainerObservation) => void,
  ) {
    this.#look = new BoundedCall(clock, timeoutMs, async (signal) => read(await container.observe({ signal })));
    this.#onSeen = onSeen;
  }

  /** Never rejects. Undefined: it was cancelled. */
  look(): Promise<ContainerObservation | undefined> {
    const look = this.#flight.run(() => this.#observe());
    this.#latest = look;
    return look;
  }

  /** A look that begins after this call: one that is under way may have seen what is no more. */
  async lookAnew(): Promise<ContainerObservation | undefined> {
    const flight = this.#flight;
    await this.#latest;
    return this.#flight === flight ? this.look() : undefined;
  }

  cancel(): void {
    this.#look.cancel();
    // The look that was cancelled is nobody's any more.
    this.#flight = new SingleFlight();
  }

  async #observe(): Promise<ContainerObservation | undefined> {
    const seen = seenBy(await this.#look.call());
    if (seen !== undefined) this.#onSeen(seen);
    return seen;
  }
}

/** A copy: what a container object of somebody else's making answers is read once, where it may throw. */
function read(answer: ContainerObservation): ContainerObservation {
  const known = Object.hasOwn(STATUSES, String(answer?.status));
  return known ? { ...answer } : couldNotLook('engine_error', 'observe() told no status that is known here');
}

function seenBy(settled: Settled<ContainerObservation>): ContainerObservation | undefined {
  switch (settled.kind) {
    case 'value':
      return settled.value;
    case 'error':
      return readEngineError(settled.error);
    case 'timeout':
      return couldNotLook('engine_timeout');
    case 'cancelled':
      return undefined;
  }
}
