import { describe, expect, it } from 'vitest';
import { SandboxServices } from '../../../src/presets/sandbox-service/index.js';
import { Line, type RelayCall, Stage } from './support/stage.js';

/** So many services of one sandbox. */
function expose(stage: Stage, count: number): void {
  for (let i = 0; i < count; i++) {
    stage.services.expose({ workspace: 'team', sandbox: 'box', service: `s${i}`, port: 1 });
  }
}

const open = (stage: Stage): RelayCall[] => stage.calls.filter((call) => call.open);
const countsBy = (calls: readonly RelayCall[]): number[] => {
  const counts = new Map<string, number>();
  for (const { target } of calls) counts.set(target.service, (counts.get(target.service) ?? 0) + 1);
  return [...counts.values()];
};

describe('attempts', () => {
  it('are made at once, then every interval, without drift', async () => {
    const stage = new Stage({ intervalMs: 700 });
    const at: number[] = [];
    stage.expose();
    await stage.clock.advance(123);
    stage.box.ready('runtime-1');
    for (let ms = 0; ms < 2200; ms++) {
      if (open(stage).length > 0) {
        at.push(stage.clock.now());
        await stage.ends(ms > 700 ? 200 : 'refused');
      }
      await stage.clock.advance(1);
    }
    expect(at).toEqual([123, 823, 1523, 2223]);
  });

  it('of one service never overlap: a tick that finds one under way makes none', async () => {
    const stage = new Stage({ intervalMs: 1000, timeoutMs: 2500 });
    stage.observe();
    await stage.clock.advance(2000);
    expect(stage.calls).toHaveLength(1);
    await stage.clock.advance(999);
    expect(open(stage)).toHaveLength(0);
    await stage.clock.advance(1);
    expect([stage.calls.length, open(stage).length]).toEqual([2, 1]);
  });

  it('are not caught up with after a stall of the process', async () => {
    const stage = new Stage();
    stage.observe();
    await stage.ends(200);
    stage.clock.freeze(52_000);
    await stage.settle();
    expect(stage.calls).toHaveLength(2);
    await stage.ends(200);
    // Back on the grid: 55 s after the first.
    await stage.clock.advance(2999);
    expect(stage.calls).toHaveLength(2);
    await stage.clock.advance(1);
    expect(stage.calls).toHaveLength(3);
  });

  it('never keep the process alive', async () => {
    const stage = new Stage();
    stage.observe();
    expect(stage.clock.timers.map(({ keepAlive }) => keepAlive)).toEqual([false, false]);
  });

  // Case 7: the wall clock steps; ages are read from the monotonic one.
  it('are as old as the monotonic clock says', async () => {
    const stage = new Stage({ intervalMs: 60_000 });
    stage.observe();
    await stage.ends(200);
    const { lastCheckedTime } = stage.health;
    expect(lastCheckedTime).toBe('2024-01-01T00:00:00.000Z');
    stage.clock.setWall(stage.clock.wall() + 3_600_000);
    await stage.clock.advance(15_000);
    expect(stage.health).toMatchObject({ state: 'healthy', lastCheckedTime });
    stage.clock.setWall(0);
    await stage.clock.advance(1);
    expect(stage.health).toEqual({ state: 'unknown', message: 'last check is more than 15000 ms old' });
  });
});

describe('what has grown too old', () => {
  it('is told once, when it happens', async () => {
    const stage = new Stage({ intervalMs: 40_000, staleAfterMs: 12_000 });
    stage.observe();
    await stage.ends(200);
    await stage.clock.advance(12_000);
    expect(stage.changes).toEqual(['unknown > healthy']);
    await stage.clock.advance(1);
    expect(stage.changes).toEqual(['unknown > healthy', 'healthy > unknown']);
    await stage.clock.advance(20_000);
    expect(stage.changes).toHaveLength(2);
  });

  it('needs no timer of its own where the next attempt comes earlier', async () => {
    const stage = new Stage();
    stage.observe();
    await stage.ends(200);
    expect(stage.clock.pending).toBe(1);
  });

  it('is told also where the attempts hang', async () => {
    const stage = new Stage({ intervalMs: 5000, timeoutMs: 60_000 });
    stage.observe();
    await stage.ends(200);
    await stage.clock.advance(15_001);
    expect(stage.changes).toEqual(['unknown > healthy', 'healthy > unknown']);
    await stage.ends(200);
    expect(stage.changes).toEqual(['unknown > healthy', 'healthy > unknown', 'unknown > healthy']);
  });

  it('is read at once after a stall, and told before the next attempt is', async () => {
    const stage = new Stage();
    stage.observe();
    await stage.ends(200);
    stage.clock.freeze(20_000);
    expect(stage.health.state).toBe('unknown');
    await stage.settle();
    await stage.ends(200);
    expect(stage.changes).toEqual(['unknown > healthy', 'healthy > unknown', 'unknown > healthy']);
  });
});

it('counts anew also where an answer is read before the timers that a stall held up', async () => {
  const stage = new Stage();
  stage.observe();
  await stage.ends(200);
  await stage.next('refused');
  await stage.next('refused');
  await stage.clock.advance(5000);
  stage.clock.freeze(16_000);
  stage.last.refuse();
  await new Promise((resolve) => setImmediate(resolve));
  expect(stage.changes).toEqual(['unknown > healthy', 'healthy > unknown']);
  expect(stage.health).toMatchObject({ state: 'unknown', message: 'connection refused' });
});

