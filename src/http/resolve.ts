import { type Clock, type Logger, systemClock } from '../index.js';
import {
  checkValue,
  clockPort,
  having,
  invalidOption,
  loggerPort,
  readOptions,
  type Shape,
  safeLogger,
  silentLogger,
  where,
} from '../kit.js';
import type { DetailsPolicy, HealthHandlerOptions } from './options.js';
import { type HealthPaths, PATH_SHAPE, resolvePaths } from './paths.js';
import { PAGE_SHAPE, type ReportPage } from './report-page.js';
import type { HealthReporter } from './reporter.js';

/** The status code of each verdict. */
export interface Codes {
  readonly healthy: number;
  readonly degraded: number;
  readonly unhealthy: number;
}

/** A handler's options, with everything decided. */
export interface HandlerSettings<Request> {
  readonly paths: HealthPaths;
  readonly codes: Codes;
  readonly details: 'never' | 'always' | DetailsPolicy<Request>;
  readonly page: ReportPage | undefined;
  readonly logger: Logger;
  readonly clock: Clock;
}

/** Statuses of HTTP that say themselves that there is no body. */
const WITHOUT_BODY = [204, 205, 304];

const code = () =>
  where(
    (value) =>
      typeof value === 'number' &&
      Number.isInteger(value) &&
      value >= 200 &&
      value <= 599 &&
      !WITHOUT_BODY.includes(value),
    'a status code from 200 to 599 that may carry a body',
  );

const CODES = { healthy: code(), degraded: code(), unhealthy: code() };
const isPolicy = (value: unknown): boolean => value === 'never' || value === 'always' || typeof value === 'function';

const HANDLER_SHAPE = {
  ...PATH_SHAPE,
  ...PAGE_SHAPE,
  codes: where(() => true, 'an object of status codes'),
  details: where(isPolicy, "'never', 'always' or a function"),
  logger: loggerPort(),
  clock: clockPort(),
};

/**
 * `at` names the function that was called, `given` are its options, `more` those that it has beside the handler's own,
 * and `prefix` is what stands before every path.
 */
export function resolveHandler<Request>(
  at: string,
  given: unknown,
  more: Shape = {},
  prefix = '',
): HandlerSettings<Request> {
  const options: HealthHandlerOptions<Request> = readOptions(at, { ...HANDLER_SHAPE, ...more }, given);
  const codes: NonNullable<HealthHandlerOptions<Request>['codes']> = readOptions(
    `${at}: option "codes"`,
    CODES,
    options.codes ?? {},
  );
  const { details, page } = options;
  const paths = resolvePaths(at, options, prefix);
  if (page !== undefined && paths.status === false) {
    throw invalidOption(`${at}: option "paths"."status"`, 'a path, since there is a page to be shown there', false);
  }
  return Object.freeze({
    paths,
    codes: Object.freeze({
      healthy: codes.healthy ?? 200,
      degraded: codes.degraded ?? 200,
      unhealthy: codes.unhealthy ?? 503,
    }),
    details: typeof details === 'function' ? details.bind(given) : (details ?? 'never'),
    page,
    logger: options.logger === undefined ? silentLogger : safeLogger(options.logger),
    clock: options.clock ?? systemClock,
  });
}

/** @throws HealthControllerError `invalid_option` */
export function checkReporter(at: string, reporter: unknown): asserts reporter is HealthReporter {
  checkValue(`${at}: the reporter`, having('status', 'liveness', 'readiness'), reporter);
  const { names } = reporter as { names?: unknown };
  if (names !== undefined && typeof names !== 'function') {
    throw invalidOption(`${at}: the reporter's "names"`, 'a function, or nothing', names);
  }
}
