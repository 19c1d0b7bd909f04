import { describe, expect, it } from 'vitest';
import type { HealthMonitor, HealthMonitorOptions } from '../../src/client/index.js';
import { seededRandom } from '../../src/testing/index.js';
import { fakeSockets } from './support/fake-socket.js';
import { text } from './support/snapshots.js';
import { monitorStage, REFUSED } from './support/stage.js';

const fill = (monitor: HealthMonitor, count: number, from = 0): void => {
  for (let i = from; i < from + count; i++) monitor.add({ id: `i${i}`, url: `http://i${i}.test` });
};

describe('instances', () => {
  it('are each polled by themselves, and told of by their id', async () => {
    const { clock, monitor, asked, state, lines } = monitorStage();
    fill(monitor, 2);
    monitor.start();
    await clock.advance(0);
    state.answer = 'degraded';
    await clock.advance(5000);
    expect(asked.map(({ url }) => url)).toEqual([
      'http://i0.test/api/health',
      'http://i1.test/api/health',
      'http://i0.test/api/health',
      'http://i1.test/api/health',
    ]);
    expect(lines).toEqual([
      '0 snapshot i0',
      '0 running i0',
      '0 snapshot i1',
      '0 running i1',
      '5000 snapshot i0',
      '5000 degraded i0',
      '5000 snapshot i1',
      '5000 degraded i1',
    ]);
    await monitor.stop();
    expect(clock.pending).toBe(0);
  });

  it('may be added and removed while it runs', async () => {
    const { clock, monitor, asked, lines } = monitorStage();
    monitor.start();
    await clock.advance(1000);
    expect(monitor.add({ id: 'a', url: 'http://a.test' })).toMatchObject({ id: 'a', transport: 'http' });
    await clock.advance(5000);
    expect(asked.map(({ at }) => at)).toEqual([1000, 6000]);
    expect([monitor.remove('a'), monitor.remove('a'), monitor.size]).toEqual([true, false, 0]);
    await clock.advance(60_000);
    expect(asked).toHaveLength(2);
    expect(lines).toEqual(['1000 snapshot a', '1000 running a', '6000 snapshot a']);
    expect(clock.pending).toBe(0);
    await monitor.stop();
  });

  it('that are removed in the middle of a try are told of no more', async () => {
    const { clock, monitor, asked, lines } = monitorStage({}, 'hangs');
    fill(monitor, 1);
    monitor.start();
    await clock.advance(10);
    monitor.remove('i0');
    expect(asked[0]?.init.signal.aborted).toBe(true);
    await clock.advance(60_000);
    expect(lines).toEqual([]);
    await monitor.stop();
  });

  it('are read with get() and list(), which ask nobody', async () => {
    const { clock, monitor, asked } = monitorStage();
    fill(monitor, 3);
    expect(monitor.get('i1')).toMatchObject({ id: 'i1', transport: 'none', url: 'http://i1.test/api/health' });
    expect(monitor.get('i7')).toBeUndefined();
    expect(monitor.list().map(({ id }) => id)).toEqual(['i0', 'i1', 'i2']);
    expect(monitor.size).toBe(3);
    await clock.advance(60_000);
    expect(asked).toEqual([]);
  });

  it('of an id that is taken are refused', () => {
    const { monitor } = monitorStage();
    fill(monitor, 1);
    expect(() => fill(monitor, 1)).toThrow(
      expect.objectContaining({
        code: 'duplicate_name',
        message: 'add(): option "id": expected an id that is not taken, got "i0"',
      }),
    );
  });

  it('may have settings of their own', async () => {
    const { clock, monitor, asked } = monitorStage({ headers: { 'x-all': '1', 'x-one': 'all' }, timeoutMs: 2000 });
    monitor.add({
      id: 'own',
      url: 'http://own.test',
      passive: true,
      intervalMs: 700,
      headers: { 'X-One': 'own' },
      instanceStatus: 'running',
    });
    monitor.add({ id: 'other', url: 'http://other.test' });
    expect(monitor.get('own')?.instanceStatus).toBe('running');
    monitor.start();
    await clock.advance(2100);
    expect(asked.filter(({ url }) => url === 'http://own.test/api/health?passive=1').map(({ at }) => at)).toEqual([
      0, 700, 1400, 2100,
    ]);
    expect(asked[0]?.init.headers).toMatchObject({ 'x-all': '1', 'x-one': 'own' });
    expect(asked[1]?.init.headers).toMatchObject({ 'x-all': '1', 'x-one': 'all' });
    await monitor.stop();
  });

  it.each([
    [{}, {}, 35_000],
    [{}, { passive: true }, 5000],
    [{ passive: true }, {}, 5000],
    [{ passive: true }, { passive: false }, 35_000],
    [{ timeoutMs: 900 }, {}, 900],
    [{ timeoutMs: 900 }, { passive: true }, 5000],
    [{ timeoutMs: 900 }, { passive: false }, 900],
    [{ timeoutMs: 900 }, { timeoutMs: 800 }, 800],
  ])('of a monitor with %j that say %j are given %i ms', async (shared, own, timeoutMs) => {
    const { clock, monitor, lines } = monitorStage(shared, 'hangs');
    monitor.add({ id: 'a', url: 'http://a.test', ...own });
    monitor.start();
    await clock.advance(timeoutMs - 1);
    expect(lines).toEqual([]);
    await clock.advance(1);
    expect(lines).toEqual([`${timeoutMs} unreachable a`]);
    await monitor.stop();
  });

  it('back off, and are lost, each by its own rule', async () => {
    const { clock, monitor, lines, asked } = monitorStage({ intervalMs: 1000, maxBackoffMs: 8000 }, REFUSED);
    monitor.add({ id: 'a', url: 'http://a.test', lostAfterMs: 2500 });
    monitor.add({ id: 'b', url: 'http://b.test', maxBackoffMs: 1000, jitter: 0 });
    monitor.start();
    await clock.advance(5000);
    const of = (id: string) => asked.filter(({ url }) => url.includes(`//${id}.`)).map(({ at }) => at);
    expect(of('a')).toEqual([0, 1000, 2500]);
    expect(of('b')).toEqual([0, 1000, 2000, 3000, 4000, 5000]);
    expect(lines.filter((line) => line.includes('lost'))).toEqual(['2500 lost a']);
    await monitor.stop();
  });
});

