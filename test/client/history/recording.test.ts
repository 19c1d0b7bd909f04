import { describe, expect, it } from 'vitest';
import { type RecordedSnapshot, SnapshotHistory } from '../../../src/client/index.js';
import { FakeClock } from '../../../src/testing/index.js';
import { FlakyStore } from './support/flaky-store.js';
import { makeHistory } from './support/make-history.js';
import { A, snapshotOf, T0 } from './support/rows.js';

const probe = (ok: boolean, latencyMs: number) => ({ ok, status: ok ? 'success' : 'failure', latencyMs }) as const;
const latencies = (...[startup = 0, readiness = 0, liveness = 0]: number[]): RecordedSnapshot => ({
  startup: probe(true, startup),
  readiness: probe(true, readiness),
  liveness: probe(true, liveness),
  restoreStatus: { hadBackup: false, restored: false },
});

describe('a recorded snapshot', () => {
  it.each([
    [true, false, false, false, false],
    [false, true, false, false, false],
    [false, false, true, false, false],
    [false, false, false, true, false],
    [false, false, false, false, true],
  ])('has its five booleans: %s %s %s %s %s', async (startup, readiness, liveness, hadBackup, restored) => {
    const { history } = makeHistory();
    history.record('i', {
      startup: probe(startup, 12),
      readiness: probe(readiness, 8),
      liveness: probe(liveness, 5),
      restoreStatus: { hadBackup, restored },
    });
    await history.flush();
    expect(await history.latest('i')).toEqual({
      instanceId: 'i',
      startupOk: startup,
      readinessOk: readiness,
      livenessOk: liveness,
      hadBackup,
      restored,
      latencyMs: 25,
      insertedAt: T0,
    });
  });

  it.each([
    [[0.2, 0.2, 0.2], 1],
    [[0.1, 0.1, 0.1], 0],
    [[1.5, 0, 0], 2],
    [[1e308, 1e308, 0], 2_147_483_647],
    [[3_000_000_000, 0, 0], 2_147_483_647],
    [[Number.NaN, 1, 1], 0],
    [[-5, 1, 1], 0],
  ])('has the rounded sum of the latencies %j: %i', async (given, sum) => {
    const { history } = makeHistory();
    history.record('i', latencies(...given));
    await history.flush();
    expect((await history.latest('i'))?.latencyMs).toBe(sum);
  });

  it('takes for false, and for no latency, whatever is no boolean and no number', async () => {
    const { history } = makeHistory();
    const partial = { startup: { ok: 'yes' }, readiness: {}, liveness: { ok: 1, latencyMs: '5' }, restoreStatus: {} };
    history.record('i', partial as unknown as RecordedSnapshot);
    history.recordUnreachable('j');
    await history.flush();
    const [row, nothing] = [await history.latest('i'), await history.latest('j')];
    expect(row).toEqual({ ...nothing, instanceId: 'i' });
  });

  it('is three failures and no latency where the instance did not answer', async () => {
    const { history } = makeHistory();
    history.recordUnreachable('i');
    await history.flush();
    expect(await history.latest('i')).toEqual({
      instanceId: 'i',
      startupOk: false,
      readinessOk: false,
      livenessOk: false,
      hadBackup: false,
      restored: false,
      latencyMs: 0,
      insertedAt: T0,
    });
  });

  it('has a UUID in lower case, where the store takes UUIDs', async () => {
    const store = new FlakyStore('uuid');
    const { history } = makeHistory({}, store);
    history.record(A.toUpperCase(), snapshotOf());
    await history.flush();
    expect((await history.latest(A.toUpperCase()))?.instanceId).toBe(A);
    expect(await store.rows(A)).toHaveLength(1);
  });

  it.each([
    ['uuid', 'worker-1'],
    ['uuid', `{${A}}`],
    ['uuid', A.replaceAll('-', '')],
    ['uuid', `${A}\n`],
    ['uuid', ''],
    ['uuid', 7],
    ['text', ''],
    ['text', 'a\u0000b'],
    ['text', 'x'.repeat(257)],
    ['text', undefined],
  ] as const)('is refused where the store takes ids of the kind %s and the id is %j', (kind, id) => {
    const { history } = makeHistory({}, new FlakyStore(kind));
    const refusal = expect.objectContaining({
      code: 'invalid_option',
      message: expect.stringMatching(/id of the inst/),
    });
    expect(() => history.record(id as string, snapshotOf())).toThrow(refusal);
    expect(() => history.recordUnreachable(id as string)).toThrow(refusal);
    expect(() => history.latest(id as string)).toThrow(refusal);
    expect(() => history.range(id as string)).toThrow(refusal);
    expect(() => history.uptime(id as string, { from: 0 })).toThrow(refusal);
    expect(history.stats.recorded).toBe(0);
  });

  it.each([undefined, null, 'up', {}, { startup: {} }])('is refused where it is none: %j', (snapshot) => {
    const { history } = makeHistory();
    expect(() => history.record('i', snapshot as never)).toThrow(
      expect.objectContaining({ code: 'invalid_option', message: expect.stringMatching(/a snapshot/) }),
    );
  });
});

