import { describe, expect, it } from 'vitest';
import { Emitter, silentLogger } from '../../../src/kit.js';
import type { GatewayEvents } from '../../../src/presets/gateway/events.js';
import type { Observation } from '../../../src/presets/gateway/observation.js';
import { Observer } from '../../../src/presets/gateway/observer.js';
import { resolveGateway } from '../../../src/presets/gateway/options.js';
import { SnapshotStream, type StreamClient } from '../../../src/presets/gateway/stream.js';
import { FakeClock } from '../../../src/testing/index.js';
import { never, RUNNING } from './doubles.js';

class Client implements StreamClient {
  readonly seen: Observation[] = [];
  show(seen: Observation): void {
    this.seen.push(seen);
  }
}

function makeStream(mode: 'active' | 'passive' = 'passive', processes = async () => [RUNNING]) {
  const clock = new FakeClock();
  const done: string[] = [];
  let listings = 0;
  const settings = resolveGateway({
    clock,
    fetch: async () => new Response('{"ok":true}'),
    processes: () => {
      listings++;
      return processes();
    },
    scheduleBackup: () => done.push('backup'),
  });
  const observer = new Observer(settings, new Emitter<GatewayEvents>(silentLogger));
  const stream = new SnapshotStream<Client>(observer, mode, 5000);
  return { stream, clock, done, observer, listings: () => listings };
}

describe('a stream', () => {
  it('shows a snapshot at once and one every interval', async () => {
    const { stream, clock } = makeStream();
    const client = new Client();
    stream.add(client);
    await clock.advance(0);
    expect(client.seen).toHaveLength(1);
    await clock.advance(4999);
    expect(client.seen).toHaveLength(1);
    await clock.advance(1);
    await clock.advance(10_000);
    expect(client.seen).toHaveLength(4);
  });

  it('takes one for all, also for who comes in between', async () => {
    const { stream, clock, listings } = makeStream();
    const clients = Array.from({ length: 100 }, () => new Client());
    for (const client of clients) stream.add(client);
    await clock.advance(2500);
    const late = new Client();
    stream.add(late);
    expect(late.seen).toEqual(clients[0]?.seen);
    await clock.advance(2500);
    expect(listings()).toBe(2);
    expect(new Set([...clients, late].map(({ seen }) => seen.at(-1))).size).toBe(1);
  });

  it('polls nothing before somebody listens and after the last one has gone', async () => {
    const { stream, clock, listings } = makeStream();
    await clock.advance(60_000);
    const clients = [new Client(), new Client()];
    for (const client of clients) stream.add(client);
    await clock.advance(5000);
    for (const client of clients) stream.remove(client);
    expect(clock.pending).toBe(0);
    await clock.advance(60_000);
    expect(listings()).toBe(2);
  });

  it('shows who comes back a snapshot of now, not one from before', async () => {
    const { stream, clock } = makeStream();
    const first = new Client();
    stream.add(first);
    await clock.advance(100);
    stream.remove(first);
    const second = new Client();
    stream.add(second);
    await clock.advance(0);
    expect(second.seen).toHaveLength(1);
    expect(second.seen[0]).not.toBe(first.seen[0]);
  });

  it('does not show a snapshot to who has left meanwhile', async () => {
    const { stream, clock } = makeStream();
    const client = new Client();
    stream.add(client);
    stream.remove(client);
    await clock.advance(20_000);
    expect(client.seen).toEqual([]);
    expect(clock.pending).toBe(0);
  });

  it('skips the ticks that a slow snapshot took', async () => {
    const { stream, clock, listings } = makeStream('active', never);
    const client = new Client();
    stream.add(client);
    await clock.advance(32_000);
    expect(listings()).toBe(1);
    expect(client.seen).toHaveLength(1);
    await clock.advance(3000);
    expect(listings()).toBe(2);
  });

  it.each([
    ['active', ['backup']],
    ['passive', []],
  ] as const)('of the mode %s does what a snapshot of that mode does', async (mode, expected) => {
    const { stream, clock, done } = makeStream(mode);
    stream.add(new Client());
    await clock.advance(0);
    expect(done).toEqual(expected);
  });

  it('goes on when a client drops out while it is shown one', async () => {
    const { stream, clock } = makeStream();
    const bad = new Client();
    bad.show = () => stream.remove(bad);
    const good = new Client();
    stream.add(bad);
    stream.add(good);
    await clock.advance(5000);
    expect(good.seen).toHaveLength(2);
    stream.remove(good);
    stream.add(bad);
    await clock.advance(0);
    expect(clock.pending).toBe(0);
  });

  it('ends with one last snapshot, which is passive', async () => {
    const { stream, clock, done } = makeStream('active');
    const client = new Client();
    stream.add(client);
    await clock.advance(0);
    await clock.advance(300_000);
    const [shown, backups] = [client.seen.length, done.length];
    await stream.end();
    expect(client.seen).toHaveLength(shown + 1);
    await clock.advance(60_000);
    expect(client.seen).toHaveLength(shown + 1);
    expect(done).toHaveLength(backups);
    expect(clock.pending).toBe(0);
  });

  it('ends while a snapshot is under way, without another poll', async () => {
    const { stream, clock } = makeStream('active', never);
    const client = new Client();
    stream.add(client);
    await clock.advance(1);
    const ended = stream.end();
    await clock.advance(3000);
    await ended;
    expect(client.seen).toHaveLength(1);
    await clock.advance(60_000);
    expect(client.seen).toHaveLength(1);
    expect(clock.pending).toBe(0);
  });

  it('uses timers that keep no process alive', async () => {
    const { stream, clock } = makeStream();
    stream.add(new Client());
    await clock.advance(0);
    expect(clock.timers).toEqual([expect.objectContaining({ keepAlive: false, delayMs: 5000 })]);
  });
});
