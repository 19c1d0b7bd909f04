import type { IncomingMessage, ServerResponse } from 'node:http';
import { createResponder } from './create-responder.js';
import { nodeHandler } from './node.js';
import type { HealthHandlerOptions } from './options.js';
import type { HealthReporter } from './reporter.js';

export type { DetailsPolicy, HealthHandlerOptions, PathOptions } from './options.js';
export { type HealthPaths, healthPaths } from './paths.js';
export { bearerToken, fromLoopback } from './policies.js';
export type { HealthReporter } from './reporter.js';

/** A middleware of Express 4 and 5, or of anything else of that shape. */
export type HealthRouter<Request = IncomingMessage> = (
  request: Request,
  response: ServerResponse,
  next: (error?: unknown) => void,
) => void;

/**
 * Health endpoints for Express. Mount it before authentication, rate limits and catch-all routes: it answers what is its
 * own, below the mount point, and calls `next()` for everything else. The answer is written past Express, so that no
 * ETag makes it a 304. The paths that are logged are those below the mount point.
 *
 * @throws HealthControllerError `invalid_option`
 *
 * @example
 * ```ts
 * app.use(healthRouter(controller));
 * ```
 */
export function healthRouter<Request extends IncomingMessage = IncomingMessage>(
  reporter: HealthReporter,
  options: HealthHandlerOptions<Request> = {},
): HealthRouter<Request> {
  const handler = nodeHandler(createResponder('healthRouter()', reporter, options));
  return (request, response, next) => {
    if (!handler(request, response)) next();
  };
}
