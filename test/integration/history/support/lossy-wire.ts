import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** A TCP connection to a server of which answers can be withheld, and then the connection cut. */
export interface LossyWire {
  readonly port: number;
  /** From now on what the server says does not arrive. */
  withhold(): void;
  /** Cuts all connections; new ones are as good as ever. */
  cut(): void;
  close(): Promise<void>;
}

export async function openLossyWire(to: number): Promise<LossyWire> {
  const sockets = new Set<Socket>();
  let withheld = false;
  const server = createServer((client) => {
    const upstream = connect(to, '127.0.0.1');
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.pipe(upstream);
    upstream.on('data', (piece) => {
      if (!withheld) client.write(piece);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const cut = () => {
    withheld = false;
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: address.port,
    withhold() {
      withheld = true;
    },
    cut,
    async close() {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}
