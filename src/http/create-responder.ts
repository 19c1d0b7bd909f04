import type { Shape } from '../kit.js';
import type { HealthHandlerOptions } from './options.js';
import { listPaths } from './paths.js';
import type { HealthReporter } from './reporter.js';
import { checkReporter, type HandlerSettings, resolveHandler } from './resolve.js';
import { Responder } from './respond.js';

/** What an adapter has beside the options of every handler. */
interface Own {
  readonly shape?: Shape;
  /** Stands before every path. */
  readonly prefix?: string;
}

/** What an adapter makes of what it was given. `at` names its function. */
export function createResponder<Request>(
  at: string,
  reporter: HealthReporter,
  options: HealthHandlerOptions<Request>,
  { shape, prefix }: Own = {},
): Responder<Request> {
  checkReporter(at, reporter);
  const settings = resolveHandler<Request>(at, options, shape, prefix);
  logPaths(settings, `health endpoints of ${at}`);
  return new Responder(reporter, settings);
}

/** Once per handler: a probe that gets a 404 is looked for in the log first. */
export function logPaths({ paths, logger }: HandlerSettings<never>, what: string): void {
  logger.info(`${what}: ${listPaths(paths) || 'none'}`, { paths });
}
