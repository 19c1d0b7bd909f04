/** What is used of a response of Node that is streamed into. Those that lack a member cannot be streamed into. */
interface StreamTarget {
  readonly destroyed?: boolean | undefined;
  readonly writableEnded: boolean;
  readonly writableLength?: number | undefined;
  write?(text: string): unknown;
  end(body: string): unknown;
  destroy?(): unknown;
  once?(event: 'close', listener: () => void): unknown;
}

/** Where a stream of server-sent events goes: one client. */
export interface EventSink {
  /** What was sent and has not been taken yet, in bytes or, where the runtime does not count them, about as many. */
  readonly bufferedBytes: number;
  /** Sends. Nothing, where the client has gone. */
  send(text: string): void;
  /** Ends the stream after what was sent. */
  end(): void;
  /** Breaks the connection, with whatever was not taken yet. */
  drop(): void;
}

/** Begins a stream. The function returned is called once, when the client has gone or the stream has ended. */
export type OpenStream = (sink: EventSink) => () => void;

/** Streams into a response of Node, HTTP/2 included, whose head has been written. */
export function streamToNode(response: StreamTarget, open: OpenStream): void {
  const isOpen = (): boolean => !response.destroyed && !response.writableEnded;
  const closed = open({
    get bufferedBytes() {
      return response.writableLength ?? 0;
    },
    send: (text) => {
      if (isOpen()) response.write?.(text);
    },
    end: () => {
      if (isOpen()) response.end('');
    },
    drop: () => {
      response.destroy?.();
    },
  });
  response.once?.('close', closed);
}

/** The body of a `Response` that is streamed into. */
export function streamToBody(open: OpenStream): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let closed = (): void => {};
  let isOpen = true;
  const leave = (): void => {
    if (!isOpen) return;
    isOpen = false;
    closed();
  };
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        closed = open({
          get bufferedBytes() {
            return Math.max(0, -(controller.desiredSize ?? 0));
          },
          send: (text) => {
            if (isOpen) controller.enqueue(encoder.encode(text));
          },
          end: () => {
            if (!isOpen) return;
            controller.close();
            leave();
          },
          drop: () => {
            if (!isOpen) return;
            controller.error(new Error('the client did not keep up'));
            leave();
          },
        });
      },
      cancel: leave,
    },
    { highWaterMark: 0, size: (chunk) => chunk?.byteLength ?? 0 },
  );
}
