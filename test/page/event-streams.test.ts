import { describe, expect, it } from 'vitest';
import type { EventSink } from '../../src/http/event-sink.js';
import type { StatusPageOptions } from '../../src/page/index.js';
import { pageOf, TestSource } from './support/pages.js';

/** A client that keeps what it was sent. */
class Client implements EventSink {
  bufferedBytes = 0;
  text = '';
  ended: 'end' | 'drop' | undefined;
  left = () => {};

  send(text: string): void {
    this.text += text;
  }

  end(): void {
    this.ended ??= 'end';
    this.left();
  }

  drop(): void {
    this.ended ??= 'drop';
    this.left();
  }

  /** The names of the events so far. */
  get events(): readonly string[] {
    return [...this.text.matchAll(/^event: (\w+)$/gm)].map(([, name = '']) => name);
  }
}

function streamsOf(source = new TestSource(), options: Partial<StatusPageOptions> = {}) {
  const { page, clock } = pageOf([source], options);
  const open = async (headers: Record<string, string> = {}): Promise<Client | number> => {
    const answer = await page.answer('events', new Request('http://host/', { headers }));
    if (answer.stream === undefined) return answer.status;
    const client = new Client();
    client.left = answer.stream(client);
    return client;
  };
  const opened = async (headers: Record<string, string> = {}): Promise<Client> => {
    const client = await open(headers);
    if (typeof client === 'number') throw new Error(`was refused with ${client}`);
    return client;
  };
  return { page, clock, source, open, opened };
}

describe('a stream', () => {
  it('says when to come again, shows the state at once, and then each reading', async () => {
    const { opened, clock } = streamsOf();
    const client = await opened();
    await clock.advance(0);
    expect(client.text).toMatch(/^retry: 5000\n\nid: 1\nevent: state\ndata: \{"ageMs":0,.*\}\n\n$/);
    await clock.advance(5000);
    expect(client.events).toEqual(['state', 'state']);
    expect(client.text).toContain('\nid: 2\n');
  });

  it('shows a change a quarter of a second later, without waiting for the next reading', async () => {
    const { opened, clock, source } = streamsOf();
    const client = await opened();
    await clock.advance(1000);
    source.says = () => ({ entries: [{ name: 'a', state: 'error', reason: 'timeout' }] });
    source.changed({ entry: 'a', state: 'error' });
    await clock.advance(250);
    expect(client.events).toEqual(['state', 'state']);
    expect(client.text).toContain('timeout');
  });

  it('beats beside what it has to say', async () => {
    const { opened, clock } = streamsOf(undefined, { heartbeatIntervalMs: 2000, refreshIntervalMs: 60_000 });
    const client = await opened();
    await clock.advance(6000);
    expect(client.events).toEqual(['state', 'beat', 'beat', 'beat']);
  });

  it('has no timer left once the last client has gone', async () => {
    const { opened, clock, page } = streamsOf();
    const clients = [await opened(), await opened()];
    await clock.advance(100);
    expect([page.clients, clock.pending]).toEqual([2, 2]);
    expect(clock.timers.every(({ keepAlive }) => !keepAlive)).toBe(true);
    for (const client of clients) client.left();
    expect([page.clients, clock.pending]).toEqual([0, 0]);
  });

  it('makes one text for all who may see as much', async () => {
    const said = () => ({ entries: [{ name: 'a', state: 'error', error: 'at 10.0.0.5' }] });
    const details = (request: { headers: unknown }) => (request.headers as Headers).get('x-who') === 'admin';
    const { opened, clock } = streamsOf(new TestSource(said), { details });
    const [admin, guest] = [await opened({ 'x-who': 'admin' }), await opened()];
    await clock.advance(10_000);
    expect(admin.text).toContain('10.0.0.5');
    expect(guest.text).not.toContain('10.0.0.5');
    expect(guest.events).toEqual(['state', 'state', 'state']);
  });

  it('is refused with 503 where there are maxClients, and there is room again when one goes', async () => {
    const { open, opened } = streamsOf(undefined, { maxClients: 2 });
    const first = await opened();
    await opened();
    expect(await open()).toBe(503);
    first.left();
    expect(await open()).toBeInstanceOf(Client);
  });

  it('is ended where another one took the last place while it was being opened', async () => {
    const { page } = streamsOf(undefined, { maxClients: 1 });
    const request = new Request('http://host/');
    const [one, two] = await Promise.all([page.answer('events', request), page.answer('events', request)]);
    const clients = [new Client(), new Client()];
    one.stream?.(clients[0] as Client);
    two.stream?.(clients[1] as Client);
    expect(clients.map(({ ended }) => ended)).toEqual([undefined, 'end']);
    expect(clients[1]?.events).toEqual(['end']);
    expect(page.clients).toBe(1);
  });

  it('is dropped when it has left more than maxBufferedBytes unread', async () => {
    const { opened, clock, page } = streamsOf(undefined, { maxBufferedBytes: 1000 });
    const [slow, quick] = [await opened(), await opened()];
    await clock.advance(0);
    slow.bufferedBytes = 1000;
    await clock.advance(5000);
    expect(slow.ended).toBeUndefined();
    slow.bufferedBytes = 1001;
    await clock.advance(5000);
    expect([slow.ended, quick.ended, page.clients]).toEqual(['drop', undefined, 1]);
    expect(slow.events).toHaveLength(2);
  });

  it('lasts for maxStreamMs, and then has its browser come again, so that the policy is asked anew', async () => {
    const { opened, clock, page } = streamsOf(undefined, { maxStreamMs: 12_000 });
    const client = await opened();
    await clock.advance(14_999);
    expect(client.ended).toBeUndefined();
    await clock.advance(1);
    expect([client.ended, client.events, page.clients]).toEqual(['end', ['state', 'state', 'state', 'again'], 0]);
    expect(clock.pending).toBe(0);
  });

  it('says goodbye at close(), after which there are no more, no timer and no listener', async () => {
    const { open, opened, clock, page, source } = streamsOf();
    const client = await opened();
    await clock.advance(100);
    page.close();
    page.close();
    expect([client.events, client.ended]).toEqual([['state', 'end'], 'end']);
    expect([page.clients, clock.pending, source.watched]).toEqual([0, 0, 0]);
    expect(await open()).toBe(503);
  });

  it('ends with the signal of a source or of the page, and listens to neither any more', async () => {
    for (const which of ['source', 'page'] as const) {
      const aborter = new AbortController();
      const source = Object.assign(new TestSource(), which === 'source' ? { signal: aborter.signal } : {});
      const { opened, page, clock } = streamsOf(source, which === 'page' ? { signal: aborter.signal } : {});
      const client = await opened();
      aborter.abort();
      expect([client.events.at(-1), page.clients, clock.pending]).toEqual(['end', 0, 0]);
    }
  });

  it('is none from the beginning where the signal was aborted before', async () => {
    const { open, source } = streamsOf(undefined, { signal: AbortSignal.abort() });
    expect([await open(), source.watched]).toEqual([503, 0]);
  });
});

describe('after close()', () => {
  it('the page is still there, read when it is asked for', async () => {
    const source = new TestSource(() => ({ entries: [{ name: 'a', state: 'ok' }] }));
    const { page, html, clock } = pageOf([source]);
    page.close();
    expect(await html()).toContain('data-key="a"');
    expect([source.reads.length, clock.pending]).toEqual([1, 0]);
  });
});
