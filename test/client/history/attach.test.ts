import { describe, expect, it } from 'vitest';
import type { SnapshotSource } from '../../../src/client/index.js';
import { FlakyStore } from './support/flaky-store.js';
import { makeHistory } from './support/make-history.js';
import { A, snapshotOf } from './support/rows.js';

type Listener = (event: never) => unknown;

/** A source that says what a test has it say. */
function makeSource(extra: Omit<SnapshotSource, 'on'> = {}) {
  const listeners = new Map<string, Set<Listener>>([
    ['snapshot', new Set()],
    ['unreachable', new Set()],
  ]);
  const on = (event: string, listener: Listener) => {
    listeners.get(event)?.add(listener);
    return () => void listeners.get(event)?.delete(listener);
  };
  const tell = (event: 'snapshot' | 'unreachable', payload: object) => {
    for (const listener of listeners.get(event) ?? []) listener(payload as never);
  };
  const listening = () => [...listeners.values()].reduce((sum, { size }) => sum + size, 0);
  return { source: { on, ...extra } as SnapshotSource, tell, listening };
}

describe('what a source tells', () => {
  it('is recorded: each snapshot, and each failed try as three failures', async () => {
    const { history, store } = makeHistory();
    const { source, tell } = makeSource();
    history.attach(source);
    tell('snapshot', { instance: 'a', snapshot: snapshotOf(true, false, true, 3), verdict: 'degraded' });
    tell('unreachable', { instance: 'a', error: 'connection refused' });
    tell('snapshot', { instance: 'b', snapshot: snapshotOf() });
    await history.flush();
    const shown = (await store.rows('a')).map((row) => [row.startupOk, row.readinessOk, row.livenessOk, row.latencyMs]);
    expect(shown).toEqual([
      [true, false, true, 9],
      [false, false, false, 0],
    ]);
    expect(await store.rows('b')).toHaveLength(1);
  });

  it('is not recorded where a try failed and the poller says that the instance is reachable', async () => {
    const { history } = makeHistory();
    const state = { id: 'a', reachable: true };
    const { source, tell } = makeSource({ state });
    history.attach(source);
    tell('unreachable', { instance: 'a' });
    expect(history.stats.recorded).toBe(0);
    state.reachable = false;
    tell('unreachable', { instance: 'a' });
    expect(history.stats.recorded).toBe(1);
  });

  it('is not recorded where the monitor says so of this instance', async () => {
    const { history, store } = makeHistory();
    const { source, tell } = makeSource({ get: (id) => (id === 'gone' ? undefined : { reachable: id === 'a' }) });
    history.attach(source);
    for (const instance of ['a', 'b', 'gone']) tell('unreachable', { instance });
    await history.flush();
    expect(await Promise.all(['a', 'b', 'gone'].map((id) => store.rows(id)))).toMatchObject([[], [{}], [{}]]);
  });

  it('is dropped where the store does not take the id', async () => {
    const { history, lines } = makeHistory({}, new FlakyStore('uuid'));
    const { source, tell } = makeSource();
    history.attach(source);
    tell('snapshot', { instance: 'worker-1', snapshot: snapshotOf() });
    tell('unreachable', { instance: 'worker-1' });
    tell('snapshot', { instance: A, snapshot: snapshotOf() });
    expect(lines).toEqual(['dropped count=1 reason=id total=1']);
    expect(history.stats).toMatchObject({ recorded: 3, queued: 1, dropped: 2 });
  });
});

describe('attach()', () => {
  it('listens until its function is called', () => {
    const { history } = makeHistory();
    const { source, tell, listening } = makeSource();
    const detach = history.attach(source);
    expect(listening()).toBe(2);
    detach();
    detach();
    expect(listening()).toBe(0);
    tell('snapshot', { instance: 'a', snapshot: snapshotOf() });
    expect(history.stats.recorded).toBe(0);
  });

  it('listens until close()', async () => {
    const { history } = makeHistory();
    const sources = [makeSource(), makeSource()];
    for (const { source } of sources) history.attach(source);
    const closed = history.close();
    expect(sources.map(({ listening }) => listening())).toEqual([0, 0]);
    await closed;
  });

  it('listens no more after close()', async () => {
    const { history } = makeHistory();
    await history.close();
    const { source, listening } = makeSource();
    expect(() => history.attach(source)).toThrow(expect.objectContaining({ code: 'stopped' }));
    expect(listening()).toBe(0);
  });

  it.each([
    ['state', { state: { id: 'worker-1', reachable: true } }],
    ['list()', { list: () => [{ id: A }, { id: 'worker-1' }] }],
  ])('refuses a source with an instance whose id the store does not take, by its %s', (_, extra) => {
    const { history } = makeHistory({}, new FlakyStore('uuid'));
    const { source, listening } = makeSource(extra);
    expect(() => history.attach(source)).toThrow(
      expect.objectContaining({ code: 'invalid_option', message: expect.stringMatching(/a UUID, got "worker-1"/) }),
    );
    expect(listening()).toBe(0);
  });

  it.each([undefined, null, {}, 'monitor'])('refuses what is no source: %j', (source) => {
    const { history } = makeHistory();
    expect(() => history.attach(source as never)).toThrow(expect.objectContaining({ code: 'invalid_option' }));
  });
});
