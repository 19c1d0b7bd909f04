import { describe, expect, it } from 'vitest';
import type { HealthPollerOptions, WebSocketConstructor } from '../../src/client/index.js';
import { FakeSocket, fakeSockets, RoughSocket } from './support/fake-socket.js';
import { text } from './support/snapshots.js';
import { pollerStage } from './support/stage.js';

const TYPES = ['open', 'message', 'close'];

function stage(options: Partial<HealthPollerOptions> = {}, make?: typeof FakeSocket) {
  const sockets = fakeSockets(make);
  return { ...pollerStage({ webSocket: sockets.WebSocket, ...options }), ...sockets };
}

/** One that is open and has brought a snapshot. */
async function live(options: Partial<HealthPollerOptions> = {}, make?: typeof FakeSocket) {
  const made = stage(options, make);
  made.poller.start();
  made.last().open();
  made.last().say(text('healthy'));
  await made.clock.advance(0);
  return made;
}

describe('by WebSocket', () => {
  it('come the snapshots, and nothing is asked by HTTP', async () => {
    const { clock, poller, last, asked, lines } = await live();
    expect(last().url).toBe('ws://worker.test/api/health/ws');
    expect(poller.state).toMatchObject({ transport: 'websocket', reachable: true });
    await clock.advance(5000);
    last().say(text('degraded'));
    await clock.advance(5000);
    last().say(text('healthy'));
    await clock.advance(20_000);
    expect(lines).toEqual([
      '0 snapshot',
      '0 running',
      '5000 snapshot',
      '5000 degraded',
      '10000 snapshot',
      '10000 recovered',
    ]);
    expect(asked).toEqual([]);
    await poller.stop();
  });

  it('goes the parameter and the headers, where the class takes them', async () => {
    const { poller, last } = stage({ passive: true, url: 'http://user:pw@worker.test', headers: { 'x-token': 'x' } });
    poller.start();
    expect(last().url).toBe('ws://worker.test/api/health/ws?passive=1');
    expect(last().options).toMatchObject({
      headers: { authorization: `Basic ${btoa('user:pw')}`, 'x-token': 'x' },
      maxPayload: 65_536,
    });
    await poller.stop();
  });

  it('comes from another URL where one is given', async () => {
    const { poller, last } = stage({ webSocketUrl: 'wss://stream.test/s' });
    poller.start();
    expect(last().url).toBe('wss://stream.test/s');
    await poller.stop();
  });

  it('a loss is told of by snapshots without life, at its moment', async () => {
    const { clock, poller, last, state, lines } = await live({ lostAfterMs: 20_000 });
    state.answer = 'dead';
    for (let i = 0; i < 5; i++) {
      await clock.advance(4500);
      last().say(text('dead'));
    }
    expect(lines.filter((line) => line.endsWith('lost'))).toEqual(['20000 lost']);
    await poller.stop();
  });

  it('poll() asks by HTTP all the same, and the WebSocket stays', async () => {
    const { clock, poller, asked, made, lines } = await live();
    expect(await poller.poll()).toMatchObject({ ok: true });
    await clock.advance(10_000);
    expect(asked).toHaveLength(1);
    expect(made).toHaveLength(1);
    expect(poller.state.transport).toBe('websocket');
    expect(lines).toEqual(['0 snapshot', '0 running', '0 snapshot']);
    await poller.stop();
  });
});

