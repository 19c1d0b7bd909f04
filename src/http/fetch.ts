import { createResponder } from './create-responder.js';
import { type FetchHandler, fetchHandler } from './fetch-handler.js';
import type { HealthHandlerOptions } from './options.js';
import type { HealthReporter } from './reporter.js';

export type { FetchHandler } from './fetch-handler.js';
export type { DetailsPolicy, HealthHandlerOptions, PathOptions } from './options.js';
export { type HealthPaths, healthPaths } from './paths.js';
export { bearerToken, fromLoopback } from './policies.js';
export type { HealthReporter } from './reporter.js';

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
  return fetchHandler(createResponder('createFetchHandler()', reporter, options));
}
