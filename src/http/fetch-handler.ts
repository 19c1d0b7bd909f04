import type { Answering } from './answering.js';
import { streamToBody } from './event-sink.js';
import type { HealthResponse } from './response.js';

/** Gives a response for a request of ours, and undefined, at once, for any other. */
export type FetchHandler = (request: Request) => Promise<Response> | undefined;

/** The shell around a responder for whatever has `Request` and `Response`. Uses nothing of Node. */
export function fetchHandler<Match>(responder: Answering<Request, Match>): FetchHandler {
  return (request) => {
    const { url, method } = request;
    const fragment = url.indexOf('#');
    const target = responder.match(fragment < 0 ? url : url.slice(0, fragment));
    if (target === undefined) return undefined;
    return new Promise((resolve) => {
      const accept = request.headers.get('accept') ?? undefined;
      responder.answer(target, method, accept, request, (answer) => resolve(toResponse(answer, method)));
    });
  };
}

function toResponse({ status, headers, body, stream }: HealthResponse, method: string): Response {
  const content = method === 'HEAD' ? null : stream === undefined ? body : streamToBody(stream);
  return new Response(content, { status, headers: { ...headers } });
}
