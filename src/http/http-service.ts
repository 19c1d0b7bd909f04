import type { Server } from 'node:http';
import { type Logger, type ServiceDescription, type StopContext, systemClock, unhealthy } from '../index.js';
import {
  callable,
  having,
  invalidOption,
  loggerPort,
  printable,
  readOptions,
  safeLogger,
  silentLogger,
} from '../kit.js';
import { Connections, type LongLivedConnection } from './connections.js';
import { everyAddress, LISTEN_SHAPE, type ListenOptions, listen, listenFailure, urlOf } from './listen.js';

/** What tells of the drain: a `Controller`. */
export interface DrainSource {
  on(name: 'state', listener: (event: { readonly to: string }) => unknown): unknown;
}

/** An application that listens and closes by itself, as one of Fastify does. */
export interface HttpApplication {
  readonly server: Server;
  listen(options: { readonly port: number; readonly host: string }): PromiseLike<unknown>;
  close(): PromiseLike<unknown>;
}

/** Options of `httpService`. */
export interface HttpServiceOptions extends ListenOptions {
  /**
   * The controller that the service is registered with. From the beginning of its shutdown each answer says
   * `Connection: close`, so that clients move on during the drain. Absent: only from the stop on.
   */
  readonly controller?: DrainSource | undefined;
  /**
   * Called once for each connection that will not end by itself, when the stop begins: to say goodbye on a WebSocket, or
   * to end a stream of events. What it leaves open is waited for until the deadline. Absent: nobody says goodbye.
   */
  readonly onLongLived?: ((connection: LongLivedConnection) => unknown) | undefined;
  /** Told the URL, and of a hook that failed. Absent: nobody is told. */
  readonly logger?: Logger | undefined;
}

const SHAPE = {
  ...LISTEN_SHAPE,
  controller: having('on'),
  onLongLived: callable(),
  logger: loggerPort(),
};

const AT = 'httpService()';

/**
 * An HTTP or HTTPS server as a service that loses no request when it stops. Give it to `register`:
 *
 * - start: listens; fails with the system's `code` (`EADDRINUSE` for one) where it cannot.
 * - status: healthy while it listens.
 * - drain: goes on serving, and each answer says `Connection: close`.
 * - stop: no new connections; requests under way are answered; idle connections, and those that never sent a request, are
 *   closed at once; upgraded ones and event streams are handed to `onLongLived`. At the deadline what is left is
 *   destroyed, and the stop fails with the number of connections that were still in use.
 *
 * Express and the like: `httpService(createServer(app), …)`. Fastify: `httpService(app, …)`, so that its hooks run and its
 * own 503 begins only after the drain.
 *
 * @throws HealthControllerError `invalid_option`
 *
 * @example
 * ```ts
 * controller.register('http', httpService(createServer(app), { port: 8080, controller }));
 * ```
 */
export function httpService(target: Server | HttpApplication, options: HttpServiceOptions): ServiceDescription {
  const application = applicationOf(target);
  const service = new HttpService(
    application,
    readOptions(AT, SHAPE, options, ['port']) as unknown as HttpServiceOptions,
  );
  return {
    start: () => service.start(),
    stop: (context) => service.stop(context),
    status: () => application.server.listening || unhealthy('the server does not listen', undefined, 'not_listening'),
  };
}

function applicationOf(target: unknown): HttpApplication {
  if (isServer(target)) return new PlainServer(target);
  const { server, listen: listens, close } = (target ?? {}) as Partial<HttpApplication>;
  if (isServer(server) && typeof listens === 'function' && typeof close === 'function')
    return target as HttpApplication;
  const expected = 'a server of node:http or node:https, or an application with server, listen and close';
  throw invalidOption(`${AT}: the server`, expected, target);
}

function isServer(value: unknown): value is Server {
  return typeof value === 'object' && value !== null && 'listening' in value && 'closeIdleConnections' in value;
}

class PlainServer implements HttpApplication {
  readonly server: Server;

  constructor(server: Server) {
    this.server = server;
  }

  listen(where: ListenOptions): Promise<void> {
    return listen(this.server, where);
  }

  close(): Promise<void> {
    // The callback's error says only that it did not listen.
    return new Promise((resolve) => this.server.close(() => resolve()));
  }
}

class HttpService {
  readonly #application: HttpApplication;
  readonly #options: HttpServiceOptions;
  readonly #logger: Logger;
  readonly #connections: Connections;
  #release: unknown;

  constructor(application: HttpApplication, options: HttpServiceOptions) {
    this.#application = application;
    this.#options = options;
    this.#logger = options.logger === undefined ? silentLogger : safeLogger(options.logger);
    this.#connections = new Connections(application.server);
  }

  async start(): Promise<void> {
    const { port, host, controller } = this.#options;
    // Said outright: Fastify alone would listen on loopback only, with a second server that nobody can watch.
    const where = { port, host: host ?? everyAddress() };
    this.#connections.begin();
    this.#release = controller?.on('state', ({ to }) => {
      if (to === 'stopping') this.#connections.announceEnd();
    });
    try {
      await this.#application.listen(where);
    } catch (error) {
      this.#unsubscribe();
      throw listenFailure(AT, this.#options, error);
    }
    const url = urlOf(this.#application.server);
    this.#logger.info(`listening on ${url}`, { url });
  }

  async stop({ signal }: StopContext): Promise<void> {
    this.#unsubscribe();
    this.#connections.announceEnd();
    const closed = this.#application.close();
    // What has arrived is read first, and answered.
    if (!signal.aborted) await new Promise<void>((resolve) => systemClock.nextTurn(resolve));
    this.#connections.endIdle();
    for (const connection of this.#connections.longLived()) this.#sayGoodbye(connection);
    let destroyed = 0;
    const expire = (): void => {
      destroyed = this.#connections.destroyAll();
    };
    if (signal.aborted) expire();
    else signal.addEventListener('abort', expire, { once: true });
    await closed;
    signal.removeEventListener('abort', expire);
    if (destroyed > 0) throw new Error(`${destroyed} connections were still in use at the deadline and were destroyed`);
  }

  #sayGoodbye(connection: LongLivedConnection): void {
    const failed = (error: unknown): void => {
      this.#logger.error(`onLongLived failed: ${printable(error)}`, { error });
    };
    try {
      Promise.resolve(this.#options.onLongLived?.(connection)).catch(failed);
    } catch (error) {
      failed(error);
    }
  }

  #unsubscribe(): void {
    if (typeof this.#release === 'function') this.#release();
    this.#release = undefined;
  }
}
