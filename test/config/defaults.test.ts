import { describe, expect, it } from 'vitest';
import { DEFAULTS } from '../../src/config/defaults.js';
import {
  type CheckReturn,
  type ControllerOptions,
  type HealthCheck,
  type RestartPolicy,
  type ServiceDescription,
  Supervisor,
} from '../../src/index.js';
import { bench, entryOf } from '../engine/support/bench.js';
import { turns } from '../engine/support/deferred.js';
import { never, polled } from '../engine/support/polled.js';
import { TracedClock } from '../engine/support/traced-clock.js';

/** A value that was seen in the behaviour where the option is absent. */
type Observed = () => Promise<unknown>;

const HOUR = 3_600_000;

/** How long the shutdown took of a controller with these options and services. */
async function shutdown(options: ControllerOptions, services: readonly ServiceDescription[], hold = false) {
  const at = bench({ shutdownTimeoutMs: undefined, ...options });
  for (const [index, service] of services.entries()) at.controller.register(`service ${index}`, service);
  at.controller.start();
  await turns();
  if (hold) at.controller.hold('upload');
  const stopped = at.controller.stop();
  await at.clock.advance(60_000);
  return (await stopped).durationMs;
}

/** How long the first run of a check took. */
async function firstRun(options: Partial<HealthCheck>) {
  const at = bench();
  at.check({ ...options, check: never });
  at.controller.start();
  const entry = entryOf(at.controller);
  await at.clock.advance(60_000);
  return (await entry)?.durationMs;
}

/** The first number of times in a row that `answer` is given before a check shows it. */
async function inARow(before: CheckReturn, answer: CheckReturn) {
  const at = bench();
  let runs = 0;
  at.check({ intervalMs: 100, check: () => (runs++ === 0 ? before : answer) });
  // Healthy once, so that the thresholds count.
  at.controller.start();
  const shown = at.controller.checkResult('db')?.status;
  for (let times = 1; times < 10; times += 1) {
    await at.clock.advance(100);
    if (at.controller.checkResult('db')?.status !== shown) return times;
  }
  return undefined;
}

/** When a service began its runs, which each last as long as `lengths` says and then fail. */
async function runsOf(policy: RestartPolicy, lengths: readonly number[], count: number) {
  let chances = 0;
  const at = bench({
    random: () => {
      chances += 1;
      return 0.5;
    },
  });
  const starts: number[] = [];
  at.controller.register('api', {
    restartPolicy: policy,
    start: () => {
      starts.push(at.clock.now());
      const lasts = lengths[(starts.length - 1) % lengths.length] ?? 0;
      return new Promise((_, reject) => at.clock.setTimeout(() => reject(new Error('x')), lasts, { keepAlive: false }));
    },
  });
  at.controller.start();
  for (let hours = 0; hours < 10 && starts.length < count; hours += 1) await at.clock.advance(3_600_000);
  return { starts: starts.slice(0, count), delays: delaysOf(starts.slice(0, count), lengths), chances };
}

const delaysOf = (starts: readonly number[], lengths: readonly number[]) =>
  starts.slice(1).map((start, index) => start - (starts[index] ?? 0) - (lengths[index % lengths.length] ?? 0));

/** When the status probe of a service that is up was asked by itself, for the first ten minutes. */
async function statusPolls(service: ServiceDescription) {
  const at = bench();
  const polls: number[] = [];
  at.controller.register('api', {
    start: () => {},
    status: () => {
      polls.push(at.clock.now());
      return false;
    },
    ...service,
  });
  at.controller.start();
  await at.clock.advance(600_000);
  return { polls, controller: at.controller };
}

