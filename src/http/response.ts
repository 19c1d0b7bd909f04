import type { OpenStream } from './event-sink.js';
import { FORMAT_LIST } from './formats/table.js';

/** An answer, for any framework. Frozen; the same object for the same bytes, where they are kept. */
export interface HealthResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The same headers as names and values in turn, which Node writes fastest. */
  readonly headerList: readonly string[];
  /** What a GET gets. A HEAD gets the same headers, Content-Length included, and no body. */
  readonly body: string;
  /** The same in UTF-8, where it is long: a text is turned into bytes anew for each answer. */
  readonly bytes?: Uint8Array;
  /** Of a stream of events: what begins it once the head is written. Its `body` is empty. */
  readonly stream?: OpenStream;
}

/** Whether it can be written at all. */
export function isResponse(value: unknown): value is HealthResponse {
  if (typeof value !== 'object' || value === null) return false;
  const { status, headers, headerList, body } = value as { readonly [Key in keyof HealthResponse]?: unknown };
  const isHead =
    typeof status === 'number' && typeof headers === 'object' && headers !== null && Array.isArray(headerList);
  return isHead && typeof body === 'string';
}

const encoder = new TextEncoder();
/** From here on bytes are written faster than text. */
const LONG_BYTES = 2048;
const PLAIN_TEXT = 'text/plain; charset=utf-8';

export function makeResponse(
  status: number,
  contentType: string,
  body: string,
  more: Readonly<Record<string, string>> = {},
): HealthResponse {
  const bytes = encoder.encode(body);
  const headers = Object.freeze({
    ...more,
    'Content-Type': contentType,
    'Content-Length': String(bytes.length),
    // No ETag either: an answer about this moment is never 304.
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
  });
  const headerList = Object.freeze(Object.entries(headers).flat());
  const answer = { status, headers, headerList, body };
  return Object.freeze(bytes.length < LONG_BYTES ? answer : { ...answer, bytes });
}

/** A stream of server-sent events. It has no length, and asks proxies to pass on each event at once. */
export function makeStream(open: OpenStream, more: Readonly<Record<string, string>> = {}): HealthResponse {
  const headers = Object.freeze({
    ...more,
    'Content-Type': 'text/event-stream; charset=utf-8',
    'Cache-Control': 'no-store, no-transform',
    'X-Accel-Buffering': 'no',
    'X-Content-Type-Options': 'nosniff',
  });
  const headerList = Object.freeze(Object.entries(headers).flat());
  return Object.freeze({ status: 200, headers, headerList, body: '', stream: open });
}

export const NOT_ALLOWED = makeResponse(405, PLAIN_TEXT, 'method not allowed\n', { Allow: 'GET, HEAD' });
export const NOT_FOUND = makeResponse(404, PLAIN_TEXT, 'not found\n');
export const PAGE_FAILED = makeResponse(503, PLAIN_TEXT, 'the page cannot be shown\n');
export const NOT_ACCEPTABLE = makeResponse(406, PLAIN_TEXT, `not acceptable; there are\n${FORMAT_LIST}\n`);
