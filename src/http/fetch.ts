import { createResponder } from './create-responder.js';
import type { HealthHandlerOptions } from './options.js';
import type { HealthReporter } from './reporter.js';
import type { HealthResponse } from './response.js';

export type { DetailsPolicy, HealthHandlerOptions, PathOptions } from './options.js';
export { type HealthPaths, healthPaths } from './paths.js';
export { bearerToken, fromLoopback } from './policies.js';
export type { HealthReporter } from './reporter.js';

/** Gives a response for a request of ours, and undefined, at once, for any other. */
export type FetchHandler = (request: Request) => Promise<Response> | undefined;

/**
 * Health endpoints for whatever speaks `Request` and `Response`: Hono, Bun, Deno, Workers, Next. Uses nothing of Node.
 *
 * @throws HealthControllerError `invalid_option`
 *
 * @example
 * ```ts
 * const health = createFetchHandler(controller);
 * Bun.serve({ fetch: (request) => health(request) ?? app.fetch(request) });
 * ```
 */
export function createFetchHandler(
  reporter: HealthReporter,
  options: HealthHandlerOptions<Request> = {},
): FetchHandler {
  const responder = createResponder('createFetchHandler()', reporter, options);
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

function toResponse({ status, headers, body }: HealthResponse, method: string): Response {
  return new Response(method === 'HEAD' ? null : body, { status, headers: { ...headers } });
}
