import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Servers on loopback for one test; `close` ends them all. */
export class Web {
  readonly #servers: Server[] = [];

  async serve(listener: RequestListener): Promise<string> {
    const server = createServer(listener).listen(0, '127.0.0.1');
    this.#servers.push(server);
    await new Promise((resolve) => server.once('listening', resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  }

  /** One that answers everything with what `status` is then. */
  answer(status: () => number): Promise<string> {
    return this.serve((_, response) => response.writeHead(status()).end());
  }

  /** A port that nobody listens to any more. */
  async closed(): Promise<string> {
    const url = await this.answer(() => 200);
    await this.close();
    return url;
  }

  async close(): Promise<void> {
    for (const server of this.#servers.splice(0)) {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  }
}
