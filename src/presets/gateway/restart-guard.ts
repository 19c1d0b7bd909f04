import type { PolicyRequest } from '../../http/policies.js';
import { Spell } from '../../http/spell.js';
import { type Clock, HealthControllerError, type Logger } from '../../index.js';
import { withDeadline } from '../../kit.js';

/** Whether the sender of a request may restart the gateway. One that throws, rejects or takes five seconds says no. */
export type AuthorizeRestart = (request: PolicyRequest) => boolean | PromiseLike<boolean>;

const AUTHORIZE_TIMEOUT_MS = 5000;
/** What a form of another site can send without being asked about it first. */
const FORM_TYPES = /^\s*(text\/plain|multipart\/form-data|application\/x-www-form-urlencoded)\b/i;

/** Decides who may restart the gateway. */
export class RestartGuard {
  readonly #authorize: AuthorizeRestart;
  readonly #clock: Clock;
  readonly #spell: Spell;

  constructor(authorize: AuthorizeRestart, clock: Clock, logger: Logger) {
    this.#authorize = authorize;
    this.#clock = clock;
    this.#spell = new Spell(logger, 'the authorize function of the gateway handler');
  }

  /** Never rejects. */
  async allows(request: PolicyRequest): Promise<boolean> {
    if (isForgeable(request)) return false;
    try {
      const asked = new Promise<boolean>((resolve) => resolve(this.#authorize(request)));
      const answer = await withDeadline(asked, AUTHORIZE_TIMEOUT_MS, this.#clock, false);
      if (!answer.settled) throw new HealthControllerError('timeout', `no answer within ${AUTHORIZE_TIMEOUT_MS} ms`);
      this.#spell.fine();
      return answer.value === true;
    } catch (error) {
      this.#spell.failed(error);
      return false;
    }
  }
}

/**
 * Whether a page of another site could have had a browser send this, with the cookies or the saved password of its user.
 * A bearer token cannot be had that way; nor can a request without any of the headers by which a browser says who it is
 * for, since every browser sends one with a POST.
 */
function isForgeable(request: PolicyRequest): boolean {
  if (/^bearer\s/i.test(headerOf(request, 'authorization') ?? '')) return false;
  const site = headerOf(request, 'sec-fetch-site');
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return true;
  const origin = headerOf(request, 'origin');
  if (site === undefined && origin !== undefined && hostOf(origin) !== headerOf(request, 'host')) return true;
  return FORM_TYPES.test(headerOf(request, 'content-type') ?? '');
}

function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}

/** A header of a request of Node, or of one with `Headers`. */
export function headerOf({ headers }: PolicyRequest, name: string): string | undefined {
  if ('get' in headers && typeof headers.get === 'function') return headers.get(name) ?? undefined;
  const value = (headers as Readonly<Record<string, string | string[] | undefined>>)[name];
  return Array.isArray(value) ? value.join(',') : value;
}
