import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';

/** A server on a free loopback port that counts its sockets. Closing it cuts them. */
export class Listening {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** How many connections there have been, and the most at one time. */
  connections = 0;
  most = 0;

  private constructor(server: Server) {
    this.#server = server;
    server.on('connection', (socket: Socket) => {
      this.connections++;
      this.#sockets.add(socket);
      this.most = Math.max(this.most, this.#sockets.size);
      // Whoever does not read does not see the other side go.
      socket.resume();
      socket.on('error', () => {});
      socket.on('close', () => this.#sockets.delete(socket));
    });
  }

  static async on(server: Server, port = 0, host = '127.0.0.1'): Promise<Listening> {
    const listening = new Listening(server);
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, host, resolve);
    });
    return listening;
  }

  static http(answer: RequestListener, port = 0, host = '127.0.0.1'): Promise<Listening> {
    return Listening.on(createServer(answer), port, host);
  }

  static tcp(talk: (socket: Socket) => void): Promise<Listening> {
    return Listening.on(createTcpServer(talk));
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get open(): number {
    return this.#sockets.size;
  }

  /** Resolves once no connection is open any more. */
  async quiet(): Promise<void> {
    while (this.#sockets.size > 0) await new Promise((resolve) => setImmediate(resolve));
  }

  close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }
}