describe('many', () => {
  it('share places: no more than maxConcurrent tries at a time, the others in order', async () => {
    const { clock, monitor, asked, state } = monitorStage({ maxConcurrent: 2 }, 'hangs');
    fill(monitor, 5);
    monitor.start();
    await clock.advance(0);
    expect(asked.map(({ url }) => url)).toEqual(['http://i0.test/api/health', 'http://i1.test/api/health']);
    asked[1]?.answer('healthy');
    await clock.advance(0);
    expect(asked).toHaveLength(3);
    for (const { answer } of asked.slice(0, 3)) answer('healthy');
    await clock.advance(0);
    expect(asked.map(({ url }) => url.slice(7, 9))).toEqual(['i0', 'i1', 'i2', 'i3', 'i4']);
    expect(state.mostOpen).toBe(2);
    await monitor.stop();
    expect(clock.pending).toBe(0);
  });

  it('have 256 places where nothing else is said', async () => {
    const { clock, monitor, asked } = monitorStage({}, 'hangs');
    fill(monitor, 300);
    monitor.start();
    await clock.advance(0);
    expect(asked).toHaveLength(256);
    monitor.remove('i0');
    monitor.remove('i299');
    await clock.advance(0);
    expect(asked).toHaveLength(257);
    await monitor.stop();
  });

  it('wait for their turn without their timeout running', async () => {
    const { clock, monitor, lines } = monitorStage({ maxConcurrent: 1, timeoutMs: 100 }, 'hangs');
    fill(monitor, 3);
    monitor.start();
    await clock.advance(300);
    expect(lines).toEqual(['100 unreachable i0', '200 unreachable i1', '300 unreachable i2']);
    await monitor.stop();
  });

  it('that were added together do not stay together', async () => {
    const { clock, monitor, asked } = monitorStage({ jitter: 0.1, random: seededRandom(1) });
    fill(monitor, 100);
    monitor.start();
    await clock.advance(4999);
    const perSecond = [0, 0, 0, 0, 0];
    for (const { at } of asked.slice(100))
      perSecond[Math.floor(at / 1000)] = (perSecond[Math.floor(at / 1000)] ?? 0) + 1;
    expect(Math.min(...perSecond)).toBeGreaterThan(8);
    await monitor.stop();
  });

  it('stand on one timer', async () => {
    const { clock, monitor } = monitorStage({ jitter: 0.1 });
    fill(monitor, 1000);
    monitor.start();
    await clock.advance(0);
    expect(clock.pending).toBe(1);
    expect(clock.timers[0]?.keepAlive).toBe(false);
    await monitor.stop();
    expect(clock.pending).toBe(0);
  });

  it('go on when one of them is ended by a listener of another', async () => {
    const { clock, monitor, asked } = monitorStage();
    fill(monitor, 3);
    monitor.on('snapshot', ({ instance }) => {
      if (instance === 'i0') monitor.remove('i1');
    });
    monitor.start();
    await clock.advance(5000);
    expect(asked.filter(({ at }) => at === 5000).map(({ url }) => url.slice(7, 9))).toEqual(['i0', 'i2']);
    await monitor.stop();
  });
});

