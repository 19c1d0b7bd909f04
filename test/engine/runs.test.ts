import { describe, expect, it } from 'vitest';
import {
  type CheckContext,
  type CheckReturn,
  degraded,
  healthy,
  isHealthControllerError,
  type ProbeFunction,
  type ServiceStatus,
  unhealthy,
} from '../../src/index.js';
import { type Bench, bench, entryOf } from './support/bench.js';
import { deferred, turns } from './support/deferred.js';
import { never } from './support/polled.js';
import { expectNothingUnhandled } from './support/rejections.js';

const TIMEOUT = 5000;

interface Way {
  readonly way: string;
  readonly label: string;
  /** Registers `run` so that the entry shows its run, and begins the run. */
  begin(at: Bench, run: ProbeFunction): Promise<ServiceStatus | undefined>;
}

/** What runs once, in each of the ways in which a controller runs something. */
const WAYS: readonly Way[] = [
  {
    way: 'a probe',
    label: 'probe',
    begin({ controller }, status) {
      controller.register('db', { status, probeTimeoutMs: TIMEOUT });
      controller.start();
      return entryOf(controller);
    },
  },
  {
    way: 'a sync check',
    label: 'health check',
    begin({ controller, check }, run) {
      check({ check: run, timeoutMs: TIMEOUT });
      controller.start();
      return entryOf(controller);
    },
  },
  {
    way: 'a polled check',
    label: 'health check',
    async begin({ controller, check }, run) {
      const recorded = deferred();
      controller.once('check', () => recorded.resolve());
      check({ check: run, timeoutMs: TIMEOUT, intervalMs: 1_000_000 });
      controller.start();
      await recorded.promise;
      return entryOf(controller);
    },
  },
];