describe('the time of a row', () => {
  const times = async (steps: readonly number[]) => {
    const { history, clock, store } = makeHistory();
    for (const step of steps) {
      clock.setWall(T0 + step);
      history.record('i', snapshotOf());
    }
    await history.flush();
    return (await store.rows('i')).map(({ insertedAt }) => insertedAt - T0);
  };

  it('is the wall clock when it was recorded', async () => {
    expect(await times([0, 5000, 10_000])).toEqual([0, 5000, 10_000]);
  });

  it('is in whole milliseconds', async () => {
    expect(await times([0.7, 5000.9])).toEqual([0, 5000]);
  });

  it('is later than that of the row before, where the clock stands still or goes back', async () => {
    expect(await times([5000, 5000, 4000, 4500, 5001, 5100])).toEqual([5000, 5001, 5002, 5003, 5004, 5100]);
  });

  it('follows a clock that goes back by more than an hour', async () => {
    expect(await times([3_600_000, 0])).toEqual([3_600_000, 3_600_001]);
    expect(await times([3_600_001, 0])).toEqual([0, 3_600_001]);
  });

  it('is kept for each instance by itself', async () => {
    const { history, clock, store } = makeHistory();
    history.record('i', snapshotOf());
    clock.setWall(T0 - 10);
    history.record('j', snapshotOf());
    await history.flush();
    expect((await store.rows('j'))[0]?.insertedAt).toBe(T0 - 10);
  });
});

it('counts what it was given', async () => {
  const { history, record } = makeHistory();
  expect(history.stats).toEqual({ recorded: 0, queued: 0, written: 0, dropped: 0, pruned: 0, failures: 0 });
  await record(3);
  expect(history.stats).toEqual({ recorded: 3, queued: 3, written: 0, dropped: 0, pruned: 0, failures: 0 });
  await history.flush();
  expect(history.stats).toEqual({ recorded: 3, queued: 0, written: 3, dropped: 0, pruned: 0, failures: 0 });
});

it('has no timer before the first row, and only timers that keep no process alive after it', async () => {
  const clock = new FakeClock();
  const history = new SnapshotHistory({ store: new FlakyStore(), clock, retentionMs: 1000 });
  await history.latest('i');
  expect(clock.pending).toBe(0);
  history.record('i', snapshotOf());
  await clock.advance(1000);
  history.record('i', snapshotOf());
  expect(clock.timers.map(({ keepAlive }) => keepAlive)).toEqual([false, false]);
  await history.close();
  expect(clock.pending).toBe(0);
});

it('tells nobody who has stopped listening, and refuses what is no event and no listener', async () => {
  const { history, record } = makeHistory();
  const heard: string[] = [];
  const listener = () => heard.push('on');
  history.on('written', listener);
  history.once('written', () => heard.push('once'));
  const off = history.on('written', () => heard.push('ended'));
  off();
  await record(1);
  await history.flush();
  await record(1);
  await history.flush();
  history.off('written', listener);
  await record(1);
  await history.flush();
  expect(heard).toEqual(['on', 'once', 'on']);
  expect(() => history.on('lost' as 'dropped', () => {})).toThrow(/the event/);
  expect(() => history.once('dropped', 1 as never)).toThrow(/listener/);
  expect(() => history.off('dropped', undefined as never)).toThrow(/listener/);
});
