import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { Gateway, type GatewayWebSockets } from '../../../../src/presets/gateway/index.js';

/** A worker with a real gateway preset in it: over HTTP and WebSocket, at one port, and of a state that the test sets. */
export class GatewayWorker {
  /** Whether the gateway answers its own health URL, and is in the list of processes. */
  alive = true;
  /** Whether its start script still runs. */
  starting = false;
  readonly requests: string[] = [];
  /** The headers with which WebSockets were asked for. */
  readonly upgrades: IncomingHttpHeaders[] = [];
  port = 0;
  #server: Server | undefined;
  #streams: GatewayWebSockets | undefined;
  readonly #sockets = new Set<Socket>();

  static async start(): Promise<GatewayWorker> {
    const worker = new GatewayWorker();
    await worker.listen();
    return worker;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Listens, at the same port as before. */
  async listen({ webSocket = true } = {}): Promise<void> {
    const gateway = new Gateway({
      fetch: async () => new Response(`{"ok":${this.alive}}`, { status: this.alive ? 200 : 503 }),
      processes: () => [
        ...(this.alive ? [{ id: 'proc_1', command: 'openclaw-gateway', status: 'running' as const }] : []),
        ...(this.starting ? [{ id: 'proc_2', command: 'start-openclaw.sh', status: 'running' as const }] : []),
      ],
    });
    const handle = gateway.handler();
    const server = createServer((request: IncomingMessage, response) => {
      this.requests.push(request.url ?? '');
      if (!handle(request, response)) response.writeHead(404).end();
    });
    server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
    if (webSocket) {
      server.on('upgrade', ({ headers }: IncomingMessage) => this.upgrades.push(headers));
      this.#streams = await gateway.attachWebSocket(server, { pollIntervalMs: 100 });
    }
    server.listen(this.port, '127.0.0.1');
    await once(server, 'listening');
    this.port = (server.address() as AddressInfo).port;
    this.#server = server;
  }

  /** How many connections are open. */
  get connections(): number {
    return this.#sockets.size;
  }

  /** How many WebSockets are open. */
  get webSockets(): number {
    return this.#streams?.clients ?? 0;
  }

  /** Every connection is reset, as by a proxy that is restarted. */
  reset(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  /** Nothing listens any more. */
  async gone(): Promise<void> {
    const server = this.#server;
    if (server === undefined) return;
    this.#server = undefined;
    this.reset();
    await this.#streams?.close();
    this.#streams = undefined;
    await new Promise((resolve) => server.close(resolve));
  }
}
