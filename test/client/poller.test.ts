import { describe, expect, it } from 'vitest';
import { HealthPoller, type InstanceState } from '../../src/client/index.js';
import { FakeClock } from '../../src/testing/index.js';
import { pollerStage, REFUSED } from './support/stage.js';

describe('polling by HTTP', () => {
  it('asks at once, then one interval after the end of each try', async () => {
    const { clock, poller, times, asked, state } = pollerStage();
    expect(times()).toEqual([]);
    poller.start();
    await clock.advance(4999);
    expect(times()).toEqual([0]);
    state.answer = 'hangs';
    await clock.advance(3001);
    asked[1]?.answer('healthy');
    await clock.advance(4999);
    expect(times()).toEqual([0, 5000]);
    await clock.advance(1);
    expect(times()).toEqual([0, 5000, 13_000]);
    await poller.stop();
  });

  it('tells how an instance comes up, flips and comes back, each thing once', async () => {
    const { clock, poller, state, lines } = pollerStage({}, REFUSED);
    poller.start();
    await clock.advance(0);
    state.answer = 'provisioning';
    await clock.advance(5000);
    state.answer = 'healthy';
    await clock.advance(5000);
    state.answer = 'old-restart';
    await clock.advance(10_000);
    state.answer = 'healthy';
    await clock.advance(5000);
    expect(lines).toEqual([
      '0 unreachable',
      '5000 snapshot',
      '10000 snapshot',
      '10000 running',
      '15000 snapshot',
      '15000 degraded',
      '20000 snapshot',
      '25000 snapshot',
      '25000 recovered',
    ]);
    expect(poller.state.instanceStatus).toBe('running');
    await poller.stop();
  });

  it('tells of a loss after five minutes without life, at that moment, and when it is found again', async () => {
    const { clock, poller, state, lines } = pollerStage({ maxBackoffMs: 1_000_000 });
    poller.start();
    await clock.advance(0);
    state.answer = REFUSED;
    await clock.advance(299_999);
    const transitions = () => lines.filter((line) => !/snapshot|unreachable/.test(line));
    expect(transitions()).toEqual(['0 running']);
    expect(poller.state).toMatchObject({ reachable: false, lost: false, verdict: 'healthy' });
    await clock.advance(1);
    expect(transitions()).toEqual(['0 running', '300000 lost']);
    expect(poller.state).toMatchObject({ lost: true, instanceStatus: 'running', changedAgeMs: 0 });
    state.answer = 'provisioning';
    await clock.advance(600_000);
    expect(
      transitions()
        .slice(2)
        .map((line) => line.split(' ')[1]),
    ).toEqual(['found', 'degraded']);
    await poller.stop();
  });

  it('takes no notice of a wall clock that is set', async () => {
    const { clock, poller, state, lines } = pollerStage();
    poller.start();
    await clock.advance(0);
    state.answer = REFUSED;
    for (const wall of [0, 4e12, 1e12]) {
      clock.setWall(wall);
      await clock.advance(90_000);
    }
    expect(lines.some((line) => line.includes('lost'))).toBe(false);
    await poller.stop();
  });

  it('looks before it judges after a standstill', async () => {
    const { clock, poller, lines } = pollerStage();
    poller.start();
    await clock.advance(0);
    clock.freeze(3_600_000);
    await clock.advance(0);
    expect(lines).toEqual(['0 snapshot', '0 running', '3600000 snapshot']);
    await poller.stop();
  });

  it('waits longer after each failure in a row, up to maxBackoffMs', async () => {
    const { clock, poller, state, times } = pollerStage({ intervalMs: 1000, maxBackoffMs: 6000 }, REFUSED);
    poller.start();
    await clock.advance(20_000);
    expect(times()).toEqual([0, 1000, 3000, 7000, 13_000, 19_000]);
    state.answer = 'healthy';
    await clock.advance(7000);
    expect(times().slice(6)).toEqual([25_000, 26_000, 27_000]);
    await poller.stop();
  });

  it('does not back off where maxBackoffMs is at most the interval', async () => {
    const { clock, poller, times } = pollerStage({ intervalMs: 1000, maxBackoffMs: 1 }, REFUSED);
    poller.start();
    await clock.advance(3000);
    expect(times()).toEqual([0, 1000, 2000, 3000]);
    await poller.stop();
  });

  it('spreads its waits by jitter', async () => {
    const { clock, poller, times } = pollerStage({ intervalMs: 1000, jitter: 0.5, random: () => 0.5 });
    poller.start();
    await clock.advance(2500);
    expect(times()).toEqual([0, 1250, 2500]);
    await poller.stop();
  });

  it.each([
    [{}, 35_000, 'http://worker.test/api/health'],
    [{ passive: true }, 5000, 'http://worker.test/api/health?passive=1'],
    [{ timeoutMs: 700 }, 700, 'http://worker.test/api/health'],
  ])('with %j gives a try %i ms, and asks %s', async (options, timeoutMs, url) => {
    const { clock, poller, asked, lines } = pollerStage(options, 'hangs');
    poller.start();
    await clock.advance(timeoutMs - 1);
    expect(asked.map(({ init }) => init.signal.aborted)).toEqual([false]);
    await clock.advance(1);
    expect(asked[0]?.init.signal.reason).toMatchObject({ code: 'timeout' });
    expect(asked[0]?.url).toBe(url);
    expect(lines).toEqual([`${timeoutMs} unreachable`]);
    expect(poller.state.error).toBe(`no answer within ${timeoutMs} ms`);
    await poller.stop();
  });

  it('counts a body that does not end into the timeout', async () => {
    const { clock, poller, state, lines } = pollerStage({ timeoutMs: 1000 });
    state.answer = new Response(new ReadableStream({ pull: () => new Promise(() => {}) }));
    poller.start();
    await clock.advance(1000);
    expect(lines).toEqual(['1000 unreachable']);
    await poller.stop();
  });

  it('takes an answer that is there already although the timer came first', async () => {
    const { clock, poller, asked, lines } = pollerStage({ timeoutMs: 1000 }, 'hangs');
    poller.start();
    await clock.advance(0);
    clock.freeze(1500);
    asked[0]?.answer('healthy');
    await clock.advance(0);
    expect(lines).toEqual(['1500 snapshot', '1500 running']);
    await poller.stop();
  });

  it('ignores what a try that was abandoned still answers', async () => {
    const clock = new FakeClock();
    const answers: ((response: Response) => void)[] = [];
    const deaf = () => new Promise<Response>((resolve) => void answers.push(resolve));
    const poller = new HealthPoller({
      url: 'http://w.test',
      fetch: deaf,
      clock,
      jitter: 0,
      webSocket: false,
      timeoutMs: 100,
    });
    poller.start();
    await clock.advance(100);
    answers[0]?.(Response.json({ ts: '2026-01-01T00:00:00Z' }));
    await clock.advance(10);
    expect(poller.state.error).toBe('no answer within 100 ms');
    await poller.stop();
  });

  it('leaves at most two calls behind that ignore their signal, and sees the instance again', async () => {
    const clock = new FakeClock();
    let calls = 0;
    const deaf = (): Promise<never> => {
      calls++;
      return new Promise(() => {});
    };
    const poller = new HealthPoller({
      url: 'http://w.test',
      fetch: deaf,
      clock,
      jitter: 0,
      webSocket: false,
      timeoutMs: 1000,
      intervalMs: 1000,
      maxBackoffMs: 1000,
    });
    poller.start();
    await clock.advance(9000);
    expect(calls).toBe(2);
    expect(poller.state.error).toBe('earlier requests have not ended');
    await clock.advance(2000);
    expect(calls).toBe(3);
    await poller.stop();
  });

  it('sends its headers, the credentials of its URL among them, and shows neither', async () => {
    const { clock, poller, asked } = pollerStage({
      url: 'http://user:s3cret@worker.test/h?token=s3cret',
      headers: { 'X-Token': 's3cret' },
      id: undefined,
    });
    poller.start();
    await clock.advance(0);
    expect(asked[0]?.init).toMatchObject({
      method: 'GET',
      redirect: 'manual',
      cache: 'no-store',
      headers: { accept: 'application/json', authorization: `Basic ${btoa('user:s3cret')}`, 'x-token': 's3cret' },
    });
    expect(asked[0]?.url).toBe('http://worker.test/h?token=s3cret');
    expect(poller.state.id).toBe(poller.state.url);
    expect(poller.state.url).toBe('http://worker.test/h?token=***');
    await poller.stop();
  });

  it('says why a try failed in a sentence without what came with it', async () => {
    const { clock, poller, state } = pollerStage({}, REFUSED);
    poller.start();
    const errors: (string | undefined)[] = [];
    const hostile = new Error('s3cret');
    Object.defineProperty(hostile, 'code', {
      get() {
        throw new Error('s3cret');
      },
    });
    for (const answer of [REFUSED, new Error('s3cret'), hostile, new Response('s3cret', { status: 502 })]) {
      state.answer = answer;
      const result = await poller.poll();
      errors.push(result.ok ? undefined : result.error);
      expect(poller.state.error).toBe(errors.at(-1));
    }
    expect(errors).toEqual([
      'the request failed (ECONNREFUSED)',
      'the request failed',
      'the request failed',
      'the answer (HTTP 502) is no JSON',
    ]);
    await clock.advance(0);
    await poller.stop();
  });

  it('contains a fetch that throws', async () => {
    const { poller } = pollerStage({
      fetch: () => {
        throw new Error('no');
      },
    });
    expect(await poller.poll()).toEqual({ ok: false, error: 'the request failed' });
  });
});