describe('many services', () => {
  it('have at most maxConcurrent attempts under way; the others wait in order', async () => {
    const stage = new Stage({ maxConcurrent: 3 });
    expose(stage, 8);
    stage.box.ready('runtime-1');
    expect(open(stage).map(({ target }) => target.service)).toEqual(['s0', 's1', 's2']);
    open(stage)[1]?.refuse();
    await stage.settle();
    expect(open(stage).map(({ target }) => target.service)).toEqual(['s0', 's2', 's3']);
    for (let i = 0; i < 8; i++) {
      open(stage)[0]?.refuse();
      await stage.settle();
    }
    expect(stage.calls.map(({ target }) => target.service)).toEqual(['s0', 's1', 's2', 's3', 's4', 's5', 's6', 's7']);
  });

  it('wait without their deadline running', async () => {
    const stage = new Stage({ maxConcurrent: 1, failureThreshold: 1 });
    expose(stage, 2);
    stage.box.ready('runtime-1');
    await stage.clock.advance(1999);
    expect(stage.services.list().map(({ health }) => health.state)).toEqual(['unhealthy', 'unknown']);
    await stage.clock.advance(1);
    expect(stage.services.list().map(({ health }) => health.state)).toEqual(['unhealthy', 'unhealthy']);
  });

  it('that wait are forgotten when they are removed, and free their place when they have one', async () => {
    const stage = new Stage({ maxConcurrent: 1 });
    expose(stage, 3);
    stage.box.ready('runtime-1');
    stage.services.remove({ workspace: 'team', sandbox: 'box', service: 's1' });
    stage.services.remove({ workspace: 'team', sandbox: 'box', service: 's0' });
    expect(open(stage).map(({ target }) => target.service)).toEqual(['s2']);
  });

  it('that wait are not queued twice', async () => {
    const stage = new Stage({ maxConcurrent: 1, timeoutMs: 20_000, staleAfterMs: 100_000 });
    expose(stage, 2);
    stage.box.ready('runtime-1');
    await stage.clock.advance(19_000);
    open(stage)[0]?.refuse();
    await stage.settle();
    expect(stage.calls.map(({ target }) => target.service)).toEqual(['s0', 's1']);
    open(stage)[0]?.refuse();
    await stage.settle();
    expect(open(stage)).toHaveLength(0);
  });

  it('are spread over the interval, each at its own pace', async () => {
    const line = () => {
      const answered = new Line();
      answered.answer(200);
      return answered;
    };
    const at: number[] = [];
    const stage: Stage = new Stage({
      relay: () => {
        at.push(stage.clock.now());
        return line();
      },
    });
    expose(stage, 600);
    stage.box.ready('runtime-1');
    await stage.clock.advance(10_000);
    const perHalfSecond = new Array<number>(10).fill(0);
    for (const moment of at) {
      const slot = Math.floor((moment - 5000) / 500);
      if (moment >= 5000 && moment < 10_000) perHalfSecond[slot] = (perHalfSecond[slot] ?? 0) + 1;
    }
    // The first 128 keep to the grid; the others are spread evenly.
    expect(perHalfSecond[0]).toBeGreaterThan(128);
    for (const count of perHalfSecond.slice(1)) expect(Math.abs(count - 47)).toBeLessThan(5);
    await stage.services.stop();
  });

  it('make no burst after a stall: each is checked once, no more than maxConcurrent at one time', async () => {
    const stage = new Stage({ maxConcurrent: 50 });
    expose(stage, 300);
    stage.box.ready('runtime-1');
    while (open(stage).length > 0) {
      for (const call of open(stage)) call.refuse();
      await stage.settle();
    }
    expect(stage.calls).toHaveLength(300);
    stage.calls.length = 0;
    stage.clock.freeze(61_000);
    await stage.settle();
    let most = 0;
    while (open(stage).length > 0) {
      most = Math.max(most, open(stage).length);
      for (const call of open(stage)) call.refuse();
      await stage.settle();
    }
    expect(most).toBe(50);
    expect(countsBy(stage.calls)).toEqual(new Array(300).fill(1));
  });
});

describe('stop()', () => {
  it('ends all attempts and timers, those that wait included, and keeps what is known', async () => {
    const stage = new Stage({ maxConcurrent: 2 });
    expose(stage, 4);
    stage.box.ready('runtime-1');
    stage.calls[0]?.answer(200);
    await stage.settle();
    const [first] = stage.services.list();
    const stopped = stage.services.stop();
    expect(stage.services.stop()).toBe(stopped);
    await stopped;
    expect(stage.clock.pending).toBe(0);
    expect(open(stage)).toHaveLength(0);
    expect(stage.calls).toHaveLength(3);
    expect(stage.services.list()[0]).toBe(first);
    await stage.clock.advance(15_001);
    expect(stage.services.list()[0]?.health).toEqual({
      state: 'unknown',
      message: 'last check is more than 15000 ms old',
    });
    expect(stage.changes).toEqual(['unknown > healthy']);
  });

  it('is final: nothing can be exposed, nothing is observed', async () => {
    const stage = new Stage();
    stage.observe();
    await stage.ends(200);
    await stage.services.stop();
    expect(() => stage.expose()).toThrow(expect.objectContaining({ code: 'stopped' }));
    stage.box.ready('runtime-2');
    expect(stage.health).toEqual({ state: 'unknown', message: 'observation has ended' });
    stage.box.notReady();
    expect(stage.health.message).toBe('sandbox is not ready');
    stage.box.ready('runtime-2');
    await stage.clock.advance(60_000);
    expect(stage.calls).toHaveLength(1);
    expect(stage.services.remove({ workspace: 'team', sandbox: 'box', service: 'web' })).toBe(true);
  });

  it('resolves with nothing to stop', async () => {
    const services = new SandboxServices();
    expect(await services.stop()).toBeUndefined();
  });
});