describe('by HTTP, and by WebSocket again later', () => {
  it('where it cannot be opened: at once, and with a backoff', async () => {
    const { clock, poller, made, last, times } = stage({ intervalMs: 1000, maxBackoffMs: 3000 });
    poller.start();
    const fail = () => {
      last().tell('error', { error: Object.assign(new Error('s3cret'), { code: 'ECONNREFUSED' }) });
      last().break();
    };
    fail();
    await clock.advance(0);
    expect(times()).toEqual([0]);
    expect(poller.state).toMatchObject({
      transport: 'http',
      reachable: true,
      webSocketError: 'the WebSocket is not in use: it could not be opened (ECONNREFUSED)',
    });
    const at: number[] = [];
    for (let second = 1; second <= 9; second++) {
      await clock.advance(1000);
      if (made.length > at.length + 1) {
        at.push(second);
        fail();
      }
    }
    expect(at).toEqual([1, 3, 6, 9]);
    expect(times()).toEqual([0, 1000, 2000, 3000, 4000, 5000, 6000, 7000, 8000, 9000]);
    await poller.stop();
  });

  it('where it breaks: the next try is at once, and a snapshot by WebSocket ends HTTP', async () => {
    const { clock, poller, last, made, times, lines } = await live();
    await clock.advance(2000);
    last().break(1011);
    await clock.advance(0);
    expect(times()).toEqual([2000]);
    expect(poller.state).toMatchObject({
      transport: 'http',
      webSocketError: 'the WebSocket is not in use: it was closed (code 1011)',
    });
    await clock.advance(5000);
    expect(made).toHaveLength(2);
    expect(times()).toEqual([2000, 7000]);
    last().open();
    expect(poller.state.transport).toBe('http');
    last().say(text('healthy'));
    expect(poller.state.transport).toBe('websocket');
    expect(poller.state).not.toHaveProperty('webSocketError');
    await clock.advance(20_000);
    expect(times()).toEqual([2000, 7000]);
    expect(lines.map((line) => line.split(' ')[1])).toEqual([
      'snapshot',
      'running',
      'snapshot',
      'snapshot',
      'snapshot',
    ]);
    await poller.stop();
  });

  it('what HTTP still answers when the WebSocket is back is ignored', async () => {
    const { clock, poller, last, state, asked, lines } = await live();
    last().break();
    await clock.advance(0);
    state.answer = 'hangs';
    await clock.advance(5000);
    expect(asked).toHaveLength(2);
    last().open();
    last().say(text('healthy'));
    expect(asked[1]?.init.signal.aborted).toBe(true);
    await clock.advance(0);
    expect(lines.filter((line) => line.includes('unreachable'))).toEqual([]);
    await poller.stop();
  });

  it('where it does not open within five seconds, or within the timeout', async () => {
    for (const [timeoutMs, afterMs] of [
      [35_000, 5000],
      [700, 700],
    ] as const) {
      const { clock, poller, last, times } = stage({ timeoutMs });
      poller.start();
      await clock.advance(afterMs - 1);
      expect(times()).toEqual([]);
      await clock.advance(1);
      expect(times()).toEqual([afterMs]);
      expect(last().done).toEqual(['close']);
      expect(poller.state.webSocketError).toContain('it did not open in time');
      await poller.stop();
    }
  });

  it('where it is silent for three intervals and a timeout', async () => {
    const { clock, poller, last, times } = await live({ intervalMs: 1000, timeoutMs: 500 });
    await clock.advance(3000);
    last().say(text('healthy'));
    await clock.advance(3499);
    expect(times()).toEqual([]);
    await clock.advance(1);
    expect(times()).toEqual([6500]);
    expect(poller.state.webSocketError).toContain('it fell silent');
    await poller.stop();
  });

  it('where it opens and never says anything', async () => {
    const { clock, poller, last, times } = stage({ intervalMs: 1000, timeoutMs: 500 });
    poller.start();
    last().open();
    expect(poller.state.transport).toBe('none');
    await clock.advance(3500);
    expect(times()).toEqual([3500]);
    await poller.stop();
  });

  it('asks at the moment at which it would be lost, whatever the WebSocket does', async () => {
    const { clock, poller, last, state, times, lines } = stage({ lostAfterMs: 2000 });
    state.answer = 'dead';
    poller.start();
    last().open();
    await clock.advance(2000);
    expect(times()).toEqual([2000]);
    expect(lines).toEqual(['2000 snapshot', '2000 lost']);
    expect(poller.state.transport).toBe('none');
    await poller.stop();
  });

  it.each([
    ['longer than 64 KiB', text('healthy').padEnd(65_537), 'a message is longer than 65536 bytes'],
    ['no JSON', '<html>', 'a message is no JSON'],
    ['no snapshot', '{"ok":true}', 'a message is no snapshot: ts: expected a time in ISO 8601'],
    ['no text', new Uint8Array(3), 'it sent a message that is no text'],
  ])('where a message is %s', async (_, data, error) => {
    const { clock, poller, last, times, lines } = await live();
    const socket = last();
    socket.say(data);
    socket.say(text('dead'));
    await clock.advance(0);
    expect(socket.done).toEqual(['close']);
    expect(poller.state.webSocketError).toBe(`the WebSocket is not in use: ${error}`);
    expect(times()).toEqual([0]);
    expect(lines.filter((line) => line.endsWith('degraded'))).toEqual([]);
    await poller.stop();
  });

  it('where it floods: a hundred messages a second are taken, not one more', async () => {
    const { clock, poller, last } = await live();
    for (let i = 1; i < 100; i++) last().say(text('healthy'));
    await clock.advance(1000);
    for (let i = 0; i < 100; i++) last().say(text('healthy'));
    expect(poller.state.transport).toBe('websocket');
    last().say(text('healthy'));
    expect(poller.state).toMatchObject({
      transport: 'http',
      webSocketError: 'the WebSocket is not in use: it sent more than 100 messages in a second',
    });
    await poller.stop();
  });

  it('where the class takes no options and there are headers to send', async () => {
    class Plain extends FakeSocket {
      constructor(url: string, options?: never) {
        if (options !== undefined) throw new SyntaxError('the subprotocol "[object Object]" is invalid');
        super(url);
      }
    }
    const withToken = stage({ headers: { authorization: 'Bearer x' } }, Plain);
    withToken.poller.start();
    await withToken.clock.advance(0);
    expect(withToken.made).toEqual([]);
    expect(withToken.times()).toEqual([0]);
    expect(withToken.poller.state.webSocketError).toContain('none can be made, or none that sends headers');
    await withToken.poller.stop();
    expect(withToken.clock.pending).toBe(0);

    const without = stage({}, Plain);
    without.poller.start();
    expect(without.last().options).toBeUndefined();
    await without.poller.stop();
  });

  it('where the class is of something else', async () => {
    const { clock, poller, times } = pollerStage({ webSocket: class {} as unknown as WebSocketConstructor });
    poller.start();
    await clock.advance(0);
    expect(times()).toEqual([0]);
    await poller.stop();
    expect(clock.pending).toBe(0);
  });

  it('writes one line when it falls back', async () => {
    const warned: string[] = [];
    const logger = { debug() {}, info() {}, error() {}, warn: (line: string) => void warned.push(line) };
    const { poller, last } = await live({ logger });
    last().break();
    expect(warned).toEqual(['instance "worker": the WebSocket is not in use: it was closed (code 1006)']);
    await poller.stop();
  });
});