describe('the state', () => {
  it('of an instance that nobody has asked says so', () => {
    const { poller } = pollerStage();
    expect(poller.state).toEqual({
      id: 'worker',
      url: 'http://worker.test/api/health',
      instanceStatus: 'provisioning',
      reachable: false,
      lost: false,
      transport: 'none',
      changedAgeMs: 0,
    });
    expect(Object.isFrozen(poller.state)).toBe(true);
  });

  it('has the newest snapshot, its age, and the error of the newest try', async () => {
    const { clock, poller, state } = pollerStage();
    poller.start();
    await clock.advance(3000);
    expect(poller.state).toMatchObject({
      instanceStatus: 'running',
      verdict: 'healthy',
      reachable: true,
      transport: 'http',
      snapshot: { phase: 'ready' },
      snapshotAgeMs: 3000,
      changedAgeMs: 3000,
    });
    expect(poller.state).not.toHaveProperty('error');
    state.answer = REFUSED;
    await clock.advance(3000);
    expect(poller.state).toMatchObject({
      reachable: false,
      verdict: 'healthy',
      snapshotAgeMs: 6000,
      changedAgeMs: 1000,
      error: 'the request failed (ECONNREFUSED)',
    });
    await poller.stop();
    expect(poller.state).toMatchObject({ transport: 'none', verdict: 'healthy' });
  });

  it('is what events carry, as it is after them', async () => {
    const { clock, poller, state } = pollerStage();
    const told: unknown[] = [];
    poller.on('running', (event) => told.push(event));
    poller.on('snapshot', (event) => told.push(event));
    poller.on('unreachable', (event) => told.push(event));
    poller.start();
    await clock.advance(0);
    const { snapshot } = poller.state;
    expect(told).toEqual([
      { instance: 'worker', snapshot, verdict: 'healthy' },
      { instance: 'worker', state: poller.state },
    ]);
    state.answer = REFUSED;
    await clock.advance(5000);
    expect(told[2]).toEqual({ instance: 'worker', error: 'the request failed (ECONNREFUSED)' });
    expect(told.every(Object.isFrozen)).toBe(true);
    await poller.stop();
  });

  it('begins with the status it is given', async () => {
    const { clock, poller, lines } = pollerStage({ instanceStatus: 'running' }, 'cold');
    expect(poller.state.instanceStatus).toBe('running');
    poller.start();
    await clock.advance(0);
    expect(lines).toEqual(['0 snapshot', '0 degraded']);
    await poller.stop();
  });
});

