import { discardBody, readBody } from '../../wire/read-body.js';
import { takeCredentials } from '../../wire/url-credentials.js';

/** What a health request is made with: what a `fetch` takes, as far as it is used here. */
export interface HealthFetchInit {
  readonly method: 'GET';
  readonly headers: Readonly<Record<string, string>>;
  /** Redirects are not followed: another place's answer says nothing about this gateway. */
  readonly redirect: 'manual';
  /** Aborted at the timeout. */
  readonly signal: AbortSignal;
}

/** What it is answered with: of a `Response`, as far as it is used here. */
export interface HealthFetchResponse {
  readonly status: number;
  readonly headers?: { get(name: string): string | null } | undefined;
  readonly body?: HealthFetchBody | null | undefined;
  /** Asked where there is no `body` to read piece by piece. */
  text?(): Promise<string>;
}

/** A stream of bytes: of a `ReadableStream`, as far as it is used here. */
export interface HealthFetchBody {
  getReader(): {
    read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
    cancel(): Promise<unknown>;
  };
}

/** A `fetch`, or whatever can ask the health URL in its place: from outside a sandbox, say. */
export type HealthFetch = (url: string, init: HealthFetchInit) => PromiseLike<HealthFetchResponse>;

/** What the gateway said. */
export interface HealthAnswer {
  readonly status: number;
  readonly html: boolean;
  /** As far as it was read; undefined when it was longer than the limit. */
  readonly body: string | undefined;
}

/** More than this is no health answer. */
export const MAX_BODY_BYTES = 64 * 1024;

/** Asks once. The body is read for liveness only; for readiness the status is all. */
export async function askHealth(
  fetch: HealthFetch,
  target: HealthTarget,
  wantsBody: boolean,
  signal: AbortSignal,
): Promise<HealthAnswer> {
  const response = await fetch(target.url, { method: 'GET', headers: target.headers, redirect: 'manual', signal });
  const { status } = response;
  const html = /^\s*text\/html\b/i.test(response.headers?.get('content-type') ?? '');
  if (!wantsBody || status !== 200 || html) {
    await discardBody(response);
    return { status, html, body: '' };
  }
  const body = await readBody(response, MAX_BODY_BYTES);
  return { status, html: body !== undefined && /^\s*<(!doctype\s|html\b)/i.test(body), body };
}

/** Where to ask. Credentials of the URL go into a header: a `fetch` refuses them, and nothing that prints it has them. */
export interface HealthTarget {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

export function healthTarget(healthUrl: string): HealthTarget {
  const url = new URL(healthUrl);
  const headers: Record<string, string> = { accept: 'application/json', 'user-agent': 'health-controller' };
  const authorization = takeCredentials(url);
  if (authorization !== undefined) headers.authorization = authorization;
  url.hash = '';
  return Object.freeze({ url: url.href, headers: Object.freeze(headers) });
}
