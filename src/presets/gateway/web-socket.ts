import type { IncomingMessage, Server } from 'node:http';
import type { WebSocket, WebSocketServer } from 'ws';
import { DetailsGate } from '../../http/details.js';
import { HealthControllerError, type TimerHandle } from '../../index.js';
import { checkValue, having, withDeadline } from '../../kit.js';
import { thrownText } from './fault.js';
import type { Mode, Observer } from './observer.js';
import { Routes } from './routes.js';
import { SnapshotStream } from './stream.js';
import { StreamSocket } from './stream-socket.js';
import { onUpgrade, refuse, type Upgrade } from './upgrade.js';
import { resolveWebSocket, type WebSocketSettings } from './web-socket-options.js';

/** The WebSockets of one server. */
export interface GatewayWebSockets {
  /** How many listen now. */
  readonly clients: number;
  /**
   * Sends each client a last snapshot and closes it with code 1001, takes no more, and resolves once all are gone: those
   * that do not answer the goodbye are dropped after a second. Never rejects.
   */
  close(): Promise<void>;
}

const AT = 'attachWebSocket()';
const GOODBYE_TIMEOUT_MS = 1000;
/** Clients have nothing to say: more than this in one message ends the connection. */
const MAX_MESSAGE_BYTES = 1024;

/** @throws HealthControllerError `invalid_option` */
export async function attachWebSocket(observer: Observer, server: Server, given: unknown): Promise<GatewayWebSockets> {
  const settings = resolveWebSocket(AT, given);
  checkValue(`${AT}: the server`, having('on', 'off', 'listenerCount'), server);
  const sockets = new WebSockets(observer, server, settings);
  await sockets.loaded;
  return sockets;
}

/** `ws` is an optional peer: it is loaded only where it is used. */
async function load(): Promise<WebSocketServer> {
  try {
    const { WebSocketServer } = await import('ws');
    return new WebSocketServer({
      noServer: true,
      clientTracking: false,
      perMessageDeflate: false,
      maxPayload: MAX_MESSAGE_BYTES,
    });
  } catch (cause) {
    const message = `${AT}: expected the package ws to be installed (npm install ws), got an error when it was loaded`;
    throw new HealthControllerError('invalid_option', message, { cause });
  }
}

class WebSockets implements GatewayWebSockets {
  readonly loaded: Promise<WebSocketServer>;
  readonly #observer: Observer;
  readonly #settings: WebSocketSettings;
  readonly #routes: Routes;
  readonly #details: DetailsGate<IncomingMessage>;
  readonly #streams: { readonly [Kind in Mode]: SnapshotStream<StreamSocket> };
  readonly #offs: (() => void)[] = [];
  /** Upgrades that are not clients yet. */
  #coming = 0;
  #heartbeat: TimerHandle | undefined;
  #closed: Promise<void> | undefined;
  /** Called when the last one has gone. */
  #allGone = (): void => {};

  constructor(observer: Observer, server: Server, settings: WebSocketSettings) {
    const { clock, logger } = observer.settings;
    const { basePath, pollIntervalMs, details, controller } = settings;
    this.#observer = observer;
    this.#settings = settings;
    this.#routes = new Routes(basePath);
    this.#details = new DetailsGate(details, clock, logger);
    this.#streams = {
      active: new SnapshotStream(observer, 'active', pollIntervalMs),
      passive: new SnapshotStream(observer, 'passive', pollIntervalMs),
    };
    this.loaded = load();
    this.loaded.catch(() => this.#detach());
    if (controller !== undefined) observer.follow(controller);
    // At once, so that none that comes while ws is loading is missed.
    this.#offs.push(onUpgrade(server, clock, (upgrade) => this.#take(upgrade)));
    this.#endWith(server);
  }

  get clients(): number {
    return this.#streams.active.clients.size + this.#streams.passive.clients.size;
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  #endWith(server: Server): void {
    const { draining, stopped } = this.#observer;
    const close = (): void => void this.close();
    const drop = (): void => this.#each((client) => client.drop());
    server.once('close', close);
    draining.addEventListener('abort', close);
    stopped.addEventListener('abort', drop);
    this.#offs.push(
      () => server.off('close', close),
      () => draining.removeEventListener('abort', close),
      () => stopped.removeEventListener('abort', drop),
    );
    if (draining.aborted) close();
  }

  #take(upgrade: Upgrade): boolean {
    const route = this.#routes.match(upgrade.request.url ?? '');
    if (route?.to !== 'stream') return false;
    const status = this.#refusal(upgrade.request);
    if (status === undefined) void this.#welcome(upgrade, route.passive ? 'passive' : 'active');
    else refuse(upgrade.socket, status);
    return true;
  }

  #refusal({ headers }: IncomingMessage): number | undefined {
    if (!this.#isAllowed(headers.origin)) return 403;
    return this.#closed !== undefined || this.clients + this.#coming >= this.#settings.maxClients ? 503 : undefined;
  }

  #isAllowed(origin: string | undefined): boolean {
    try {
      return this.#settings.allowOrigin(origin) === true;
    } catch {
      return false;
    }
  }

  async #welcome({ request, socket, head }: Upgrade, mode: Mode): Promise<void> {
    const ignore = (): void => {};
    socket.on('error', ignore);
    this.#coming++;
    try {
      const [webSockets, details] = await Promise.all([this.loaded, this.#details.allows(request)]);
      if (this.#closed !== undefined) return refuse(socket, 503);
      webSockets.handleUpgrade(request, socket, head, (webSocket) => this.#add(webSocket, details, mode));
    } catch (error) {
      // Without ws, or when another listener has taken the same socket.
      this.#observer.settings.logger.error(`gateway: a WebSocket could not be opened: ${thrownText(error)}`, { error });
      socket.destroy();
    } finally {
      socket.off('error', ignore);
      this.#coming--;
    }
  }

  #add(webSocket: WebSocket, details: boolean, mode: Mode): void {
    const { maxBufferedBytes } = this.#settings;
    const stream = this.#streams[mode];
    const client = new StreamSocket(webSocket, details, maxBufferedBytes, () => {
      stream.remove(client);
      if (this.clients === 0) this.#emptied();
    });
    stream.add(client);
    if (this.#heartbeat === undefined) this.#beat();
  }

  #beat(): void {
    const { heartbeatIntervalMs } = this.#settings;
    const next = (): void => {
      this.#each((client) => client.beat());
      this.#beat();
    };
    this.#heartbeat = this.#observer.settings.clock.setTimeout(next, heartbeatIntervalMs, { keepAlive: false });
  }

  #emptied(): void {
    if (this.#heartbeat !== undefined) this.#observer.settings.clock.clearTimeout(this.#heartbeat);
    this.#heartbeat = undefined;
    this.#allGone();
  }

  async #close(): Promise<void> {
    await Promise.all([this.#streams.active.end(), this.#streams.passive.end()]);
    const gone = new Promise<void>((resolve) => {
      this.#allGone = resolve;
    });
    this.#each((client) => client.leave());
    if (this.clients > 0) await withDeadline(gone, GOODBYE_TIMEOUT_MS, this.#observer.settings.clock);
    this.#each((client) => client.drop());
    this.#detach();
    if (this.clients > 0) await gone;
  }

  #each(tell: (client: StreamSocket) => void): void {
    for (const { clients } of [this.#streams.active, this.#streams.passive])
      for (const client of [...clients]) tell(client);
  }

  #detach(): void {
    for (const off of this.#offs.splice(0)) off();
  }
}
