import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Answering } from './answering.js';
import { acceptOf, write } from './node.js';
import type { PolicyRequest } from './policies.js';

/** A middleware of Express 4 and 5. */
type Middleware = (request: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void) => void;

interface FastifyRequest extends PolicyRequest {
  readonly raw: IncomingMessage;
}

interface FastifyReply {
  readonly raw: ServerResponse;
  hijack(): unknown;
}

/** What the plugin uses of an instance of Fastify 4 and 5. */
export interface FastifyHost {
  readonly prefix: string;
  addHook(
    name: 'onRequest',
    hook: (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => void,
  ): unknown;
}

/** A plugin of Fastify 4 and 5. */
type Plugin = (instance: FastifyHost, options: { readonly prefix?: string }, done: (error?: Error) => void) => void;

/** The shell for Express around one for node:http. */
export function expressShell(handle: (request: IncomingMessage, response: ServerResponse) => boolean): Middleware {
  return (request, response, next) => {
    if (!handle(request, response)) next();
  };
}

/** The shell for Fastify: a hook that sees every request. `respondBelow` gives what answers below a prefix. */
export function fastifyShell<Match>(
  name: string,
  respondBelow: (prefix: string) => Answering<PolicyRequest, Match>,
): Plugin {
  const plugin: Plugin = (instance, { prefix = '' }, done) => {
    const responder = respondBelow(`${instance.prefix}/${prefix}`);
    instance.addHook('onRequest', (request, reply, next) => {
      const { raw } = request;
      const match = responder.match(raw.url ?? '');
      if (match === undefined) return next();
      // Written past Fastify: no hook adds an ETag or another body, and its request is over.
      reply.hijack();
      responder.answer(match, raw.method, acceptOf(raw), request, (answer) => write(reply.raw, answer, raw.method));
    });
    done();
  };
  return Object.assign(plugin, {
    [Symbol.for('skip-override')]: true,
    [Symbol.for('fastify.display-name')]: name,
  });
}
