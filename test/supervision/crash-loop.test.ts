import { describe, expect, it } from 'vitest';
import { Controller, Supervisor } from '../../src/index.js';
import { FakeClock } from '../../src/testing/index.js';

const SERVICES = 1000;
const HOUR = 3_600_000;
const BACKOFF = { initialBackoffMs: 300_000, maxBackoffMs: 900_000 };
/** Starts after 0, 5, 15, 30, 45 and 60 minutes. */
const STARTS_MIN = [0, 5, 15, 30, 45, 60];

describe('a thousand services in a crash loop for an hour', () => {
  it('are told of one after the other in each round, leave no timer, and remember no more than their last failure', async () => {
    const clock = new FakeClock();
    const controller = new Controller({ clock });
    let starts = 0;
    const told = new Map<number, string[]>();
    const names = Array.from({ length: SERVICES }, (_, index) => `s${index}`);
    for (const name of names) {
      controller.register(name, {
        start: () => {
          starts++;
          throw new Error(`${name} failed at ${clock.now()}`);
        },
        restartPolicy: { ...BACKOFF, restartWindowMs: 60_000, maxRestarts: 100 },
      });
    }
    controller.on('service', ({ service, kind, restarts }) => {
      const minute = clock.now() / 60_000;
      const round = told.get(minute) ?? [];
      told.set(minute, round);
      round.push(`${service} ${kind}:${restarts}`);
    });
    controller.start();
    // One timer for each, and nothing that grows from round to round.
    for (const minutes of [4, 10, 20, 44]) {
      await clock.advance(minutes * 60_000 - clock.now());
      expect(clock.pending).toBe(SERVICES);
    }
    await clock.advance(HOUR - clock.now());
    expect([...told.keys()]).toEqual(STARTS_MIN);
    for (const [round, minute] of STARTS_MIN.entries()) {
      expect(told.get(minute)).toEqual(names.map((name) => `${name} retrying:${round + 1}`));
    }
    expect(starts).toBe(SERVICES * STARTS_MIN.length);
    expect(controller.serviceInfo('s7')).toMatchObject({
      restartCount: 6,
      abandonedRuns: 0,
      error: new Error(`s7 failed at ${HOUR}`),
    });
    const stopped = controller.stop();
    await clock.advance(0);
    expect(await stopped).toMatchObject({ unfinished: [], stopErrors: [], exitCode: 0 });
    expect(clock.pending).toBe(0);
  }, 120_000);

  it('as children leave no timer either, and each keeps one failure for its readers', async () => {
    const clock = new FakeClock();
    const failed: string[] = [];
    const supervisor = new Supervisor({ clock, onFailure: ({ name }) => failed.push(name) });
    const names = Array.from({ length: SERVICES }, (_, index) => `c${index}`);
    for (const name of names) {
      supervisor.attach({
        name,
        start: () => Promise.reject(new Error('no')),
        restartPolicy: { ...BACKOFF, maxRestarts: 2 },
      });
    }
    supervisor.start();
    await clock.advance(10 * 60_000);
    expect(clock.pending).toBe(SERVICES);
    await clock.advance(HOUR);
    expect(failed).toEqual(names);
    expect(clock.pending).toBe(0);
    await supervisor.stop();
    expect(new Set(Object.values(supervisor.health()).map(({ state, restarts }) => `${state}:${restarts}`))).toEqual(
      new Set(['failed:2']),
    );
  }, 120_000);
});

describe('one service in a quick crash loop', () => {
  it('holds on to nothing of its earlier runs', async () => {
    if (globalThis.gc === undefined) {
      const { setFlagsFromString } = await import('node:v8');
      const { runInNewContext } = await import('node:vm');
      setFlagsFromString('--expose-gc');
      globalThis.gc = runInNewContext('gc') as typeof gc;
    }
    const clock = new FakeClock();
    const controller = new Controller({ clock });
    const contexts: WeakRef<object>[] = [];
    const errors: WeakRef<object>[] = [];
    controller.register('api', {
      start: (context) => {
        const error = new Error('no');
        contexts.push(new WeakRef(context), new WeakRef(context.signal));
        errors.push(new WeakRef(error));
        return Promise.reject(error);
      },
      restartPolicy: { initialBackoffMs: 1, maxBackoffMs: 1, restartWindowMs: 5, maxRestarts: 1000 },
    });
    controller.start();
    await clock.advance(500);
    expect(contexts.length).toBeGreaterThan(900);
    await clock.advance(0);
    globalThis.gc?.();
    const left = (refs: readonly WeakRef<object>[]) => refs.filter((ref) => ref.deref() !== undefined).length;
    expect(left(contexts)).toBeLessThan(10);
    expect(left(errors)).toBeLessThan(10);
    const stopped = controller.stop();
    await clock.advance(0);
    await stopped;
    expect(clock.pending).toBe(0);
  });
});
