import { describe, expect, it } from 'vitest';
import { type EventSink, streamToBody, streamToNode } from '../../src/http/event-sink.js';
import { write } from '../../src/http/node.js';
import { makeStream } from '../../src/http/response.js';

/** A response that keeps what was done to it. */
class Response_ {
  readonly done: string[] = [];
  destroyed = false;
  headersSent = false;
  writableEnded = false;
  writableLength = 0;
  closed = () => {};

  setHeader(name: string, value: string): void {
    this.done.push(`${name}: ${value}`);
  }

  writeHead(status: number, headers: never): void {
    this.done.push(`head ${status} ${JSON.stringify(headers)}`);
  }

  write(text: string): void {
    this.done.push(`write ${text}`);
  }

  end(text: string): void {
    this.done.push(`end ${text}`);
    this.writableEnded = true;
  }

  destroy(): void {
    this.done.push('destroy');
    this.destroyed = true;
  }

  once(_: 'close', listener: () => void): void {
    this.closed = listener;
  }
}

describe('a stream into a response of Node', () => {
  it('sends, ends once, and sends nothing after that', () => {
    const response = new Response_();
    let sink: EventSink | undefined;
    let left = 0;
    streamToNode(response, (given) => {
      sink = given;
      return () => left++;
    });
    sink?.send('a');
    response.writableLength = 7;
    expect(sink?.bufferedBytes).toBe(7);
    sink?.end();
    sink?.end();
    sink?.send('b');
    expect(response.done).toEqual(['write a', 'end ']);
    response.closed();
    expect(left).toBe(1);
  });

  it('is broken by drop, and nothing is written to who has gone', () => {
    const response = new Response_();
    streamToNode(response, (sink) => {
      sink.drop();
      sink.send('a');
      sink.end();
      return () => {};
    });
    expect(response.done).toEqual(['destroy']);
  });

  it('is begun after its head, whose type can be looked up; HEAD gets the head alone', () => {
    const response = new Response_();
    write(
      response,
      makeStream((sink) => {
        sink.send('x');
        return () => {};
      }),
      'GET',
    );
    expect(response.done).toEqual([
      'Content-Type: text/event-stream; charset=utf-8',
      'Cache-Control: no-store, no-transform',
      'X-Accel-Buffering: no',
      'X-Content-Type-Options: nosniff',
      'head 200 {}',
      'write x',
    ]);
    const head = new Response_();
    let opened = false;
    write(
      head,
      makeStream(() => {
        opened = true;
        return () => {};
      }),
      'HEAD',
    );
    expect([opened, head.done.length, head.writableEnded]).toEqual([false, 2, true]);
  });

  it('is not begun for a client that has gone meanwhile', () => {
    const response = new Response_();
    response.destroyed = true;
    write(
      response,
      makeStream(() => {
        throw new Error('begun');
      }),
      'GET',
    );
    expect(response.done).toEqual([]);
  });
});

describe('a stream into a body', () => {
  const streamed = () => {
    let sink: EventSink | undefined;
    let left = 0;
    const body = streamToBody((given) => {
      sink = given;
      return () => left++;
    });
    if (sink === undefined) throw new Error('was not begun');
    return { sink, body, left: () => left };
  };

  it('sends what it is given, counts what is not taken, and ends once', async () => {
    const { sink, body, left } = streamed();
    sink.send('añ');
    sink.send('b');
    expect(sink.bufferedBytes).toBe(4);
    sink.end();
    sink.end();
    sink.drop();
    sink.send('c');
    expect(left()).toBe(1);
    expect(await new Response(body).text()).toBe('añb');
  });

  it('is left when its reader goes', async () => {
    const { sink, body, left } = streamed();
    await body.cancel();
    sink.send('a');
    expect(left()).toBe(1);
  });

  it('breaks when it is dropped', async () => {
    const { sink, body, left } = streamed();
    sink.send('a');
    sink.drop();
    expect(left()).toBe(1);
    await expect(new Response(body).text()).rejects.toThrow('did not keep up');
  });
});
