import type { CheckState } from '../core/events.js';
import type { EngineScope } from './scope.js';

const REMINDER_MS = 60_000;

/** Writes one line per transition of a check or probe, none while it is healthy, and a reminder a minute while not. */
export class TransitionLog {
  readonly #scope: EngineScope;
  readonly #what: string;
  #lineAt = Number.NEGATIVE_INFINITY;

  /** `what` names the thing, as in `health check "db"`. */
  constructor(scope: EngineScope, what: string) {
    this.#scope = scope;
    this.#what = what;
  }

  note(from: CheckState, to: CheckState, message: string | undefined, reason: string | undefined): void {
    if (to === 'healthy') {
      if (from === 'healthy' || from === 'pending') return;
      this.#lineAt = Number.NEGATIVE_INFINITY;
      this.#scope.log.info(`${this.#what} is healthy again`, { from, to });
      return;
    }
    if (from === to && (to === 'degraded' || this.#scope.clock.now() - this.#lineAt < REMINDER_MS)) return;
    this.#lineAt = this.#scope.clock.now();
    const text = message === undefined ? '' : `: ${message}`;
    const fields = { from, to, ...(reason === undefined ? undefined : { reason }) };
    this.#scope.log.warn(`${this.#what} is ${from === to ? 'still ' : ''}${to}${text}`, fields);
  }
}
