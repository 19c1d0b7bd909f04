import type { Clock } from '../../index.js';
import { errorText, isErrorLike, printable, SingleFlight } from '../../kit.js';
import { askStatus } from './ask-status.js';
import { BoundedCall } from './bounded-call.js';
import { codesOf } from './error-codes.js';
import { parseHttpUrl } from './http-url.js';
import { classifyTunnel, type TunnelFinding, type TunnelVerdict } from './tunnel-verdict.js';

/**
 * Where the tunnel ends in public: a URL, or a function that says which one it is now, undefined for none. The
 * function is called for each look.
 */
export type TunnelSource = string | URL | (() => string | URL | undefined | PromiseLike<string | URL | undefined>);

/** One look at the tunnel. */
export interface TunnelObservation {
  /** Undefined: there is no tunnel. */
  readonly verdict: TunnelVerdict | undefined;
  /** The HTTP status that came through. */
  readonly httpStatus: number | undefined;
  /** What went wrong; never the URL, which may hold a credential. */
  readonly message: string | undefined;
  /** Whether it is another tunnel than at the look before. */
  readonly renewed: boolean;
}

/** Statuses that say "not with HEAD". */
const NO_HEAD = [405, 501];

/** Looks at a tunnel, one look at a time: who asks while one is under way shares it. */
export class TunnelWatch {
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  readonly #source: BoundedCall<string | URL | undefined>;
  readonly #onSeen: (seen: TunnelObservation) => Promise<unknown>;
  #flight = new SingleFlight<TunnelObservation | undefined>();
  #abort: AbortController | undefined;
  /** The URL of the look before; null: none; undefined: nothing was looked at. */
  #identity: string | null | undefined;

  /** `onSeen` is told of each look, once, and waited for by all who wait for that look; it must not reject. */
  constructor(
    source: TunnelSource,
    timeoutMs: number,
    clock: Clock,
    onSeen: (seen: TunnelObservation) => Promise<unknown>,
  ) {
    this.#onSeen = onSeen;
    this.#timeoutMs = timeoutMs;
    this.#clock = clock;
    this.#source = new BoundedCall(clock, timeoutMs, () => (typeof source === 'function' ? source() : source));
  }

  /** Never rejects. Undefined: it was cancelled. */
  look(): Promise<TunnelObservation | undefined> {
    return this.#flight.run(() => this.#observe());
  }

  cancel(): void {
    this.#abort?.abort();
    this.#source.cancel();
    // The look that was cancelled is nobody's any more.
    this.#flight = new SingleFlight();
  }

  async #observe(): Promise<TunnelObservation | undefined> {
    const abort = new AbortController();
    this.#abort = abort;
    const seen = await this.#find(abort.signal);
    if (abort.signal.aborted) return undefined;
    await this.#onSeen(seen);
    return seen;
  }

  async #find(signal: AbortSignal): Promise<TunnelObservation> {
    // The source has its share of the time.
    const deadlineAt = this.#clock.now() + this.#timeoutMs;
    const source = await this.#source.call();
    if (source.kind === 'error')
      return notTold(isErrorLike(source.error) ? errorText(source.error) : printable(source.error));
    if (source.kind !== 'value') return notTold('the function that tells it does not answer');
    if (source.value === undefined) return noTunnel(this.#note(null));
    const url = parseHttpUrl(source.value);
    if (url === undefined) return notTold('the function that tells it told none of http or https');
    const renewed = this.#note(url.href);
    return observation(await this.#ask(url, deadlineAt, signal), renewed);
  }

  async #ask(url: URL, deadlineAt: number, signal: AbortSignal): Promise<TunnelFinding> {
    const clock = this.#clock;
    const head = await askStatus({ method: 'HEAD', url, timeoutMs: deadlineAt - clock.now(), clock, signal });
    if (!('status' in head) || !NO_HEAD.includes(head.status) || signal.aborted) return head;
    return askStatus({ method: 'GET', url, timeoutMs: deadlineAt - clock.now(), clock, signal });
  }

  #note(identity: string | null): boolean {
    const renewed = this.#identity !== undefined && this.#identity !== identity;
    this.#identity = identity;
    return renewed;
  }
}

function observation(finding: TunnelFinding, renewed: boolean): TunnelObservation {
  const verdict = classifyTunnel(finding);
  if ('status' in finding) {
    const message = verdict.tunnel === 'healthy' ? undefined : `status ${finding.status}`;
    return { verdict, httpStatus: finding.status, message, renewed };
  }
  const [code = 'an error without a code'] = codesOf(finding.error);
  return { verdict, httpStatus: undefined, message: code, renewed };
}

function noTunnel(renewed: boolean): TunnelObservation {
  return { verdict: undefined, httpStatus: undefined, message: undefined, renewed };
}

function notTold(why: string): TunnelObservation {
  const verdict = { tunnel: 'unknown', recreate: false } as const;
  return { verdict, httpStatus: undefined, message: `the URL is not known: ${why}`, renewed: false };
}