describe('start() and stop()', () => {
  it('leave no timer, no request and no waiter', async () => {
    const { clock, poller, asked, lines } = pollerStage({}, 'hangs');
    poller.start();
    await clock.advance(10);
    const [polled, running] = [poller.poll(), poller.whenRunning({ timeoutMs: 60_000 })];
    await poller.stop();
    expect(asked[0]?.init.signal.reason).toMatchObject({ code: 'shutdown' });
    expect(await polled).toEqual({ ok: false, error: 'polling has ended' });
    expect(await running).toBe(false);
    expect(clock.pending).toBe(0);
    await clock.advance(600_000);
    expect(lines).toEqual([]);
  });

  it('may be called again, and stop() before start()', async () => {
    const { clock, poller, times } = pollerStage();
    await poller.stop();
    poller.start();
    poller.start();
    await clock.advance(0);
    expect(times()).toEqual([0]);
    await Promise.all([poller.stop(), poller.stop()]);
    await poller.stop();
    expect(clock.pending).toBe(0);
  });

  it('go on with what was known, and count a loss from the new beginning', async () => {
    const { clock, poller, state, lines } = pollerStage();
    poller.start();
    await clock.advance(0);
    await poller.stop();
    await clock.advance(600_000);
    state.answer = 'dead';
    poller.start();
    await clock.advance(0);
    expect(lines).toEqual(['0 snapshot', '0 running', '600000 snapshot', '600000 degraded']);
    await poller.stop();
  });

  it('keep no process alive by a timer that only observes', async () => {
    const { clock, poller } = pollerStage({}, 'hangs');
    poller.start();
    await clock.advance(10);
    expect(clock.timers.length).toBeGreaterThan(0);
    expect(clock.timers.filter(({ keepAlive }) => keepAlive)).toEqual([]);
    void poller.poll();
    expect(clock.timers.filter(({ keepAlive }) => keepAlive).map(({ dueAt }) => dueAt)).toEqual([35_000]);
    await poller.stop();
  });

  it('may be called by listeners', async () => {
    const { clock, poller, lines } = pollerStage();
    poller.on('snapshot', () => poller.stop());
    poller.start();
    await clock.advance(60_000);
    expect(lines).toEqual(['0 snapshot', '0 running']);
    expect(clock.pending).toBe(0);
  });
});

