import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** A connection that does not end by itself: an upgraded one, as of WebSockets, or a stream of server-sent events. */
export interface LongLivedConnection {
  readonly kind: 'upgrade' | 'event-stream';
  readonly request: IncomingMessage;
  readonly socket: Socket;
  /** Of an event stream. */
  readonly response: ServerResponse | undefined;
}

interface Use {
  /** What is being answered; more than one where requests are pipelined. */
  readonly responses: Map<ServerResponse, IncomingMessage>;
  upgraded: IncomingMessage | undefined;
}

/** Events that take a socket out of HTTP. Without a listener Node treats such a request as any other. */
const TAKEOVERS = ['upgrade', 'connect'] as const;

/**
 * Knows every socket of a server and what it is busy with. Node's own lists cannot tell a socket that has never sent
 * anything from one that is being answered, and do not know upgraded ones nor TLS handshakes.
 */
export class Connections {
  readonly #server: Server;
  readonly #uses = new Map<Socket, Use>();
  readonly #handshakes = new Set<Socket>();
  /** Whether each answer is the last on its connection. */
  #last = false;
  /** Whether a socket is closed as soon as it has nothing to answer. */
  #ending = false;

  constructor(server: Server) {
    this.#server = server;
    // A server of https counts a socket as connected before its handshake, and hands on another one after it.
    const secure = 'setSecureContext' in server;
    server.on('connection', (socket) => (secure ? this.#shakeHands(socket) : this.#add(socket)));
    if (secure) server.on('secureConnection', (socket) => this.#secured(socket));
    // First, so that the header is set before the application can send its own.
    server.prependListener('request', (request, response) => this.#answering(request, response));
    for (const event of TAKEOVERS) this.#watch(event);
  }

  /** The server begins, perhaps again after an end. */
  begin(): void {
    this.#last = false;
    this.#ending = false;
  }

  /** From now on each answer says `Connection: close`, those under way too, where they have not begun. */
  announceEnd(): void {
    this.#last = true;
    for (const { responses } of this.#uses.values()) for (const response of responses.keys()) sayClose(response);
  }

  /** Closes what has nothing to answer, now and as soon as that is so. Upgraded sockets are left alone. */
  endIdle(): void {
    this.announceEnd();
    this.#ending = true;
    for (const socket of this.#handshakes) socket.destroy();
    for (const [socket, use] of this.#uses) if (isIdle(use)) socket.destroySoon();
  }

  /** What will not end by itself. */
  longLived(): LongLivedConnection[] {
    const found: LongLivedConnection[] = [];
    for (const [socket, { responses, upgraded }] of this.#uses) {
      if (upgraded !== undefined) found.push({ kind: 'upgrade', request: upgraded, socket, response: undefined });
      for (const [response, request] of responses) {
        if (isEventStream(request, response)) found.push({ kind: 'event-stream', request, socket, response });
      }
    }
    return found;
  }

  /** Destroys every socket that is left and says how many were in use. */
  destroyAll(): number {
    let inUse = 0;
    for (const [socket, use] of this.#uses) {
      if (!isIdle(use)) inUse++;
      socket.destroy();
    }
    for (const socket of this.#handshakes) socket.destroy();
    return inUse;
  }

  #shakeHands(socket: Socket): void {
    this.#handshakes.add(socket);
    socket.once('close', () => this.#handshakes.delete(socket));
  }

  #secured(socket: Socket): void {
    for (const raw of this.#handshakes) {
      if (raw.remotePort === socket.remotePort && raw.remoteAddress === socket.remoteAddress)
        this.#handshakes.delete(raw);
    }
    this.#add(socket);
  }

  #add(socket: Socket): void {
    this.#uses.set(socket, { responses: new Map(), upgraded: undefined });
    socket.once('close', () => this.#uses.delete(socket));
  }

  #answering(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    const use = this.#uses.get(socket);
    if (use === undefined) return;
    use.responses.set(response, request);
    if (this.#last) sayClose(response);
    response.once('close', () => {
      use.responses.delete(response);
      if (this.#ending && isIdle(use)) socket.destroySoon();
    });
  }

  #watch(event: (typeof TAKEOVERS)[number]): void {
    const server = this.#server;
    const taken = (request: IncomingMessage, socket: Socket): void => {
      const use = this.#uses.get(socket);
      if (use !== undefined) use.upgraded = request;
    };
    // Ours is there only beside one of the application: alone it would keep the socket from being answered.
    const others = (): number => server.listenerCount(event) - server.listenerCount(event, taken);
    const adjust = (): void => {
      server.off(event, taken);
      if (others() > 0) server.prependListener(event, taken);
    };
    adjust();
    server.on('newListener', (name, listener) => {
      if (name === event && listener !== taken && others() === 0) server.prependListener(event, taken);
    });
    server.on('removeListener', (name, listener) => {
      if (name === event && listener !== taken && others() === 0) server.off(event, taken);
    });
  }
}

function isIdle({ responses, upgraded }: Use): boolean {
  return responses.size === 0 && upgraded === undefined;
}

function sayClose(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('Connection', 'close');
}

function isEventStream(request: IncomingMessage, response: ServerResponse): boolean {
  const type = response.getHeader('content-type') ?? request.headers.accept;
  return String(type).includes('text/event-stream');
}
