import { type CheckResult, type Clock, degraded, type HealthCheck, healthy, unhealthy } from '../index.js';
import { clockPort, count, duration, oneOf, systemClock, where } from '../kit.js';
import { type Exchanged, exchange, type HttpTarget, type TlsOptions } from './http-exchange.js';
import { readHeaders, readUrl } from './http-target.js';
import { type PresetCheckOptions, presetCheck, readPreset } from './preset-check.js';

/** Options of {@link httpCheck}. */
export interface HttpCheckOptions extends PresetCheckOptions {
  /** `http:` or `https:`. A user and password in it are sent as Basic credentials and shown nowhere. */
  readonly url: string | URL;
  /**
   * `HEAD` where the server answers it alike.
   * @defaultValue 'GET'
   */
  readonly method?: 'GET' | 'HEAD' | undefined;
  /** Sent along, `Host` too, which then also names the server in TLS. Shown nowhere. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /**
   * The status code or codes that are healthy; any other is unhealthy.
   * @defaultValue 200 to 299
   */
  readonly expectedStatus?: number | readonly number[] | undefined;
  /**
   * How many redirects in a row are followed, those to the same origin only. One that is not followed is unhealthy,
   * unless `expectedStatus` lists it. 0: none.
   * @defaultValue 0
   */
  readonly maxRedirects?: number | undefined;
  /** An expected answer whose head took longer is degraded, reason `slow`. Absent: none is. */
  readonly degradedAboveMs?: number | undefined;
  /** Certificates and the like, for `https:`. Absent: what Node trusts. */
  readonly tls?: TlsOptions | undefined;
  /** Absent: the system's clock. */
  readonly clock?: Clock | undefined;
}

const AT = 'httpCheck()';

const ownShape = () => ({
  url: where((value) => value !== undefined, 'a URL'),
  method: oneOf('GET', 'HEAD'),
  headers: where(() => true, 'headers'),
  expectedStatus: where(isStatusList, 'a status code from 100 to 599, or a list of them that is not empty'),
  maxRedirects: count(0),
  degradedAboveMs: duration(0),
  tls: where((value) => typeof value === 'object' && value !== null, 'an object of TLS options'),
  clock: clockPort(),
});

/**
 * A check that an HTTP server answers. Each run makes one connection, waits for the head of the answer and closes it:
 * the body is not read. Name resolution, connection, TLS and answer share `timeoutMs`. Proxy settings of the
 * environment are not used.
 *
 * Reasons: `dns`, `connect`, `tls`, `protocol` (no HTTP), `timeout`, `redirect` (3xx), `http_status`, `slow`. `data`:
 * `statusCode`. Texts name the URL without user, password and query.
 *
 * As a check: name `http`, `intervalMs` 10000, else the defaults of checks: it is part of readiness and not of
 * liveness, so that a dependency that is down restarts nobody.
 * @throws HealthControllerError `invalid_option`, which shows neither the URL nor the headers
 */
export function httpCheck(options: HttpCheckOptions): HealthCheck {
  return httpCheckOver(exchange, options);
}

/** The same over another way to send, for tests. */
export function httpCheckOver(send: typeof exchange, options: HttpCheckOptions): HealthCheck {
  const { own, ofCheck } = readPreset<HttpCheckOptions>(AT, ownShape(), options, ['url']);
  const { method = 'GET', tls = {}, clock = systemClock } = own;
  const target: HttpTarget = { url: readUrl(AT, own.url), method, headers: readHeaders(AT, own.headers ?? {}), tls };
  const rules: Rules = {
    isExpected: expecting(own.expectedStatus),
    maxRedirects: own.maxRedirects ?? 0,
    degradedAboveMs: own.degradedAboveMs ?? Number.POSITIVE_INFINITY,
  };
  return presetCheck({ name: 'http', intervalMs: 10_000 }, ofCheck, ({ timeoutMs }) => async ({ signal }) => {
    const startedAt = clock.now();
    const ended = await within(clock, timeoutMs, signal, (bound) => follow(send, target, rules, bound));
    return judge(ended, rules, clock.now() - startedAt, timeoutMs);
  });
}

