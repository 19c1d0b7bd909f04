import type { Clock } from '../index.js';
import { withDeadline } from '../kit.js';
import type { GatewaySnapshot } from '../wire/gateway.js';
import { codeOf } from './error-code.js';
import { MAX_SNAPSHOT_BYTES, readSnapshotText } from './read-answer.js';

/**
 * A class of WebSockets: that of a browser, of Bun, of Deno, of Node from 22 on, or the package `ws`. It is called with
 * the URL and, where it takes them, options in which `headers` are; one that takes none throws, as a browser's does.
 */
export type WebSocketConstructor = new (
  url: string,
  options?: never,
) => { close(code?: number, reason?: string): void };

/** What is used of its instances. */
interface Socket {
  addEventListener(type: string, listener: (event: SocketEvent) => void): void;
  removeEventListener(type: string, listener: (event: SocketEvent) => void): void;
  close(): void;
  /** Of `ws`: without a goodbye. */
  terminate?: () => void;
}

interface SocketEvent {
  readonly data?: unknown;
  readonly code?: unknown;
  /** Of `ws`. */
  readonly error?: unknown;
}

type Construct = new (url: string, options?: object) => Socket;

/** A gateway sends one every few seconds. Who sends more than this in a second floods us. */
const MOST_A_SECOND = 100;
const GOODBYE_TIMEOUT_MS = 1000;

/** What a socket tells. Never while it is being opened, and nothing after `gone`. */
export interface SocketListener {
  opened(): void;
  snapshot(snapshot: GatewaySnapshot): void;
  /** It is of no use any more, and closed. */
  gone(why: string): void;
}

/** One WebSocket that brings snapshots, and is dropped for anything else. */
export class SnapshotSocket {
  readonly #clock: Clock;
  readonly #listener: SocketListener;
  #socket: Socket | undefined;
  #secondBeganAt = 0;
  #inSecond = 0;
  #everOpen = false;

  constructor(clock: Clock, listener: SocketListener) {
    this.#clock = clock;
    this.#listener = listener;
  }

  /** False where none could be made: this runtime has no such WebSocket, or one that can send no headers. */
  open(of: WebSocketConstructor, url: string, headers: Readonly<Record<string, string>>): boolean {
    const socket = construct(of as unknown as Construct, url, headers);
    if (socket === undefined) return false;
    this.#socket = socket;
    try {
      // Stays for good: ws throws an error that nobody listens to.
      socket.addEventListener('error', ignore);
      socket.addEventListener('open', this.#opened);
      socket.addEventListener('message', this.#message);
      socket.addEventListener('close', this.#closed);
      socket.addEventListener('error', this.#failed);
      return true;
    } catch {
      // A class of something else.
      this.#socket = undefined;
      return false;
    }
  }

  /** Ends it at once, and tells nothing. */
  drop(): void {
    const socket = this.#letGo();
    if (socket === undefined) return;
    try {
      if (typeof socket.terminate === 'function') socket.terminate();
      else socket.close();
    } catch {
      // It has ended already.
    }
  }

  /** Says goodbye, and resolves when it is closed: after a second it is dropped. Tells nothing. */
  async leave(): Promise<void> {
    const socket = this.#letGo();
    if (socket === undefined) return;
    let told = ignore;
    const closed = new Promise<void>((resolve) => {
      told = resolve;
    });
    socket.addEventListener('close', told);
    try {
      socket.close();
      const { settled } = await withDeadline(closed, GOODBYE_TIMEOUT_MS, this.#clock);
      if (!settled) socket.terminate?.();
    } catch {
      // It has ended already.
    }
    socket.removeEventListener('close', told);
  }

  readonly #opened = (): void => {
    this.#everOpen = true;
    this.#listener.opened();
  };

  readonly #message = ({ data }: SocketEvent): void => {
    const now = this.#clock.now();
    if (now - this.#secondBeganAt >= 1000) {
      this.#secondBeganAt = now;
      this.#inSecond = 0;
    }
    if (++this.#inSecond > MOST_A_SECOND) this.#refuse(`it sent more than ${MOST_A_SECOND} messages in a second`);
    else if (typeof data !== 'string') this.#refuse('it sent a message that is no text');
    else this.#read(data);
  };

  #read(text: string): void {
    const read = readSnapshotText('a message', text);
    if (read.ok) this.#listener.snapshot(read.snapshot);
    else this.#refuse(read.error);
  }

  readonly #closed = ({ code }: SocketEvent): void => {
    const how = typeof code === 'number' ? ` (code ${code})` : '';
    this.#refuse(this.#everOpen ? `it was closed${how}` : 'it could not be opened');
  };

  readonly #failed = ({ error }: SocketEvent): void =>
    this.#refuse(`${this.#everOpen ? 'it failed' : 'it could not be opened'}${codeOf(error)}`);

  #refuse(why: string): void {
    this.drop();
    this.#listener.gone(why);
  }

  #letGo(): Socket | undefined {
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.removeEventListener('open', this.#opened);
    socket?.removeEventListener('message', this.#message);
    socket?.removeEventListener('close', this.#closed);
    socket?.removeEventListener('error', this.#failed);
    return socket;
  }
}

function ignore(): void {}

function construct(of: Construct, url: string, headers: Readonly<Record<string, string>>): Socket | undefined {
  try {
    // ws reads up to 100 MiB unless told.
    return new of(url, { headers: { ...headers }, maxPayload: MAX_SNAPSHOT_BYTES, perMessageDeflate: false });
  } catch {
    // A browser takes the options for the name of a protocol, and refuses it.
  }
  try {
    return Object.keys(headers).length === 0 ? new of(url) : undefined;
  } catch {
    return undefined;
  }
}