describe('the end', () => {
  it('says goodbye, and leaves no listener but one that ignores errors', async () => {
    const { clock, poller, last } = await live();
    await poller.stop();
    expect(last().done).toEqual(['close']);
    expect(TYPES.map((type) => last().listeners(type))).toEqual([0, 0, 0]);
    expect(last().listeners('error')).toBe(1);
    last().tell('error');
    expect(clock.pending).toBe(0);
    expect(poller.state.transport).toBe('none');
  });

  it('does not wait longer than a second for one that says no goodbye', async () => {
    const { clock, poller, last } = await live({}, RoughSocket);
    last().polite = false;
    let stopped = false;
    const both = Promise.all([poller.stop(), poller.stop()]).then(() => {
      stopped = true;
    });
    await clock.advance(999);
    expect(stopped).toBe(false);
    await clock.advance(1);
    await both;
    expect(last().done).toEqual(['close', 'terminate']);
    expect(TYPES.map((type) => last().listeners(type))).toEqual([0, 0, 0]);
    expect(clock.pending).toBe(0);
  });

  it('of one that is hostile is without a goodbye, where the class can do that', async () => {
    const { poller, last } = await live({}, RoughSocket);
    const socket = last();
    socket.say('{}');
    expect(socket.done).toEqual(['terminate']);
    await poller.stop();
  });

  it('while it is being opened, or waits to be opened again, leaves nothing', async () => {
    const connecting = stage();
    connecting.poller.start();
    await connecting.poller.stop();
    expect([connecting.clock.pending, connecting.last().done]).toEqual([0, ['close']]);

    const resting = stage();
    resting.poller.start();
    resting.last().break();
    await resting.clock.advance(0);
    await resting.poller.stop();
    await resting.clock.advance(600_000);
    expect([resting.clock.pending, resting.made.length]).toEqual([0, 1]);
  });

  it('may be followed by a new beginning', async () => {
    const { clock, poller, made, last } = await live();
    await poller.stop();
    poller.start();
    expect(made).toHaveLength(2);
    last().open();
    last().say(text('healthy'));
    expect(poller.state.transport).toBe('websocket');
    made[0]?.say(text('dead'));
    expect(poller.state.verdict).toBe('healthy');
    await poller.stop();
    expect(clock.pending).toBe(0);
  });
});

describe('the class', () => {
  const withGlobal = async (value: unknown, act: () => Promise<void> | void) => {
    const before = Object.getOwnPropertyDescriptor(globalThis, 'WebSocket');
    Object.defineProperty(globalThis, 'WebSocket', { value, configurable: true, writable: true });
    try {
      await act();
    } finally {
      if (before === undefined) Reflect.deleteProperty(globalThis, 'WebSocket');
      else Object.defineProperty(globalThis, 'WebSocket', before);
    }
  };

  it('is the global one where there is one, and none is asked for where there is not', async () => {
    const sockets = fakeSockets();
    await withGlobal(sockets.WebSocket, async () => {
      for (const webSocket of [undefined, true]) {
        const { poller } = pollerStage({ webSocket });
        poller.start();
        await poller.stop();
      }
      expect(sockets.made).toHaveLength(2);
      const { poller, clock, times } = pollerStage({ webSocket: false });
      poller.start();
      await clock.advance(0);
      expect([sockets.made.length, times()]).toEqual([2, [0]]);
      await poller.stop();
    });
    await withGlobal(undefined, async () => {
      const { poller, clock, times } = pollerStage({ webSocket: undefined });
      poller.start();
      await clock.advance(0);
      expect(times()).toEqual([0]);
      expect(poller.state).not.toHaveProperty('webSocketError');
      await poller.stop();
    });
  });

  it('must be given where it is wanted and the runtime has none', async () => {
    await withGlobal(undefined, () => {
      expect(() => pollerStage({ webSocket: true })).toThrow(
        'new HealthPoller(): option "webSocket": expected a class such as that of the package ws, since this runtime has no WebSocket, got nothing',
      );
    });
    expect(() => pollerStage({ webSocket: 'ws' as unknown as WebSocketConstructor })).toThrow(
      'option "webSocket": expected true, false or a class, got "ws"',
    );
  });
});