const OBSERVED: Record<keyof typeof DEFAULTS, Record<string, Observed>> = {
  controller: {
    drainDelayMs: () => shutdown({}, []),
    holdTimeoutMs: () => shutdown({}, [], true),
    shutdownTimeoutMs: () => shutdown({}, [{ stop: never }]),
    async signals() {
      const before = process.listenerCount('SIGTERM') + process.listenerCount('SIGINT');
      bench().controller.start();
      return process.listenerCount('SIGTERM') + process.listenerCount('SIGINT') > before;
    },
    async reportRunState() {
      const { controller } = bench();
      controller.register('api', { start: never });
      controller.start();
      return (await controller.readiness()).services[0]?.status === 'ERROR';
    },
  },
  service: {
    async probeTimeoutMs() {
      const at = bench();
      at.controller.register('db', { status: never });
      const entry = entryOf(at.controller);
      await at.clock.advance(60_000);
      return (await entry)?.durationMs;
    },
    async runToCompletion() {
      const { controller } = bench();
      const kinds: string[] = [];
      controller.on('service', ({ kind }) => void kinds.push(kind));
      controller.register('api', { start: () => {} });
      controller.start();
      await turns();
      return kinds.includes('completed');
    },
    async stopOnGiveUp() {
      const { controller } = bench();
      controller.register('api', { start: () => Promise.reject(new Error('x')) });
      controller.start();
      await turns();
      return controller.state !== 'unable_to_start';
    },
    async restartResetIntervalMs() {
      const at = bench();
      at.controller.register('api', { start: never });
      at.controller.start();
      let upAt: number | undefined;
      at.controller.on('service', () => {
        upAt = at.clock.now();
      });
      await at.clock.advance(600_000);
      return upAt;
    },
  },
  restartPolicy: {
    async maxRestarts() {
      const { starts } = await runsOf({}, [0], 1000);
      return starts.length === 1000 ? Number.POSITIVE_INFINITY : starts.length - 1;
    },
    initialBackoffMs: async () => (await runsOf({}, [0], 2)).delays[0],
    maxBackoffMs: async () => Math.max(...(await runsOf({}, [0], 20)).delays),
    async multiplier() {
      const [first = 0, second = 0] = (await runsOf({}, [0], 3)).delays;
      return second / first;
    },
    jitter: async () => ((await runsOf({}, [0], 5)).chances === 0 ? 'none' : 'another'),
    async healthFailureThreshold() {
      const { polls } = await statusPolls({ restartPolicy: {} });
      return polls.length;
    },
    healthCheckIntervalMs: async () =>
      (await statusPolls({ restartPolicy: { healthFailureThreshold: 1, maxRestarts: 0 } })).polls[0],
    async restartWindowMs() {
      // Each run is long enough to clear the count: only a window could come to the bound.
      const { starts } = await runsOf({ maxRestarts: 1 }, [30_000], 20);
      return starts.length === 20 ? 0 : 'some window';
    },
  },
  stopOnGiveUp: {
    healthFailureThreshold: async () => (await statusPolls({ stopOnGiveUp: {} })).polls.length,
    healthCheckIntervalMs: async () => (await statusPolls({ stopOnGiveUp: {} })).polls[0],
  },
  supervisor: {
    async stopTimeoutMs() {
      const clock = new TracedClock();
      const supervisor = new Supervisor({ clock });
      supervisor.attach({ name: 'job', start: never, stop: never });
      supervisor.start();
      await turns();
      let endedAt: number | undefined;
      void supervisor.stop().catch(() => {
        endedAt = clock.now();
      });
      await clock.advance(60_000);
      return endedAt;
    },
    async detachTimeoutMs() {
      const clock = new TracedClock();
      const supervisor = new Supervisor({ clock });
      supervisor.attach({ name: 'job', start: never, stop: never });
      supervisor.start();
      await turns();
      let endedAt: number | undefined;
      void supervisor.detach('job').then(() => {
        endedAt = clock.now();
      });
      await clock.advance(60_000);
      await supervisor.stop();
      return endedAt;
    },
  },
  check: {
    async type() {
      const { controller, check } = bench();
      check();
      const [liveness, readiness] = [controller.names('liveness').length > 0, controller.names('readiness').length > 0];
      return liveness && readiness ? 'both' : liveness ? 'liveness' : 'readiness';
    },
    async critical() {
      const { controller, check } = bench();
      check({ check: () => false });
      return (await entryOf(controller))?.status === 'ERROR';
    },
    async intervalMs() {
      const at = bench();
      const { starts } = polled(at, {});
      at.controller.start();
      await at.clock.advance(HOUR);
      return starts.length;
    },
    timeoutMs: () => firstRun({}),
    async maxAgeMs() {
      const at = bench();
      const { starts } = polled(at, {});
      await at.controller.status();
      await at.controller.status();
      return starts.length === 2 ? 0 : 'some age';
    },
    async initialDelayMs() {
      const at = bench();
      const { starts } = polled(at, { intervalMs: 100 });
      at.controller.start();
      await at.clock.advance(1000);
      return starts[0];
    },
    async jitter() {
      let chances = 0;
      const at = bench({
        random: () => {
          chances += 1;
          return 0.5;
        },
      });
      polled(at, { intervalMs: 100 });
      at.controller.start();
      await at.clock.advance(1000);
      return chances;
    },
    failureThreshold: () => inARow(true, false),
    async successThreshold() {
      const at = bench();
      const answers = [true, false, ...Array.from({ length: 10 }, () => true)];
      at.check({ intervalMs: 100, check: () => answers.shift() });
      at.controller.start();
      await at.clock.advance(100);
      for (let times = 1; times < 10; times += 1) {
        await at.clock.advance(100);
        if (at.controller.checkResult('db')?.status === 'healthy') return times;
      }
      return undefined;
    },
    async maxAbandoned() {
      const at = bench();
      at.check({ intervalMs: 100, timeoutMs: 50, check: never });
      at.controller.start();
      await at.clock.advance(480);
      return at.controller.checkResult('db')?.abandoned;
    },
  },
};

