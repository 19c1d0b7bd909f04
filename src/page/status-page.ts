import type { IncomingMessage, ServerResponse } from 'node:http';
import { fetchHandler } from '../http/fetch-handler.js';
import { nodeHandler } from '../http/node.js';
import type { Target } from '../http/paths.js';
import type { ReportPage } from '../http/report-page.js';
import { expressShell, type FastifyHost, fastifyShell } from '../http/shells.js';
import { Board } from './board.js';
import { EventStreams } from './event-streams.js';
import { resolveStatusPage, type StatusPageOptions } from './options.js';
import { Renderings } from './rendering.js';
import { PageAnswers, PageResponder } from './responder.js';
import { SLOTS } from './strip.js';

/** A status page in the shapes of several frameworks. A health handler takes it too, as its option `page`. */
export interface StatusPage extends ReportPage {
  /** For node:http: answers a request of ours and says true; says false, and has touched nothing, for any other. */
  (request: IncomingMessage, response: ServerResponse): boolean;
  /** A middleware of Express 4 and 5: mount it before catch-all routes, and behind what decides who may look. */
  readonly router: (request: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void) => void;
  /** A plugin of Fastify 4 and 5, not encapsulated. Takes a `prefix`. */
  readonly plugin: (
    instance: FastifyHost,
    options: { readonly prefix?: string },
    done: (error?: Error) => void,
  ) => void;
  /** For whatever speaks `Request` and `Response`: undefined, at once, for a request that is not ours. */
  readonly fetch: (request: Request) => Promise<Response> | undefined;
  /** Where its own handlers have it, without what a framework puts before it. */
  readonly path: string;
  /** How many browsers have a stream. */
  readonly clients: number;
  /**
   * Ends the streams and listens to its sources no more; from then on browsers poll, and the page is read only when it
   * is asked for. Comes by itself when a controller that is shown has drained. Doing it again does nothing.
   */
  close(): void;
}

/**
 * A page for people: what controllers, gateways, sandbox services, instances and monitors say, live, in one HTML document
 * without any outside asset. It is read once per refresh for all who look, and not at all while nobody does.
 *
 * Give it to a health handler as `page`, and browsers get it at `/status`; or mount it at a path of its own. It listens to
 * its sources from here on, until `close()` or until a controller that it shows has drained; it sets no timer before
 * somebody looks.
 *
 * @throws HealthControllerError `invalid_option`
 *
 * @example
 * ```ts
 * const page = createStatusPage({ title: 'Orders', sources: [controllerSource(controller)] });
 * await serveHealth(controller, { port: 9000, page });
 * ```
 */
export function createStatusPage(options: StatusPageOptions): StatusPage {
  const settings = resolveStatusPage(options);
  const { logger, historyMs, signals } = settings;
  const board = new Board(settings.sources, { ...settings, slotMs: historyMs / SLOTS });
  const renderings = new Renderings(board, settings);
  const streams = new EventStreams(board, renderings, settings);
  const answers = new PageAnswers(board, renderings, streams, settings);
  const path = settings.pathBelow('');
  logger.info(`status page at ${path}`, { path });

  const close = (): void => {
    for (const signal of signals) signal.removeEventListener('abort', close);
    streams.end();
    board.end();
  };
  for (const signal of signals) signal.addEventListener('abort', close);
  if (signals.some(({ aborted }) => aborted)) close();

  const responder = new PageResponder(answers, path);
  const handle = nodeHandler<IncomingMessage, Target>(responder);
  const page = Object.assign((request: IncomingMessage, response: ServerResponse) => handle(request, response), {
    answer: answers.answer.bind(answers),
    router: expressShell(handle),
    plugin: fastifyShell('health-controller-page', (prefix) => new PageResponder(answers, settings.pathBelow(prefix))),
    fetch: fetchHandler(responder),
    path,
    close,
  });
  return Object.defineProperty(page as typeof page & Pick<StatusPage, 'clients'>, 'clients', {
    get: () => streams.size,
  });
}
