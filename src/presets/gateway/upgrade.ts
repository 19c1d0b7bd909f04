import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Clock } from '../../index.js';

/** A request to become something else than HTTP. */
export interface Upgrade {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
}

type UpgradeListener = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

/** How long others have to take an upgrade that is not ours. */
const UNTAKEN_AFTER_MS = 10_000;

const STATUS_TEXT: Readonly<Record<number, string>> = {
  403: 'Forbidden',
  404: 'Not Found',
  503: 'Service Unavailable',
};

/** Listens for upgrades of a server; `take` says whether one is ours. The function returned ends it. */
export function onUpgrade(server: Server, clock: Clock, take: (upgrade: Upgrade) => boolean): () => void {
  const listener: UpgradeListener = (request, socket, head) => {
    if (!take({ request, socket, head })) refuseUntaken(server, clock, socket);
  };
  server.on('upgrade', listener);
  return () => server.off('upgrade', listener);
}

/** Answers an upgrade with a status and closes its connection. */
export function refuse(socket: Duplex, status: number): void {
  socket.on('error', () => {});
  socket.once('finish', () => socket.destroy());
  socket.end(`HTTP/1.1 ${status} ${STATUS_TEXT[status]}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}

/**
 * Once anybody listens for upgrades, Node leaves all of them to the listeners: one that nobody takes would stay open for
 * good. Others may listen beside us, so they are given time.
 */
function refuseUntaken(server: Server, clock: Clock, socket: Duplex): void {
  // Node has taken its own listener off: without one, a client that resets the connection would end this process.
  socket.on('error', () => {});
  if (server.listenerCount('upgrade') === 1) {
    refuse(socket, 404);
    return;
  }
  const timer = clock.setTimeout(
    () => {
      const taken = socket.listenerCount('data') > 0 || socket.listenerCount('readable') > 0;
      if (!taken && !socket.destroyed && !socket.writableEnded) refuse(socket, 404);
    },
    UNTAKEN_AFTER_MS,
    { keepAlive: false },
  );
  socket.once('close', () => clock.clearTimeout(timer));
}