/** What is made of an answer. */
interface Rules {
  readonly isExpected: (status: number) => boolean;
  readonly maxRedirects: number;
  readonly degradedAboveMs: number;
}

/** Where the last request went, and what came of it. */
interface Ended {
  readonly target: HttpTarget;
  readonly exchanged: Exchanged;
}

async function follow(send: typeof exchange, first: HttpTarget, rules: Rules, signal: AbortSignal): Promise<Ended> {
  let target = first;
  for (let hops = 0; ; hops++) {
    const exchanged = await send(target, signal);
    const next = hops < rules.maxRedirects ? nextUrl(target.url, exchanged, rules) : undefined;
    if (next === undefined) return { target, exchanged };
    target = { ...target, url: next };
  }
}

/** Where a redirect leads that may be followed: credentials must not travel to another origin. */
function nextUrl(from: URL, exchanged: Exchanged, rules: Rules): URL | undefined {
  if ('reason' in exchanged || !isRedirect(exchanged.status) || rules.isExpected(exchanged.status)) return undefined;
  const next = resolved(exchanged.location, from);
  if (next?.origin !== from.origin) return undefined;
  next.username = from.username;
  next.password = from.password;
  return next;
}

function judge({ target, exchanged }: Ended, rules: Rules, tookMs: number, timeoutMs: number): CheckResult {
  const asked = `${target.method} ${shown(target.url)}`;
  if ('reason' in exchanged) {
    const { reason, text } = exchanged;
    const inTime = reason === 'timeout' ? ` within ${timeoutMs} ms` : '';
    return unhealthy(`${asked}: no answer${inTime}: ${text}`, undefined, reason);
  }
  const { status, location } = exchanged;
  const data = { statusCode: status };
  const answered = `${asked}: answered ${status}`;
  if (rules.isExpected(status)) {
    if (tookMs <= rules.degradedAboveMs) return healthy(undefined, data);
    const slow = `after ${Math.round(tookMs)} ms, more than ${rules.degradedAboveMs} ms`;
    return degraded(`${answered} ${slow}`, data, 'slow');
  }
  if (!isRedirect(status)) return unhealthy(answered, data, 'http_status');
  const to = resolved(location, target.url);
  const leading = to === undefined ? '' : ` to ${shown(to)}`;
  return unhealthy(`${answered}, a redirect${leading} that is not followed`, data, 'redirect');
}

const isRedirect = (status: number): boolean => status >= 300 && status < 400;

function expecting(status: HttpCheckOptions['expectedStatus']): Rules['isExpected'] {
  if (status === undefined) return (code) => code >= 200 && code < 300;
  const codes = new Set([status].flat());
  return (code) => codes.has(code);
}

function resolved(location: string | undefined, from: URL): URL | undefined {
  if (location === undefined || !URL.canParse(location, from.href)) return undefined;
  return new URL(location, from);
}

// The query may hold a key.
const shown = (url: URL): string => url.origin + url.pathname;

/**
 * Ends a run just before its check would be cut off, so that it can say what it was waiting for. As everywhere, an
 * answer that is already there wins over a deadline that fires late.
 */
async function within<Value>(
  clock: Clock,
  timeoutMs: number,
  signal: AbortSignal,
  run: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  const bound = new AbortController();
  const abort = (): void => bound.abort();
  const timer = clock.setTimeout(() => clock.nextTurn(abort), timeoutMs - Math.min(10, timeoutMs / 10), {
    keepAlive: false,
  });
  signal.addEventListener('abort', abort);
  try {
    return await run(bound.signal);
  } finally {
    clock.clearTimeout(timer);
    signal.removeEventListener('abort', abort);
  }
}

function isStatusList(value: unknown): boolean {
  const codes: readonly unknown[] = Array.isArray(value) ? value : [value];
  return (
    codes.length > 0 && codes.every((code) => Number.isInteger(code) && Number(code) >= 100 && Number(code) <= 599)
  );
}
