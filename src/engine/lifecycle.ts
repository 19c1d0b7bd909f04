import { canTransition, type LifecycleState } from '../core/lifecycle.js';
import type { EngineScope } from './scope.js';

/** The state, moved by compare-and-set along the one table. */
export class Lifecycle {
  readonly #scope: EngineScope;
  #state: LifecycleState = 'never_started';

  constructor(scope: EngineScope) {
    this.#scope = scope;
  }

  get state(): LifecycleState {
    return this.#state;
  }

  /** Whether it is over or on its way there. */
  get ending(): boolean {
    return this.#state === 'stopping' || this.#state === 'stopped';
  }

  /** Moves on if the table has such a transition from here, and says whether it did. */
  to(next: LifecycleState): boolean {
    const from = this.#state;
    if (!canTransition(from, next)) return false;
    this.#state = next;
    this.#scope.changed();
    this.#scope.log.info(`the controller is ${next}`, { from, to: next });
    this.#scope.events.emit('state', Object.freeze({ from, to: next }));
    return true;
  }
}
