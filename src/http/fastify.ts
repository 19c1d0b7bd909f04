import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import { invalidOption, where } from '../kit.js';
import { createResponder } from './create-responder.js';
import { acceptOf, type RawRequest, type RawResponse, write } from './node.js';
import type { HealthHandlerOptions } from './options.js';
import { KINDS, pathShape, type Target, wholeReport } from './paths.js';
import type { HealthReporter } from './reporter.js';

export type { DetailsPolicy, HealthHandlerOptions, PathOptions } from './options.js';
export { type HealthPaths, healthPaths } from './paths.js';
export { bearerToken, fromLoopback } from './policies.js';
export type { HealthReporter } from './reporter.js';

/** What a details policy sees of a request of Fastify 4 and 5. */
export interface FastifyRequestLike {
  readonly raw: RawRequest;
  readonly headers: IncomingHttpHeaders;
  readonly socket: Socket;
  readonly ip: string;
}

interface FastifyReplyLike {
  readonly raw: RawResponse;
  hijack(): unknown;
}

type Handle = (request: FastifyRequestLike, reply: FastifyReplyLike) => void;

/** What the plugin uses of an instance of Fastify 4 and 5. */
export interface FastifyLike {
  readonly prefix: string;
  readonly log: object;
  addHook(
    name: 'onRequest',
    hook: (request: FastifyRequestLike, reply: FastifyReplyLike, done: (error?: Error) => void) => void,
  ): unknown;
  route(route: {
    readonly method: string[];
    readonly url: string;
    readonly logLevel?: 'warn';
    readonly schema: object;
    readonly handler: Handle;
  }): unknown;
}

/** Options of `healthPlugin`. */
export interface HealthPluginOptions extends HealthHandlerOptions<FastifyRequestLike> {
  readonly reporter: HealthReporter;
  /** As of every plugin: put before the paths, after the prefix of the instance it is registered with. */
  readonly prefix?: string | undefined;
}

/** A plugin of Fastify 4 and 5. */
export type HealthPlugin = (instance: FastifyLike, options: HealthPluginOptions, done: (error?: Error) => void) => void;

const OWN_SHAPE = {
  reporter: where(() => true, 'a reporter'),
  prefix: pathShape(),
  // Fastify passes on what is given to `register`.
  logLevel: where(() => true, 'a level'),
  logSerializers: where(() => true, 'serializers'),
};

/** All that Fastify knows without being told: others end in its 404, which the hook sees. */
const METHODS = ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT'];

function register(instance: FastifyLike, options: HealthPluginOptions): void {
  const at = 'healthPlugin';
  const prefix = `${instance.prefix}/${options.prefix ?? ''}`;
  if (/[:*]/.test(prefix)) throw invalidOption(`${at}: the prefix`, 'one without parameters', prefix);
  const responder = createResponder(at, options.reporter, options, { shape: OWN_SHAPE, prefix });

  const answer = (target: Target, request: FastifyRequestLike, reply: FastifyReplyLike): void => {
    const { raw } = request;
    // Written past Fastify: no hook adds an ETag or another body, and its request is over.
    reply.hijack();
    responder.answer(target, raw.method, acceptOf(raw), request, (response) => write(reply.raw, response, raw.method));
  };

  // Sees every request of this instance, those too that end in a catch-all or in its 404.
  instance.addHook('onRequest', (request, reply, done) => {
    const target = responder.match(request.raw.url ?? '');
    if (target === undefined) done();
    else answer(target, request, reply);
  });

  // Without a logger it would be made for nothing on each request.
  const logging = !('level' in instance.log) ? {} : { logLevel: 'warn' as const };
  // Win over a catch-all of a plugin that was registered earlier and does not have the hook.
  const { paths } = responder;
  for (const kind of KINDS) {
    const path = paths[kind];
    if (path === false) continue;
    const url = path.slice(instance.prefix.length);
    for (const each of [url, `${url}/*`]) {
      const handler: Handle = (request, reply) => {
        answer(responder.match(request.raw.url ?? '') ?? wholeReport(kind), request, reply);
      };
      instance.route({ method: METHODS, url: each, schema: { hide: true }, handler, ...logging });
    }
  }
}

/**
 * Health endpoints for Fastify. It is not encapsulated: its hook belongs to the instance it is registered with, so that
 * no spelling of a path falls through to a catch-all. Register it with `await` before anything else that adds hooks, as
 * authentication and rate limits do. Probes are not logged as requests.
 *
 * Calls back with a HealthControllerError `invalid_option`.
 *
 * @example
 * ```ts
 * await app.register(healthPlugin, { reporter: controller });
 * ```
 */
export const healthPlugin: HealthPlugin = /* @__PURE__ */ Object.assign(
  (instance: FastifyLike, options: HealthPluginOptions, done: (error?: Error) => void) => {
    try {
      register(instance, options);
    } catch (error) {
      done(error as Error);
      return;
    }
    done();
  },
  {
    [Symbol.for('skip-override')]: true,
    [Symbol.for('fastify.display-name')]: 'health-controller',
    [Symbol.for('plugin-meta')]: { name: 'health-controller', fastify: '>=4' },
  },
);