describe('start() and stop()', () => {
  it('may be called again, and go on', async () => {
    const { clock, monitor, asked } = monitorStage();
    fill(monitor, 1);
    await monitor.stop();
    monitor.start();
    monitor.start();
    await clock.advance(0);
    await Promise.all([monitor.stop(), monitor.stop()]);
    await clock.advance(60_000);
    expect(asked).toHaveLength(1);
    fill(monitor, 1, 1);
    monitor.start();
    await clock.advance(0);
    expect(asked).toHaveLength(3);
    await monitor.stop();
    expect(clock.pending).toBe(0);
  });

  it('leave none that waits for its turn to be asked', async () => {
    const { clock, monitor, asked } = monitorStage({ maxConcurrent: 1 }, 'hangs');
    fill(monitor, 3);
    monitor.start();
    await monitor.stop();
    await clock.advance(60_000);
    expect(asked).toHaveLength(1);
    expect(clock.pending).toBe(0);
  });
});

describe('WebSockets of a monitor', () => {
  const stage = (options: HealthMonitorOptions = {}) => {
    const sockets = fakeSockets();
    return { ...sockets, ...monitorStage({ webSocket: sockets.WebSocket, ...options }) };
  };

  it('are opened a bounded number at a time', async () => {
    const { clock, monitor, made } = stage({ maxConcurrent: 2 });
    fill(monitor, 4);
    monitor.start();
    expect(made).toHaveLength(2);
    made[0]?.open();
    expect(made).toHaveLength(3);
    made[1]?.break();
    // The place that it gives back goes to who waits longest, then to its own try by HTTP.
    expect(made).toHaveLength(4);
    await monitor.stop();
    expect(clock.pending).toBe(0);
  });

  it('are closed with the instance, and waited for by stop()', async () => {
    const { clock, monitor, made, lines } = stage();
    fill(monitor, 2);
    monitor.start();
    for (const socket of made) {
      socket.open();
      socket.say(text('healthy'));
      socket.polite = false;
    }
    monitor.remove('i0');
    let stopped = false;
    const stopping = monitor.stop().then(() => {
      stopped = true;
    });
    await clock.advance(999);
    expect([stopped, made.map(({ done }) => done)]).toEqual([false, [['close'], ['close']]]);
    await clock.advance(1);
    await stopping;
    expect(lines).toHaveLength(4);
  });

  it('are not used unless asked for', async () => {
    const { clock, monitor, asked } = monitorStage();
    fill(monitor, 1);
    monitor.start();
    await clock.advance(0);
    expect(asked).toHaveLength(1);
    await monitor.stop();
  });
});

it('listeners are checked, and may be removed', async () => {
  const { clock, monitor } = monitorStage();
  const heard: string[] = [];
  const listener = ({ instance }: { instance: string }) => heard.push(instance);
  monitor.on('snapshot', listener);
  monitor.off('snapshot', listener);
  monitor.once('snapshot', listener);
  const off = monitor.on('running', listener);
  off();
  fill(monitor, 2);
  monitor.start();
  await clock.advance(5000);
  expect(heard).toEqual(['i0']);
  expect(() => monitor.on('down' as 'lost', () => {})).toThrow(expect.objectContaining({ code: 'invalid_option' }));
  expect(() => monitor.once('lost', {} as never)).toThrow(expect.objectContaining({ code: 'invalid_option' }));
  expect(() => monitor.off('down' as 'lost', () => {})).toThrow(expect.objectContaining({ code: 'invalid_option' }));
  await monitor.stop();
});
