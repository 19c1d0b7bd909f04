import type { WebSocketConstructor } from '../../../src/client/index.js';

type Listener = (event: never) => void;

/** A WebSocket of which the test plays the other side. */
export class FakeSocket {
  readonly url: string;
  readonly options: { headers?: Record<string, string>; maxPayload?: number } | undefined;
  readonly #listeners = new Map<string, Set<Listener>>();
  /** What was done to it. */
  readonly done: string[] = [];
  /** Whether it answers a goodbye. */
  polite = true;

  constructor(url: string, options?: never) {
    this.url = url;
    this.options = options;
  }

  addEventListener(type: string, listener: Listener): void {
    const ofType = this.#listeners.get(type) ?? new Set();
    this.#listeners.set(type, ofType);
    ofType.add(listener);
  }

  removeEventListener(type: string, listener: Listener): void {
    this.#listeners.get(type)?.delete(listener);
  }

  listeners(type: string): number {
    return this.#listeners.get(type)?.size ?? 0;
  }

  close(): void {
    this.done.push('close');
    if (this.polite) queueMicrotask(() => this.tell('close', { code: 1005 }));
  }

  tell(type: 'open' | 'message' | 'close' | 'error', event: object = {}): void {
    for (const listener of [...(this.#listeners.get(type) ?? [])]) listener(event as never);
  }

  open(): void {
    this.tell('open');
  }

  say(data: unknown): void {
    this.tell('message', { data });
  }

  break(code = 1006): void {
    this.tell('close', { code });
  }
}

/** A class of them that remembers what it made. */
export function fakeSockets(make: typeof FakeSocket = FakeSocket) {
  const made: FakeSocket[] = [];
  class Made extends make {
    constructor(url: string, options?: never) {
      super(url, options);
      made.push(this);
    }
  }
  const last = (): FakeSocket => {
    const socket = made.at(-1);
    if (socket === undefined) throw new Error('no WebSocket was made');
    return socket;
  };
  return { WebSocket: Made satisfies WebSocketConstructor, made, last };
}

/** As of `ws`: it can be ended without a goodbye. */
export class RoughSocket extends FakeSocket {
  terminate(): void {
    this.done.push('terminate');
  }
}