describe('poll()', () => {
  it('asks now, started or not, and counts like any other try', async () => {
    const { clock, poller, state, lines } = pollerStage();
    const result = await poller.poll();
    expect(result).toEqual({ ok: true, snapshot: poller.state.snapshot, verdict: 'healthy' });
    expect(Object.isFrozen(result)).toBe(true);
    state.answer = REFUSED;
    expect(await poller.poll()).toEqual({ ok: false, error: 'the request failed (ECONNREFUSED)' });
    expect(lines).toEqual(['0 snapshot', '0 running', '0 unreachable']);
    expect(poller.state.transport).toBe('none');
    expect(clock.pending).toBe(0);
  });

  it('shares the try that is under way', async () => {
    const { clock, poller, asked, state } = pollerStage({}, 'hangs');
    poller.start();
    const all = [poller.poll(), poller.poll()];
    await clock.advance(100);
    expect(asked).toHaveLength(1);
    asked[0]?.answer('healthy');
    const [one, other] = await Promise.all(all);
    expect(one).toBe(other);
    expect(state.mostOpen).toBe(1);
    await clock.advance(5000);
    expect(asked.map(({ at }) => at)).toEqual([0, 5100]);
    await poller.stop();
  });

  it('of a listener asks anew', async () => {
    const { clock, poller, times } = pollerStage();
    let again: Promise<unknown> | undefined;
    poller.once('snapshot', () => {
      again = poller.poll();
    });
    await poller.poll();
    await again;
    await clock.advance(0);
    expect(times()).toHaveLength(2);
  });

  it('counts a loss from the first try where it is never started', async () => {
    const { clock, poller, lines } = pollerStage({}, REFUSED);
    await clock.advance(600_000);
    await poller.poll();
    await clock.advance(300_000);
    await poller.poll();
    expect(lines).toEqual(['600000 unreachable', '900000 unreachable', '900000 lost']);
  });

  it('of one that stop() ends leaves nothing', async () => {
    const { clock, poller, asked } = pollerStage({}, 'hangs');
    const polled = poller.poll();
    await poller.stop();
    expect(await polled).toMatchObject({ ok: false });
    expect(asked[0]?.init.signal.aborted).toBe(true);
    expect(clock.pending).toBe(0);
  });
});

