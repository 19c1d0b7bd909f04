import { type HealthHandler, write } from '../../http/node.js';
import { makeResponse, NOT_ALLOWED } from '../../http/response.js';
import { readOptions, type Shape, where } from '../../kit.js';
import { toWire } from '../../wire/service-health.js';
import { label } from './label.js';
import type { ExposedService, ServiceFilter } from './options.js';

/** Options of {@link SandboxServices.handler}. */
export interface ServicesHandlerOptions {
  /**
   * Where the list is; begins with `/`. A slash at the end of a request's path makes no difference, what lies below it
   * is left to the application.
   * @defaultValue '/services'
   */
  readonly path?: string | undefined;
}

const PATH = /^(?:\/[\w.~!$&'()*+,;=:@-]+)+$/;
const OPTIONS: Shape = {
  path: where(
    (value) => typeof value === 'string' && PATH.test(value),
    'a path that begins with "/", of characters that need no encoding, without query or slash at its end',
  ),
};

/**
 * Answers GET and HEAD with the list as JSON, in the field names of the published message (seed 001). `?workspace=` and
 * `?sandbox=` narrow it. Reads what is known and starts nothing.
 */
export function servicesHandler(
  list: (filter: ServiceFilter) => readonly ExposedService[],
  given: unknown,
): HealthHandler {
  const { path = '/services' }: ServicesHandlerOptions = readOptions('handler()', OPTIONS, given);
  return (request, response) => {
    const target = request.url ?? '';
    const end = target.indexOf('?');
    const asked = end < 0 ? target : target.slice(0, end);
    if (asked !== path && asked !== `${path}/`) return false;
    const { method } = request;
    if (method !== 'GET' && method !== 'HEAD') {
      write(response, NOT_ALLOWED, method);
      return true;
    }
    const query = new URLSearchParams(end < 0 ? '' : target.slice(end + 1));
    const filter = { workspace: query.get('workspace') ?? undefined, sandbox: query.get('sandbox') ?? undefined };
    const body = JSON.stringify({ services: list(filter).map(listed) });
    write(response, makeResponse(200, 'application/json; charset=utf-8', body), method);
    return true;
  };
}

function listed(service: ExposedService): unknown {
  const { endpoint, url, health } = service;
  const { readinessCheck, ...rest } = endpoint;
  return {
    endpoint: readinessCheck === undefined ? rest : { ...rest, readiness_check: readinessCheck },
    url,
    health: toWire(health),
    label: label(service),
  };
}
