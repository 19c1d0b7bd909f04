import type { WebSocket } from 'ws';
import type { Observation } from './observation.js';
import type { StreamClient } from './stream.js';

/** By RFC 6455: the endpoint is going away. */
const GOING_AWAY = 1001;
const OPEN = 1;

/** One WebSocket that gets snapshots. It is dropped when it does not read what it gets, or does not answer a ping. */
export class StreamSocket implements StreamClient {
  readonly #socket: WebSocket;
  readonly #details: boolean;
  readonly #maxBufferedBytes: number;
  #answered = true;

  constructor(socket: WebSocket, details: boolean, maxBufferedBytes: number, closed: (self: StreamSocket) => void) {
    this.#socket = socket;
    this.#details = details;
    this.#maxBufferedBytes = maxBufferedBytes;
    // What a client sends is of no interest, and what breaks is its own connection.
    socket.on('error', () => socket.terminate());
    socket.on('pong', () => {
      this.#answered = true;
    });
    socket.on('close', () => closed(this));
  }

  show(seen: Observation): void {
    if (this.#socket.readyState !== OPEN) return;
    if (this.#socket.bufferedAmount > this.#maxBufferedBytes) this.drop();
    else this.#socket.send(seen.text(this.#details));
  }

  /** Drops one that has not answered since the last beat, and asks the others. */
  beat(): void {
    if (!this.#answered) {
      this.drop();
      return;
    }
    this.#answered = false;
    if (this.#socket.readyState === OPEN) this.#socket.ping();
  }

  /** Says goodbye. Its close event comes when the client has answered. */
  leave(): void {
    this.#socket.close(GOING_AWAY, 'going away');
  }

  drop(): void {
    this.#socket.terminate();
  }
}
