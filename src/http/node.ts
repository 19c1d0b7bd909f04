import type { IncomingMessage } from 'node:http';
import type { Answering } from './answering.js';
import { createResponder } from './create-responder.js';
import { streamToNode } from './event-sink.js';
import type { HealthHandlerOptions } from './options.js';
import type { PolicyRequest } from './policies.js';
import type { HealthReporter } from './reporter.js';
import type { HealthResponse } from './response.js';

/** What is read of a request of Node: of HTTP/2 too. */
export interface RawRequest {
  readonly url?: string | undefined;
  readonly method?: string | undefined;
  readonly rawHeaders: readonly string[];
}

/** What is used of a response of Node: of HTTP/2 too. */
export interface RawResponse {
  readonly destroyed?: boolean | undefined;
  readonly headersSent: boolean;
  readonly writableEnded: boolean;
  /** Gets a list of names and values, which the types of HTTP/2 do not know. */
  writeHead(status: number, headers: never): unknown;
  end(body: string | Uint8Array): unknown;
  destroy?(): unknown;
  /** Used for streams of events only, as what follows. */
  write?(text: string): unknown;
  once?(event: 'close', listener: () => void): unknown;
  setHeader?(name: string, value: string): unknown;
  readonly writableLength?: number | undefined;
}

/** Answers a request of ours and says true; says false, and has touched nothing, where the request is not ours. */
export type HealthHandler<Request = IncomingMessage> = (request: Request, response: RawResponse) => boolean;

/**
 * Health endpoints inside an existing server of `node:http`, `node:https` or `node:http2`.
 *
 * It takes `/livez`, `/readyz`, `/status` and what lies below them, in any spelling, and never lets them fall through.
 * Put it first: what stands before it (authentication, rate limits) decides about probes too.
 *
 * @throws HealthControllerError `invalid_option`
 *
 * @example
 * ```ts
 * const health = createHealthHandler(controller);
 * createServer((req, res) => {
 *   if (health(req, res)) return;
 *   app(req, res);
 * });
 * ```
 */
export function createHealthHandler<Request extends RawRequest & PolicyRequest = IncomingMessage>(
  reporter: HealthReporter,
  options: HealthHandlerOptions<Request> = {},
): HealthHandler<Request> {
  return nodeHandler(createResponder('createHealthHandler()', reporter, options));
}

/** The shell around a responder for whatever has requests and responses of Node. */
export function nodeHandler<Request extends RawRequest, Match>(
  responder: Answering<Request, Match>,
): HealthHandler<Request> {
  return (request, response) => {
    const target = responder.match(request.url ?? '');
    if (target === undefined) return false;
    const { method } = request;
    responder.answer(target, method, acceptOf(request), request, (answer) => write(response, answer, method));
    return true;
  };
}

/** The `Accept` header. Looked for in the raw list: `headers` would be built for it alone. */
export function acceptOf({ rawHeaders }: RawRequest): string | undefined {
  let accept: string | undefined;
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = rawHeaders[i];
    if (name?.length !== 6 || name.toLowerCase() !== 'accept') continue;
    accept = accept === undefined ? rawHeaders[i + 1] : `${accept},${rawHeaders[i + 1]}`;
  }
  return accept;
}

/** Writes an answer, unless the client has gone or something else has answered. */
export function write(
  response: RawResponse,
  { status, headers, headerList, body, bytes, stream }: HealthResponse,
  method: string | undefined,
): void {
  if (response.destroyed || response.headersSent || response.writableEnded) return;
  try {
    if (stream !== undefined && method !== 'HEAD') {
      // Not in the list for writeHead: a server that is stopped looks for it to find what will not end by itself.
      for (const [name, value] of Object.entries(headers)) response.setHeader?.(name, value);
      response.writeHead(status, {} as never);
      streamToNode(response, stream);
      return;
    }
    response.writeHead(status, headerList as never);
    response.end(method === 'HEAD' ? '' : (bytes ?? body));
  } catch {
    // What stands around us has broken the response: only its connection can still be ended.
    response.destroy?.();
  }
}