describe.each(WAYS)('$way', ({ label, begin }) => {
  expectNothingUnhandled();

  it.each<[string, () => unknown, string, string | undefined, string | undefined]>([
    ['undefined', () => undefined, 'OK', undefined, undefined],
    ['true', () => true, 'OK', undefined, undefined],
    ['false', () => false, 'ERROR', 'check returned false', 'failed'],
    ['healthy()', () => healthy(), 'OK', undefined, undefined],
    ['degraded()', () => degraded('slow', { ms: 9 }, 'latency'), 'DEGRADED', 'slow', 'latency'],
    ['unhealthy()', () => unhealthy('gone', undefined, 'connect'), 'ERROR', 'gone', 'connect'],
    ['unhealthy() without a reason', () => unhealthy('gone'), 'ERROR', 'gone', 'failed'],
  ])('that returns %s, directly or as a promise, is read', async (_what, run, status, error, reason) => {
    for (const asked of [run as ProbeFunction, (async () => run()) as ProbeFunction]) {
      const entry = await begin(bench(), asked);
      expect(entry?.status).toBe(status);
      expect(entry?.error).toBe(error);
      expect(entry?.reason).toBe(reason);
    }
  });

  it.each<[string, unknown]>([
    ['null', null],
    ['an empty object', {}],
    ['a number', 1],
    ['a status that there is not', { status: 'up' }],
  ])('that returns %s is unhealthy, reason invalid_result', async (_what, value) => {
    for (const asked of [() => value, async () => value]) {
      expect(await begin(bench(), asked as ProbeFunction)).toMatchObject({ status: 'ERROR', reason: 'invalid_result' });
    }
  });

  it('that throws or rejects with an Error is unhealthy with its message', async () => {
    const error = new Error('boom');
    const runs: ProbeFunction[] = [
      () => {
        throw error;
      },
      () => Promise.reject(error),
      async () => {
        await turns(1);
        throw error;
      },
    ];
    for (const run of runs) {
      expect(await begin(bench(), run)).toMatchObject({ status: 'ERROR', error: 'boom', reason: 'failed' });
    }
  });

  const unreadable = Object.defineProperty(new Error('x'), 'message', {
    get() {
      throw new Error('no');
    },
  });

  it('that throws an Error whose message cannot be read is unhealthy', async () => {
    const entry = await begin(bench(), () => {
      throw unreadable;
    });
    expect(entry).toMatchObject({ status: 'ERROR', reason: 'failed', error: expect.stringMatching(/./) });
  });

  it.each<[string, unknown, string]>([
    ['a text', 'boom', 'boom'],
    ['null', null, 'null'],
    ['undefined', undefined, 'undefined'],
    ['a symbol', Symbol('why'), 'Symbol(why)'],
    ['a frozen object', Object.freeze({ a: 1 }), '{"a":1}'],
    [
      'an object whose toString throws',
      {
        toString: () => {
          throw new Error('no');
        },
      },
      '',
    ],
  ])('that throws or rejects with %s panicked', async (_what, value, text) => {
    const runs: ProbeFunction[] = [
      () => {
        throw value;
      },
      () => Promise.reject(value),
    ];
    for (const run of runs) {
      const entry = await begin(bench(), run);
      expect(entry).toMatchObject({ status: 'ERROR', reason: 'panicked' });
      if (text === '') expect(entry?.error).toMatch(new RegExp(`^${label} panicked: .`));
      else expect(entry?.error).toBe(`${label} panicked: ${text}`);
    }
  });

  // Case 13: the timeout does not depend on the callee.
  it('that ignores its signal is recorded as timed out at its deadline, not before, and its signal aborts', async () => {
    const at = bench();
    let context: CheckContext | undefined;
    let settled = false;
    const entry = begin(at, (given) => {
      context = given;
      expect(given.signal.aborted).toBe(false);
      return never();
    });
    void entry.then(() => {
      settled = true;
    });
    await at.clock.advance(TIMEOUT - 1);
    expect(settled).toBe(false);
    expect(context?.signal.aborted).toBe(false);
    await at.clock.advance(1);
    expect(await entry).toMatchObject({
      status: 'ERROR',
      error: `${label} timed out`,
      reason: 'timeout',
      durationMs: TIMEOUT,
    });
    expect(context?.signal.aborted).toBe(true);
    expect(isHealthControllerError(context?.signal.reason, 'timeout')).toBe(true);
  });

  it('that first reads its signal after its deadline finds it aborted', async () => {
    const at = bench();
    let context: CheckContext | undefined;
    const entry = begin(at, (given) => {
      context = given;
      return never();
    });
    await at.clock.advance(TIMEOUT);
    await entry;
    expect(context?.signal.aborted).toBe(true);
    expect(isHealthControllerError(context?.signal.reason, 'timeout')).toBe(true);
  });

  it('that gives up when its signal aborts is still a timeout', async () => {
    const at = bench();
    const entry = begin(
      at,
      ({ signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(new Error('gave up')));
        }),
    );
    await at.clock.advance(TIMEOUT);
    expect(await entry).toMatchObject({ error: `${label} timed out`, reason: 'timeout' });
  });

  it.each<[string, (answer: ReturnType<typeof deferred<CheckReturn>>) => void]>([
    ['resolves', (answer) => answer.resolve(healthy('too late'))],
    ['rejects', (answer) => answer.reject(new Error('too late'))],
    ['rejects with a panic', (answer) => answer.reject(undefined)],
    [
      'settles twice',
      (answer) => {
        answer.resolve(true);
        answer.reject(new Error('too late'));
      },
    ],
  ])('that %s after its deadline changes nothing and tells nobody', async (_what, settle) => {
    const at = bench();
    const answer = deferred<CheckReturn>();
    const entry = begin(at, () => answer.promise);
    await at.clock.advance(TIMEOUT);
    await entry;
    const before = { events: [...at.events], lines: [...at.lines], result: at.controller.checkResult('db') };
    settle(answer);
    await at.clock.advance(10);
    expect({ events: at.events, lines: at.lines }).toEqual({ events: before.events, lines: before.lines });
    const after = at.controller.checkResult('db');
    expect(after && { ...after, abandoned: 0 }).toEqual(before.result && { ...before.result, abandoned: 0 });
  });

  it('answers at its deadline in the order of the clock: an answer one millisecond earlier counts', async () => {
    const at = bench();
    const answer = deferred<CheckReturn>();
    at.clock.setTimeout(() => answer.resolve(healthy('in time')), TIMEOUT - 1, { keepAlive: false });
    const entry = begin(at, () => answer.promise);
    await at.clock.advance(TIMEOUT);
    expect(await entry).toMatchObject({ status: 'OK', durationMs: TIMEOUT - 1 });
  });

  it('gets a context of its own for each run, with one signal', async () => {
    const at = bench();
    const contexts: CheckContext[] = [];
    const run: ProbeFunction = (context) => {
      contexts.push(context);
      expect(context.signal).toBe(context.signal);
      return undefined;
    };
    await begin(at, run);
    await entryOf(at.controller);
    await at.clock.advance(1_000_000);
    expect(contexts.length).toBeGreaterThan(1);
    expect(new Set(contexts).size).toBe(contexts.length);
    expect(new Set(contexts.map(({ signal }) => signal)).size).toBe(contexts.length);
    expect(contexts.some(({ signal }) => signal.aborted)).toBe(false);
  });

  it('measures its run by the monotonic clock and stamps it with the time on the wall', async () => {
    const at = bench();
    at.clock.setWall(Date.UTC(2031, 1, 3, 4, 5, 6));
    const answer = deferred<CheckReturn>();
    const entry = begin(at, () => answer.promise);
    await at.clock.advance(250);
    // Case 7: a step of the wall clock is no duration.
    at.clock.setWall(Date.UTC(2020, 0, 1));
    answer.resolve(true);
    expect(await entry).toMatchObject({ durationMs: 250, checkedAt: '2020-01-01T00:00:00.000Z' });
  });
});
