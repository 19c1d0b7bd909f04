import { describe, expect, it } from 'vitest';
import { Emitter } from '../../src/engine/emitter.js';
import type { Logger } from '../../src/index.js';
import { expectNothingUnhandled } from './support/rejections.js';

interface Events {
  state: number;
  check: string;
}

function emitter() {
  const lines: string[] = [];
  const line = (message: string) => void lines.push(message);
  const logger: Logger = { debug: line, info: line, warn: line, error: line };
  return { events: new Emitter<Events>(logger), lines };
}

const throws = (value: unknown) => () => {
  throw value;
};

describe('an emitter', () => {
  expectNothingUnhandled();

  it('tells every listener of the event, in the order in which they came, with its payload', () => {
    const { events } = emitter();
    const heard: string[] = [];
    events.on('state', (payload) => void heard.push(`a ${payload}`));
    events.on('check', (payload) => void heard.push(`b ${payload}`));
    events.on('state', (payload) => void heard.push(`c ${payload}`));
    events.emit('state', 1);
    events.emit('check', 'x');
    expect(heard).toEqual(['a 1', 'c 1', 'b x']);
  });

  it('knows whether anybody listens', () => {
    const { events } = emitter();
    expect([events.has('state'), events.has('check')]).toEqual([false, false]);
    const off = events.on('state', () => {});
    expect([events.has('state'), events.has('check')]).toEqual([true, false]);
    off();
    expect(events.has('state')).toBe(false);
  });

  it('tells a listener no more that was taken off, by whichever way, once or twice', () => {
    const { events } = emitter();
    const heard: number[] = [];
    const listener = (payload: number) => void heard.push(payload);
    const off = events.on('state', listener);
    off();
    off();
    events.on('state', listener);
    events.off('state', listener);
    events.off('state', listener);
    events.emit('state', 1);
    expect(heard).toEqual([]);
  });

  it('keeps two registrations of one listener apart: each is taken off by itself', () => {
    const { events } = emitter();
    const heard: number[] = [];
    const listener = (payload: number) => void heard.push(payload);
    events.on('state', listener);
    events.on('state', listener);
    events.emit('state', 1);
    events.off('state', listener);
    events.emit('state', 2);
    events.off('state', listener);
    events.emit('state', 3);
    expect(heard).toEqual([1, 1, 2]);
    expect(events.has('state')).toBe(false);
  });

  it('tells a once listener of one event, and not of one it was taken off before', () => {
    const { events } = emitter();
    const heard: string[] = [];
    const taken = (payload: number) => void heard.push(`taken ${payload}`);
    events.once('state', (payload) => void heard.push(`once ${payload}`));
    events.once('state', (payload) => void heard.push(`off ${payload}`))();
    events.once('state', taken);
    events.off('state', taken);
    events.emit('state', 1);
    events.emit('state', 2);
    expect(heard).toEqual(['once 1']);
    expect(events.has('state')).toBe(false);
  });

  it('keeps the registration of one listener for two events apart', () => {
    const { events } = emitter();
    const heard: unknown[] = [];
    const listener = (payload: unknown) => void heard.push(payload);
    events.on('state', listener);
    events.on('check', listener);
    events.off('state', listener);
    events.emit('state', 1);
    events.emit('check', 'x');
    expect(heard).toEqual(['x']);
  });

  it.each([new Error('x'), undefined, null, 'x', Symbol('s'), Object.freeze({})])(
    'goes on after a listener that throws %o, and writes it down',
    (value) => {
      const { events, lines } = emitter();
      const heard: number[] = [];
      events.on('state', throws(value));
      events.once('state', throws(value));
      events.on('state', (payload) => void heard.push(payload));
      events.emit('state', 1);
      events.emit('state', 2);
      expect(heard).toEqual([1, 2]);
      expect(lines.length).toBeGreaterThanOrEqual(1);
      expect(lines[0]).toMatch(/state/);
    },
  );

  it('goes on after a listener that rejects, never settles, or returns a thenable that throws', async () => {
    const { events, lines } = emitter();
    const heard: number[] = [];
    events.on('state', () => Promise.reject(new Error('x')));
    events.on('state', () => new Promise(() => {}));
    events.on('state', () => Object.defineProperty({}, 'then', { value: throws(new Error('y')) }));
    events.on('state', () => Object.defineProperty({}, 'then', { get: throws(new Error('z')) }));
    events.on('state', (payload) => void heard.push(payload));
    events.emit('state', 1);
    await new Promise((resolve) => setImmediate(resolve));
    expect(heard).toEqual([1]);
    expect(lines.filter((line) => line.includes('state')).length).toBeGreaterThanOrEqual(3);
  });

  it('tells of what is emitted inside a listener when the dispatch has ended, in the same tick', () => {
    const { events } = emitter();
    const heard: string[] = [];
    events.on('state', (payload) => {
      heard.push(`first ${payload}`);
      if (payload === 1) {
        events.emit('state', 2);
        events.emit('check', 'x');
      }
    });
    events.on('state', (payload) => void heard.push(`second ${payload}`));
    events.on('check', (payload) => void heard.push(`check ${payload}`));
    events.emit('state', 1);
    expect(heard).toEqual(['first 1', 'second 1', 'first 2', 'second 2', 'check x']);
  });

  it('does a deferred action at once outside a dispatch, and after it inside one', () => {
    const { events } = emitter();
    const order: string[] = [];
    events.defer(() => order.push('at once'));
    expect(order).toEqual(['at once']);
    events.on('state', () => {
      events.defer(() => {
        order.push('deferred');
        events.emit('check', 'x');
      });
      order.push('listener');
    });
    events.on('state', () => void order.push('other listener'));
    events.on('check', () => void order.push('check'));
    events.emit('state', 1);
    expect(order).toEqual(['at once', 'listener', 'other listener', 'deferred', 'check']);
  });

  it('takes listeners that are added and removed while it tells', () => {
    const { events } = emitter();
    const heard: string[] = [];
    const second = events.on('state', () => void heard.push('second'));
    second();
    const off = events.on('state', () => {
      heard.push('first');
      off();
      events.on('state', () => void heard.push('added'));
    });
    events.on('state', () => void heard.push('third'));
    events.emit('state', 1);
    events.emit('state', 2);
    expect(heard.slice(0, 2)).toEqual(['first', 'third']);
    expect(heard.slice(-2)).toEqual(['third', 'added']);
  });

  it('ends a loop of two listeners that go on emitting only when they do, without growing the stack', () => {
    const { events } = emitter();
    let count = 0;
    events.on('state', (payload) => {
      count = payload;
      if (payload < 50_000) events.emit('state', payload + 1);
    });
    events.emit('state', 1);
    expect(count).toBe(50_000);
  });

  it('has no event of its own: names like __proto__ and error are as any', () => {
    const { events } = emitter();
    const any = events as unknown as Emitter<Record<string, number>>;
    const heard: string[] = [];
    for (const name of ['error', '__proto__', 'constructor', 'toString']) {
      any.emit(name, 1);
      expect(any.has(name)).toBe(false);
      any.on(name, () => void heard.push(name));
      any.emit(name, 1);
    }
    expect(heard).toEqual(['error', '__proto__', 'constructor', 'toString']);
  });
});
