import type { IncomingMessage, ServerResponse } from 'node:http';
import { fetchHandler } from '../../http/fetch-handler.js';
import { nodeHandler } from '../../http/node.js';
import type { DetailsPolicy } from '../../http/options.js';
import { pathShape } from '../../http/paths.js';
import type { PolicyRequest } from '../../http/policies.js';
import { expressShell, type FastifyHost, fastifyShell } from '../../http/shells.js';
import { callable, readOptions, where } from '../../kit.js';
import { detailsShape } from './details-shape.js';
import type { Observer } from './observer.js';
import { GatewayResponder } from './responder.js';
import type { AuthorizeRestart } from './restart-guard.js';
import type { Route } from './routes.js';

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
  const handle = nodeHandler<IncomingMessage, Route>(responder);
  return Object.assign((request: IncomingMessage, response: ServerResponse) => handle(request, response), {
    router: expressShell(handle),
    plugin: fastifyShell('health-controller-gateway', respondBelow),
    fetch: fetchHandler(responder),
  });
}
