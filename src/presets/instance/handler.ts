import type { IncomingMessage } from 'node:http';
import { DetailsGate } from '../../http/details.js';
import { maskCredentials } from '../../http/masking.js';
import { type HealthHandler, write } from '../../http/node.js';
import type { DetailsPolicy } from '../../http/options.js';
import { decoded, pathShape } from '../../http/paths.js';
import { type HealthResponse, makeResponse, NOT_ALLOWED, NOT_FOUND } from '../../http/response.js';
import type { Clock, Logger } from '../../index.js';
import {
  checkValue,
  clockPort,
  having,
  loggerPort,
  printable,
  readOptions,
  safeLogger,
  silentLogger,
  systemClock,
  where,
} from '../../kit.js';
import type { InstanceHealth } from '../../wire/instance.js';

/** The instances there are, by the id that is in the path. A Map is one. */
export interface InstanceRegistry {
  get(id: string): { health(): InstanceHealth | PromiseLike<InstanceHealth> } | undefined;
}

export interface InstanceHandlerOptions {
  /**
   * Put before `/instances`; slashes at its ends make no difference.
   * @defaultValue ''
   */
  readonly basePath?: string | undefined;
  /**
   * Who sees `message`. Credentials in URLs are masked for all. A policy that throws, or takes more than a second, counts
   * as no.
   * @defaultValue 'never'
   */
  readonly details?: 'never' | 'always' | DetailsPolicy<IncomingMessage> | undefined;
  /** Told when the registry, an instance or the policy fails. Absent: nobody is told. */
  readonly logger?: Logger | undefined;
  /** Bounds the policy. Absent: the system's clock. */
  readonly clock?: Clock | undefined;
}

const AT = 'createInstanceHandler()';

const isPolicy = (value: unknown): boolean => value === 'never' || value === 'always' || typeof value === 'function';
const OPTIONS = {
  basePath: pathShape(),
  details: where(isPolicy, "'never', 'always' or a function"),
  logger: loggerPort(),
  clock: clockPort(),
};

const UNAVAILABLE = makeResponse(503, 'text/plain; charset=utf-8', 'unavailable\n');

/**
 * Answers GET and HEAD of `/instances/:id/health` with the instance's health as JSON, looked at on demand; requests at
 * the same time share one look. 200 whatever the health is: the body tells. 404 for an id that the registry does not
 * have, 405 for other methods; other paths are left to the application. A trailing slash and the query make no
 * difference.
 * @throws HealthControllerError `invalid_option`
 *
 * @example
 * ```ts
 * const instances = new Map([['17', new Instance({ container: dockerContainer({ name: 'tool-17' }) })]]);
 * const handle = createInstanceHandler(instances);
 * createServer((req, res) => {
 *   if (!handle(req, res)) app(req, res);
 * });
 * ```
 */
export function createInstanceHandler(registry: InstanceRegistry, options: InstanceHandlerOptions = {}): HealthHandler {
  checkValue(`${AT}: the registry`, having('get'), registry);
  const given: InstanceHandlerOptions = readOptions(AT, OPTIONS, options);
  const logger = given.logger === undefined ? silentLogger : safeLogger(given.logger);
  const gate = new DetailsGate<IncomingMessage>(given.details ?? 'never', given.clock ?? systemClock, logger);
  const idOf = idReader(given.basePath ?? '');

  const answer = async (id: string, request: IncomingMessage): Promise<HealthResponse> => {
    try {
      const instance = registry.get(id);
      if (instance === undefined) return NOT_FOUND;
      const details = await gate.allows(request);
      const body = JSON.stringify(published(await instance.health(), details));
      return makeResponse(200, 'application/json; charset=utf-8', body);
    } catch (error) {
      logger.error(`the health of an instance could not be told: ${printable(error)}`, { id, error });
      return UNAVAILABLE;
    }
  };

  return (request, response) => {
    const id = idOf(request.url ?? '');
    if (id === undefined) return false;
    const { method } = request;
    if (method !== 'GET' && method !== 'HEAD') write(response, NOT_ALLOWED, method);
    else void answer(id, request).then((answered) => write(response, answered, method));
    return true;
  };
}

function idReader(basePath: string): (target: string) => string | undefined {
  const segments = [...basePath.split('/').filter((segment) => segment !== ''), 'instances'];
  const start = `/${segments.join('/')}/`;
  return (target) => {
    const [path = ''] = target.split('?', 1);
    if (!path.startsWith(start)) return undefined;
    const id = /^([^/]+)\/health\/?$/.exec(path.slice(start.length))?.[1];
    return id === undefined ? undefined : decoded(id);
  };
}

function published({ message, ...health }: InstanceHealth, details: boolean): InstanceHealth {
  return details && message !== undefined ? { ...health, message: maskCredentials(message) } : health;
}
