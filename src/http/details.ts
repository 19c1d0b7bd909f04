import { type Clock, HealthControllerError, type Logger } from '../index.js';
import { isThenable, withDeadline } from '../kit.js';
import type { DetailsPolicy } from './options.js';
import { Spell } from './spell.js';

const POLICY_TIMEOUT_MS = 1000;

/** Decides who sees details. Whatever the policy does other than saying `true` is a no. */
export class DetailsGate<Request> {
  readonly #policy: 'never' | 'always' | DetailsPolicy<Request>;
  readonly #clock: Clock;
  readonly #spell: Spell;

  constructor(policy: 'never' | 'always' | DetailsPolicy<Request>, clock: Clock, logger: Logger) {
    this.#policy = policy;
    this.#clock = clock;
    this.#spell = new Spell(logger, 'the details policy of the health handler');
  }

  /** Never throws and never rejects; takes a second at most. */
  allows(request: Request): boolean | Promise<boolean> {
    if (typeof this.#policy === 'string') return this.#policy === 'always';
    try {
      const said: unknown = this.#policy(request);
      if (isThenable(said)) return this.#wait(said);
      this.#spell.fine();
      return said === true;
    } catch (error) {
      this.#spell.failed(error);
      return false;
    }
  }

  async #wait(said: PromiseLike<unknown>): Promise<boolean> {
    try {
      const answer = await withDeadline(said, POLICY_TIMEOUT_MS, this.#clock, false);
      if (!answer.settled) throw new HealthControllerError('timeout', `no answer within ${POLICY_TIMEOUT_MS} ms`);
      this.#spell.fine();
      return answer.value === true;
    } catch (error) {
      this.#spell.failed(error);
      return false;
    }
  }
}