const ROWS = Object.entries(DEFAULTS).flatMap(([group, options]) =>
  Object.entries(options).map(([option, value]) => ({ group: group as keyof typeof DEFAULTS, option, value })),
);

describe('every default', () => {
  it.each(ROWS)('$option of $group is $value in what is done', async ({ group, option, value }) => {
    const observe = OBSERVED[group][option];
    if (observe === undefined) throw new Error('no test has seen this default at work');
    expect(await observe()).toBe(value);
  });

  it('is written in one place, which nobody can change', () => {
    expect(Object.isFrozen(DEFAULTS) && Object.values(DEFAULTS).every(Object.isFrozen)).toBe(true);
    for (const [group, options] of Object.entries(OBSERVED)) {
      expect(Object.keys(options).sort()).toEqual(Object.keys(DEFAULTS[group as keyof typeof DEFAULTS]).sort());
    }
  });
});

// What has no default says what its absence means.
describe('an absent', () => {
  it('staleAfterMs is three intervals', async () => {
    const at = bench();
    let runs = 0;
    at.check({ intervalMs: 700, timeoutMs: HOUR, check: () => (runs++ === 0 ? true : never()) });
    at.controller.start();
    await at.clock.advance(60_000);
    expect(at.events).toEqual(['0 db pending->healthy', '2101 db healthy->stale']);
  });

  it('startTimeoutMs is no bound', async () => {
    const at = bench();
    at.controller.register('api', { start: never });
    at.controller.start();
    await at.clock.advance(HOUR);
    expect(at.controller.serviceInfo('api')).toMatchObject({ up: true, restartCount: 0 });
  });

  it('stopTimeoutMs is what the shutdown has', async () => {
    expect(await shutdown({ shutdownTimeoutMs: 7000 }, [{ stop: never }])).toBe(7000);
    expect(await shutdown({ shutdownTimeoutMs: 7000 }, [{ stop: never, stopTimeoutMs: 300 }])).toBe(300);
  });

  it('restartPolicy makes the first failure the last', async () => {
    const at = bench();
    let runs = 0;
    at.controller.register('api', {
      start: () => {
        runs += 1;
        throw new Error('x');
      },
    });
    at.controller.start();
    await at.clock.advance(HOUR);
    expect([runs, at.controller.state]).toEqual([1, 'unable_to_start']);
  });

  it('timeoutMs of whenReady is no limit', async () => {
    const at = bench();
    at.check({ intervalMs: 60_000, check: () => at.clock.now() > HOUR });
    at.controller.start();
    const ready = at.controller.whenReady();
    await at.clock.advance(HOUR + 60_000);
    expect(await ready).toBe(true);
  });

  it('random, logger and clock are those of the system', async () => {
    const { Controller } = await import('../../src/index.js');
    const controller = new Controller();
    controller.registerCheck({ name: 'db', check: () => true, intervalMs: 60_000, jitter: 1 });
    controller.start();
    const stamp = Date.parse(controller.checkResult('db')?.timestamp ?? '');
    expect(Math.abs(Date.now() - stamp)).toBeLessThan(60_000);
    expect((await controller.stop()).exitCode).toBe(0);
  });
});