describe('whenRunning()', () => {
  it('is true at the first healthy snapshot, and at once from then on', async () => {
    const { clock, poller, state } = pollerStage({}, 'provisioning');
    poller.start();
    let running: boolean | undefined;
    void poller.whenRunning().then((is) => {
      running = is;
    });
    await clock.advance(9000);
    expect(running).toBeUndefined();
    state.answer = 'healthy';
    await clock.advance(1000);
    expect(running).toBe(true);
    state.answer = 'dead';
    await clock.advance(5000);
    expect(await poller.whenRunning({ timeoutMs: 1 })).toBe(true);
    await poller.stop();
    expect(clock.pending).toBe(0);
  });

  it('is false when the time is up, and keeps the process alive until then', async () => {
    const { clock, poller } = pollerStage({}, 'provisioning');
    const running = poller.whenRunning({ timeoutMs: 2000 });
    expect(clock.timers).toEqual([{ delayMs: 2000, dueAt: 2000, keepAlive: true }]);
    await clock.advance(2000);
    expect(await running).toBe(false);
  });

  it('is false when the signal aborts, and leaves no listener', async () => {
    const { clock, poller } = pollerStage();
    const abort = new AbortController();
    const waiting = [poller.whenRunning({ signal: abort.signal }), poller.whenRunning({ signal: abort.signal })];
    abort.abort();
    expect(await Promise.all(waiting)).toEqual([false, false]);
    expect(await poller.whenRunning({ signal: abort.signal })).toBe(false);
    expect(clock.pending).toBe(0);
  });

  it('refuses wrong options', () => {
    const { poller } = pollerStage();
    for (const options of [{ timeoutMs: 0 }, { timeoutMs: '1' }, { signal: {} }, { after: 1 }, null]) {
      expect(() => poller.whenRunning(options as object)).toThrow(expect.objectContaining({ code: 'invalid_option' }));
    }
  });
});

describe('listeners', () => {
  it('that throw harm nobody', async () => {
    const { clock, poller, lines } = pollerStage();
    const lone = pollerStage();
    lone.poller.on('snapshot', () => {
      throw new Error('mine');
    });
    lone.poller.start();
    poller.start();
    await Promise.all([clock.advance(5000), lone.clock.advance(5000)]);
    expect(lone.lines).toEqual(lines);
    await Promise.all([poller.stop(), lone.poller.stop()]);
  });

  it('may be removed, and once() hears one', async () => {
    const { clock, poller } = pollerStage();
    const heard: string[] = [];
    const listener = (event: { verdict: string }) => heard.push(event.verdict);
    const off = poller.on('snapshot', listener);
    poller.on('snapshot', listener);
    poller.once('snapshot', () => heard.push('once'));
    poller.off('snapshot', listener);
    poller.start();
    await clock.advance(5000);
    expect(heard).toEqual(['healthy', 'once', 'healthy']);
    off();
    await clock.advance(5000);
    expect(heard).toHaveLength(3);
    await poller.stop();
  });

  it('of events that there are not are refused', () => {
    const { poller } = pollerStage();
    expect(() => poller.on('snapshots' as 'snapshot', () => {})).toThrow(/on\(\): the event: expected 'snapshot' or/);
    expect(() => poller.once('snapshot', 1 as never)).toThrow(expect.objectContaining({ code: 'invalid_option' }));
    expect(() => poller.off('x' as 'snapshot', () => {})).toThrow(expect.objectContaining({ code: 'invalid_option' }));
  });
});

it('writes one line per transition', async () => {
  const written: string[] = [];
  const line = (level: string) => (text: string) => void written.push(`${level}: ${text}`);
  const logger = { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') };
  const { clock, poller, state } = pollerStage({ logger });
  poller.start();
  await clock.advance(5000);
  state.answer = 'dead';
  await clock.advance(5000);
  expect(written).toEqual(['info: instance "worker" is running', 'warn: instance "worker" is degraded']);
  await poller.stop();
});

it('uses the global fetch and the system clock where none is given', async () => {
  const own = globalThis.fetch;
  const seen: InstanceState[] = [];
  try {
    globalThis.fetch = async function (this: unknown) {
      return this === undefined ? Response.json({}) : new Response('called on an object');
    } as typeof fetch;
    const poller = new HealthPoller({ url: 'http://w.test', webSocket: false });
    expect(await poller.poll()).toMatchObject({ error: expect.stringContaining('no snapshot: ts') });
    seen.push(poller.state);
  } finally {
    globalThis.fetch = own;
  }
  expect(seen[0]?.changedAgeMs).toBeLessThan(60_000);
});
