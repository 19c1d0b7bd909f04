import type { Verdict } from './observed.js';

/** Response headers larger than this, or more responses than this that only announce another, are not waited for. */
export const MAX_HEADER_BYTES = 16_384;
export const MAX_INFORMATIONAL = 32;

/** How far an attempt has come. */
export type Phase = 'connecting' | 'waiting';

/** The last word of an attempt to get response headers: a status code, or why there is none. */
export type Head = { readonly status: number } | { readonly fault: HeadFault };
export type HeadFault = 'closed' | 'not_http' | 'headers_too_large' | 'too_many_informational' | 'broken' | 'no_stream';

const FAULTS: Readonly<Record<HeadFault, string>> = {
  closed: 'connection closed before the response headers',
  not_http: 'response is not valid HTTP/1.1',
  headers_too_large: `response headers are larger than ${MAX_HEADER_BYTES} bytes`,
  too_many_informational: `more than ${MAX_INFORMATIONAL} informational responses and no final one`,
  broken: 'connection failed before the response headers',
  no_stream: 'relay returned no stream of bytes',
};

/** What a failed connection is called; by the error's code, since its text may hold addresses. */
const CONNECT_FAULTS: ReadonlyMap<unknown, string> = new Map([
  ['ECONNREFUSED', 'connection refused'],
  ['ECONNRESET', 'connection reset'],
  ['EPIPE', 'connection reset'],
  ['ETIMEDOUT', 'connection timed out'],
  ['EHOSTUNREACH', 'host is unreachable'],
  ['ENETUNREACH', 'host is unreachable'],
  ['ENOTFOUND', 'host name was not found'],
  ['EAI_AGAIN', 'host name was not found'],
]);

/** What became of the request, once its headers are there or cannot come. `ready`: a readiness check asks for 2xx. */
export function judge(head: Head, ready: boolean): Verdict {
  if ('fault' in head) return { outcome: 'fail', message: FAULTS[head.fault] };
  const { status } = head;
  if (!ready || (status >= 200 && status <= 299)) return { outcome: 'pass', message: `HTTP ${status}`, code: status };
  const message =
    status >= 300 && status <= 399
      ? `HTTP ${status}, expected 2xx; redirects are not followed`
      : `HTTP ${status}, expected 2xx`;
  return { outcome: 'fail', message, code: status };
}

/** The relay rejected. */
export function notConnected(error: unknown): Verdict {
  const code = codeOf(error);
  if (code === 'relay_unavailable') return { outcome: 'inconclusive', message: 'relay is unavailable' };
  return { outcome: 'fail', message: CONNECT_FAULTS.get(code) ?? 'connection failed' };
}

/** The deadline has passed. */
export function timedOut(phase: Phase, timeoutMs: number): Verdict {
  const what = phase === 'connecting' ? 'while connecting' : 'waiting for the response headers';
  return { outcome: 'fail', message: `timed out after ${timeoutMs} ms ${what}` };
}

/** Earlier calls of the relay ignore their signal and hang: no further one is made. */
export const RELAY_STUCK: Verdict = Object.freeze({
  outcome: 'fail',
  message: 'earlier connection attempts have not ended',
});

/** An error's code. Never throws, whatever was thrown. */
export function codeOf(error: unknown): unknown {
  try {
    return typeof error === 'object' && error !== null ? (error as { code?: unknown }).code : undefined;
  } catch {
    return undefined;
  }
}
