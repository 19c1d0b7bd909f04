import type { IncomingMessage, ServerResponse } from 'node:http';
import { write } from '../../http/node.js';
import type { DetailsPolicy } from '../../http/options.js';
import { pathShape } from '../../http/paths.js';
import type { PolicyRequest } from '../../http/policies.js';
import { callable, readOptions, where } from '../../kit.js';
import { detailsShape } from './details-shape.js';
import type { Observer } from './observer.js';
import { GatewayResponder } from './responder.js';
import type { AuthorizeRestart } from './restart-guard.js';

/** Options of {@link Gateway.handler}. */
export interface GatewayHandlerOptions {
  /** Put before every path; slashes at its ends make no difference. A mount point of the framework comes before it. */
  readonly basePath?: string | undefined;
  /**
   * Who may restart the gateway: `bearerToken(secret)`, or a function. What it is given is the framework's own request.
   * Asked for a POST only, and for none that a page of another site could have had a browser send. Absent: there is no
   * such route.
   */
  readonly authorize?: AuthorizeRestart | undefined;
  /**
   * The status of a snapshot: 200 whatever it says, as the consumers of the seed expect; or `'reflect'`, 503 when not
   * ready, for what looks at the status alone.
   * @defaultValue 200
   */
  readonly statusCode?: 200 | 'reflect' | undefined;
  /**
   * Who sees error texts in full. Everyone else sees a sentence of ours per probe, in which nothing from outside is.
   * Credentials in URLs are masked for all.
   * @defaultValue 'never'
   */
  readonly details?: 'never' | 'always' | DetailsPolicy<PolicyRequest> | undefined;
}

/** The handler of a gateway in the shapes of several frameworks. */
export interface GatewayHandler {
  /** For node:http: answers a request of ours and says true; says false, and has touched nothing, for any other. */
  (request: IncomingMessage, response: ServerResponse): boolean;
  /** A middleware of Express 4 and 5: mount it before authentication, rate limits and catch-all routes. */
  readonly router: (request: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void) => void;
  /** A plugin of Fastify 4 and 5, not encapsulated: register it before anything else that adds hooks. Takes a `prefix`. */
  readonly plugin: (
    instance: FastifyHost,
    options: { readonly prefix?: string },
    done: (error?: Error) => void,
  ) => void;
  /** For whatever speaks `Request` and `Response`: undefined, at once, for a request that is not ours. */
  readonly fetch: (request: Request) => Promise<Response> | undefined;
}

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

const SHAPE = {
  basePath: pathShape(),
  authorize: callable(),
  statusCode: where((value) => value === 200 || value === 'reflect', "200 or 'reflect'"),
  details: detailsShape(),
};

export function gatewayHandler(observer: Observer, given: unknown): GatewayHandler {
  const options: GatewayHandlerOptions = readOptions('handler()', SHAPE, given);
  const { authorize, details } = options;
  const respondBelow = (prefix: string): GatewayResponder =>
    new GatewayResponder(observer, {
      basePath: `${prefix}/${options.basePath ?? ''}`,
      authorize: authorize?.bind(given),
      statusCode: options.statusCode ?? 200,
      details: typeof details === 'function' ? details.bind(given) : (details ?? 'never'),
    });
  const responder = respondBelow('');
  const handle = (request: IncomingMessage, response: ServerResponse): boolean =>
    answerNode(responder, request, response, request);
  return Object.assign(handle, {
    router: expressShell(handle),
    plugin: fastifyShell(respondBelow),
    fetch: fetchShell(responder),
  });
}

/** `asked` is the request as the policies see it. */
function answerNode(
  responder: GatewayResponder,
  request: IncomingMessage,
  response: ServerResponse,
  asked: PolicyRequest,
): boolean {
  const route = responder.match(request.url ?? '');
  if (route === undefined) return false;
  const { method } = request;
  void responder.answer(route, method, asked).then((answer) => write(response, answer, method));
  return true;
}

function expressShell(handle: (request: IncomingMessage, response: ServerResponse) => boolean) {
  const router: GatewayHandler['router'] = (request, response, next) => {
    if (!handle(request, response)) next();
  };
  return router;
}

function fastifyShell(respondBelow: (prefix: string) => GatewayResponder): GatewayHandler['plugin'] {
  const plugin: GatewayHandler['plugin'] = (instance, { prefix = '' }, done) => {
    const responder = respondBelow(`${instance.prefix}/${prefix}`);
    instance.addHook('onRequest', (request, reply, next) => {
      if (responder.match(request.raw.url ?? '') === undefined) return next();
      // Written past Fastify: no hook adds an ETag or another body, and its request is over.
      reply.hijack();
      answerNode(responder, request.raw, reply.raw, request);
    });
    done();
  };
  return Object.assign(plugin, {
    [Symbol.for('skip-override')]: true,
    [Symbol.for('fastify.display-name')]: 'health-controller-gateway',
  });
}

function fetchShell(responder: GatewayResponder): GatewayHandler['fetch'] {
  return (request) => {
    const route = responder.match(request.url);
    if (route === undefined) return undefined;
    const { method } = request;
    return responder.answer(route, method, request).then(({ status, headers, body }) => {
      return new Response(method === 'HEAD' ? null : body, { status, headers: { ...headers } });
    });
  };
}
