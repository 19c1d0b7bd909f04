import { describe, expect, it } from 'vitest';
import { HealthMonitor, HealthPoller, type PollOptions } from '../../src/client/index.js';
import { FakeClock } from '../../src/testing/index.js';
import { fakeSockets } from './support/fake-socket.js';
import { REFUSED, world } from './support/stage.js';

const url = 'http://w.test';

/** Both ways of polling one instance with these options. */
const WAYS = {
  poller: (options: PollOptions) => {
    const poller = new HealthPoller({ url, webSocket: false, ...options });
    poller.start();
    return poller;
  },
  monitor: (options: PollOptions) => {
    const monitor = new HealthMonitor(options);
    monitor.add({ id: 'a', url });
    monitor.start();
    return monitor;
  },
};

describe.each(Object.entries(WAYS))('a %s, told nothing', (_, begin) => {
  const stage = (first: Parameters<typeof world>[1], options: PollOptions = {}) => {
    const clock = new FakeClock();
    const { fetch, asked, times } = world(clock, first);
    return { clock, asked, times, source: begin({ fetch, clock, ...options }) };
  };

  it('asks every 5 s', async () => {
    const { clock, times, source } = stage('healthy', { jitter: 0 });
    await clock.advance(15_000);
    expect(times()).toEqual([0, 5000, 10_000, 15_000]);
    await source.stop();
  });

  it('gives a try 35 s, and 5 s where it is passive', async () => {
    for (const [options, timeoutMs] of [
      [{}, 35_000],
      [{ passive: true }, 5000],
    ] as const) {
      const { clock, asked, source } = stage('hangs', options);
      await clock.advance(timeoutMs - 1);
      expect(asked[0]?.init.signal.aborted).toBe(false);
      await clock.advance(1);
      expect(asked[0]?.init.signal.aborted).toBe(true);
      await source.stop();
    }
  });

  it('asks actively', async () => {
    const { clock, asked, source } = stage('healthy');
    await clock.advance(0);
    expect(asked[0]?.url).toBe('http://w.test/api/health');
    await source.stop();
  });

  it('backs off to 30 s', async () => {
    const { clock, times, source } = stage(REFUSED, { jitter: 0 });
    await clock.advance(100_000);
    expect(times()).toEqual([0, 5000, 15_000, 35_000, 65_000, 95_000]);
    await source.stop();
  });

  it('waits up to a tenth longer, at random', async () => {
    const { clock, times, source } = stage(REFUSED, { random: () => 0.5 });
    await clock.advance(20_000);
    expect(times()).toEqual([0, 5250, 15_750]);
    await source.stop();
  });

  it('takes five minutes without life for a loss', async () => {
    const { clock, source } = stage('dead', { jitter: 0 });
    const lost: number[] = [];
    source.on('lost', () => lost.push(clock.now()));
    await clock.advance(400_000);
    expect(lost).toEqual([300_000]);
    await source.stop();
  });

  it('writes nothing, and writes to the logger that it is given', async () => {
    const { clock, source } = stage('healthy');
    await clock.advance(0);
    await source.stop();
    const written: string[] = [];
    const line = (text: string) => void written.push(text);
    const told = stage('healthy', { logger: { debug: line, info: line, warn: line, error: line } });
    await told.clock.advance(0);
    expect(written).toEqual([expect.stringMatching(/^instance ".*" is running$/)]);
    await told.source.stop();
  });

  it('hears of a loss when it is told to', async () => {
    const { clock, source } = stage('dead', { jitter: 0, lostAfterMs: 7000 });
    const lost: number[] = [];
    source.on('lost', () => lost.push(clock.now()));
    await clock.advance(20_000);
    expect(lost).toEqual([7000]);
    await source.stop();
  });
});

describe('an instance of a monitor', () => {
  it('has a jitter of its own', async () => {
    const clock = new FakeClock();
    const { fetch, times } = world(clock, REFUSED);
    const monitor = new HealthMonitor({ fetch, clock, jitter: 0, random: () => 0.5 });
    monitor.add({ id: 'a', url, jitter: 1 });
    monitor.start();
    await clock.advance(8000);
    expect(times()).toEqual([0, 7500]);
    await monitor.stop();
  });

  it('has a WebSocket of its own', async () => {
    const clock = new FakeClock();
    const { WebSocket, last } = fakeSockets();
    const monitor = new HealthMonitor({ webSocket: WebSocket, clock });
    monitor.add({ id: 'a', url, webSocketUrl: 'wss://stream.test/a' });
    monitor.start();
    expect(last().url).toBe('wss://stream.test/a');
    await monitor.stop();
  });
});
