import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { Clock } from '../index.js';
import { isThenable, onSettled, withDeadline } from '../kit.js';
import { Connections } from './connections.js';
import { logPaths } from './create-responder.js';
import { LISTEN_SHAPE, type ListenOptions, listen, listenFailure, readListen, urlOf } from './listen.js';
import { nodeHandler, write } from './node.js';
import type { HealthHandlerOptions } from './options.js';
import type { HealthPaths } from './paths.js';
import type { HealthReporter } from './reporter.js';
import { checkReporter, resolveHandler } from './resolve.js';
import { Responder } from './respond.js';
import { NOT_FOUND } from './response.js';

/** Options of `serveHealth`. */
export interface ServeHealthOptions extends ListenOptions, HealthHandlerOptions<IncomingMessage> {}

/** A server that answers health requests and nothing else. */
export interface HealthServer {
  /** With the port that it got, and `localhost` where it listens on every address. */
  readonly url: string;
  readonly paths: HealthPaths;
  /**
   * Stops listening, lets requests under way be answered for a second, and closes every connection. Doing it again gives
   * the same promise. Never rejects.
   */
  close(): Promise<void>;
}

const CLOSE_TIMEOUT_MS = 1000;

/** Bounds for a port that only probes should reach: a client that sends slowly or never does not hold a socket long. */
const LIMITS = {
  headersTimeout: 10_000,
  requestTimeout: 10_000,
  connectionsCheckingInterval: 5000,
  maxHeaderSize: 16_384,
};

/**
 * Health endpoints on a port of their own: no framework, no rate limit and no authentication stand in the way of
 * probes, and they stay reachable while the application drains. Where the reporter has a `wait()`, as a `Controller`
 * has, the server closes itself once that has resolved; until then it keeps the process alive, as any server does.
 * Whatever is not one of the paths is 404.
 *
 * @throws HealthControllerError `invalid_option`. Rejects, too, where the port cannot be had: with the system's `code`,
 * `EADDRINUSE` for one.
 *
 * @example
 * ```ts
 * const health = await serveHealth(controller, { port: 9000 });
 * console.log(`${health.url}/readyz`);
 * ```
 */
export async function serveHealth(reporter: HealthReporter, options: ServeHealthOptions): Promise<HealthServer> {
  const at = 'serveHealth()';
  checkReporter(at, reporter);
  const settings = resolveHandler<IncomingMessage>(at, options, LISTEN_SHAPE);
  const where = readListen(at, options);
  const handler = nodeHandler(new Responder(reporter, settings));
  const server = createServer(LIMITS, (request, response) => {
    if (!handler(request, response)) write(response, NOT_FOUND, request.method);
  });
  const connections = new Connections(server);
  try {
    await listen(server, where);
  } catch (error) {
    throw listenFailure(at, where, error);
  }
  const url = urlOf(server);
  logPaths(settings, `health endpoints on ${url}`);
  // Later faults of the listening socket must not end the process.
  server.on('error', (error) =>
    settings.logger.error(`the health server at ${url} failed: ${error.message}`, { error }),
  );
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closed ??= closeServer(server, connections, settings.clock);
    return closed;
  };
  closeAfter(reporter, close);
  return Object.freeze({ url, paths: settings.paths, close });
}

async function closeServer(server: Server, connections: Connections, clock: Clock): Promise<void> {
  const ended = new Promise<void>((resolve) => server.close(() => resolve()));
  // What has arrived is read first, and answered.
  await new Promise<void>((resolve) => clock.nextTurn(resolve));
  connections.endIdle();
  // Streams of a page: nothing else here lasts.
  for (const { response } of connections.longLived()) response?.end();
  await withDeadline(ended, CLOSE_TIMEOUT_MS, clock);
  connections.destroyAll();
  await ended;
}

/** A controller is known by its `wait()`; one of another copy of the package too. */
function closeAfter(reporter: HealthReporter, close: () => Promise<void>): void {
  const { wait } = reporter as { wait?: unknown };
  if (typeof wait !== 'function') return;
  try {
    const stopped: unknown = wait.call(reporter);
    if (isThenable(stopped))
      onSettled(
        stopped,
        () => void close(),
        () => {},
      );
  } catch {
    // Then it never tells, and `close()` is left.
  }
}
