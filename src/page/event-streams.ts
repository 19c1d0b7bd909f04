import type { EventSink } from '../http/event-sink.js';
import type { Clock, TimerHandle } from '../index.js';
import type { Board, Viewer } from './board.js';
import type { Renderings } from './rendering.js';

/** How streams of events behave. */
export interface StreamSettings {
  readonly clock: Clock;
  readonly refreshIntervalMs: number;
  readonly maxClients: number;
  readonly heartbeatIntervalMs: number;
  readonly maxBufferedBytes: number;
  readonly maxStreamMs: number;
}

/** One browser that looks. */
class StreamClient implements Viewer {
  readonly #sink: EventSink;
  readonly #text: () => string;
  readonly #settings: StreamSettings;
  readonly #openedAt: number;

  constructor(sink: EventSink, text: () => string, settings: StreamSettings) {
    this.#sink = sink;
    this.#text = text;
    this.#settings = settings;
    this.#openedAt = settings.clock.now();
    sink.send(`retry: ${Math.round(settings.refreshIntervalMs)}\n\n`);
  }

  show(): void {
    if (this.#keepsUp()) this.#sink.send(this.#text());
  }

  /** So that both ends see that the other one is there. */
  beat(): void {
    if (this.#keepsUp()) this.#sink.send('event: beat\ndata:\n\n');
  }

  /** What its browser does next: `end`: it asks later whether there is something; `again`: it connects anew. */
  leave(how: 'end' | 'again'): void {
    this.#sink.send(`event: ${how}\ndata:\n\n`);
    this.#sink.end();
  }

  #keepsUp(): boolean {
    const { clock, maxBufferedBytes, maxStreamMs } = this.#settings;
    if (this.#sink.bufferedBytes > maxBufferedBytes) {
      this.#sink.drop();
      return false;
    }
    if (clock.now() - this.#openedAt < maxStreamMs) return true;
    this.leave('again');
    return false;
  }
}

/** The streams of server-sent events of a page: bounded in number, each dropped when it does not keep up. */
export class EventStreams {
  readonly #board: Board;
  readonly #renderings: Renderings;
  readonly #settings: StreamSettings;
  readonly #clients = new Set<StreamClient>();
  #beat: TimerHandle | undefined;
  #ended = false;

  constructor(board: Board, renderings: Renderings, settings: StreamSettings) {
    this.#board = board;
    this.#renderings = renderings;
    this.#settings = settings;
  }

  get size(): number {
    return this.#clients.size;
  }

  /** Whether one more may come. */
  get hasRoom(): boolean {
    return !this.#ended && this.#clients.size < this.#settings.maxClients;
  }

  /** Takes a client; the function returned is called when it has gone. One that comes too late is sent away. */
  open(sink: EventSink, details: boolean): () => void {
    const client = new StreamClient(sink, () => this.#stateEvent(details), this.#settings);
    if (!this.hasRoom) {
      client.leave('end');
      return () => {};
    }
    this.#clients.add(client);
    this.#beat ??= this.#schedule();
    this.#board.add(client);
    return () => this.#remove(client);
  }

  /** Ends them all. From now on there are none. */
  end(): void {
    this.#ended = true;
    for (const client of [...this.#clients]) {
      this.#remove(client);
      client.leave('end');
    }
  }

  #remove(client: StreamClient): void {
    this.#clients.delete(client);
    this.#board.remove(client);
    if (this.#clients.size > 0 || this.#beat === undefined) return;
    this.#settings.clock.clearTimeout(this.#beat);
    this.#beat = undefined;
  }

  #schedule(): TimerHandle {
    const { clock, heartbeatIntervalMs } = this.#settings;
    const fire = (): void => {
      this.#beat = this.#schedule();
      for (const client of [...this.#clients]) client.beat();
    };
    return clock.setTimeout(fire, heartbeatIntervalMs, { keepAlive: false });
  }

  #stateEvent(details: boolean): string {
    const rendering = this.#renderings.of(details);
    const json = rendering.json(this.#settings.clock.now());
    // JSON holds no line feed: one line of data is the whole event.
    return `id: ${rendering.version}\nevent: state\ndata: ${json}\n\n`;
  }
}
