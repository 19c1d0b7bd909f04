import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../src/index.js';
import { Stage } from '../controller/support/stage.js';
import { Model, type RunScript, type Script, SHUTDOWN_MS } from './support/model.js';

// A random life of one service, lived by the controller and by a plain model of the specification.

const ms = (max: number) => fc.integer({ min: 1, max });
const never = fc.constant(-1);

const run: fc.Arbitrary<RunScript> = fc.record({
  end: fc.constantFrom('resolve', 'reject', 'panic'),
  afterMs: fc.oneof(ms(200), ms(90_000), never),
  readyAfterMs: fc.oneof(never, ms(20_000)),
  obedient: fc.boolean(),
});

const policy = fc.record({
  maxRestarts: fc.constantFrom(0, 1, 2, 3, Number.POSITIVE_INFINITY),
  // Not less: a crash loop of a millisecond would be lived 250,000 times over.
  initialBackoffMs: fc.integer({ min: 50, max: 2000 }),
  maxBackoffMs: fc.integer({ min: 50, max: 20_000 }),
  multiplier: fc.constantFrom(1, 2, 3),
  healthFailureThreshold: fc.constantFrom(0, 1, 2, 3),
  healthCheckIntervalMs: fc.integer({ min: 500, max: 12_000 }),
  restartResetIntervalMs: fc.integer({ min: 1000, max: 40_000 }),
  restartWindowMs: fc.constantFrom(0, 0, 15_011, 60_013),
});

const script: fc.Arbitrary<Script> = fc.record({
  policy: fc.option(policy, { nil: undefined, freq: 5 }),
  stopOnGiveUp: fc.boolean(),
  startTimeoutMs: fc.oneof(fc.constant(0), fc.constant(0), ms(40_000)),
  stopTimeoutMs: fc.oneof(fc.constant(0), ms(8000)),
  runs: fc.array(run, { minLength: 1, maxLength: 5 }),
  stops: fc.array(
    fc.record({ end: fc.constantFrom('resolve', 'reject'), afterMs: fc.oneof(fc.constant(0), ms(7000), never) }),
    {
      minLength: 1,
      maxLength: 4,
    },
  ),
  polls: fc.array(fc.constantFrom('ok', 'fail', 'fail', 'panic'), { maxLength: 20 }),
  restartsAtMs: fc.uniqueArray(ms(200_000), { maxLength: 3 }),
  stopAtMs: ms(250_000),
});

async function live(given: Script): Promise<{ lines: string[]; outcome: Outcome; abandonedRuns: number }> {
  const stage = new Stage({ shutdownTimeoutMs: SHUTDOWN_MS });
  const { clock, controller } = stage;
  const lines: string[] = [];
  const say = (what: string): void => {
    lines.push(`${clock.now()} ${what}`);
  };
  let runs = 0;
  let stops = 0;
  let polls = 0;
  const later = (delay: number, then: () => void): void => {
    clock.setTimeout(then, delay, { keepAlive: true });
  };
  controller.register('api', {
    ...(given.policy === undefined ? undefined : { restartPolicy: given.policy }),
    ...(given.startTimeoutMs === 0 ? undefined : { startTimeoutMs: given.startTimeoutMs }),
    ...(given.stopTimeoutMs === 0 ? undefined : { stopTimeoutMs: given.stopTimeoutMs }),
    stopOnGiveUp: given.stopOnGiveUp,
    start: ({ signal, ready }) => {
      const mine = given.runs[Math.min(runs++, given.runs.length - 1)];
      say('start');
      return new Promise<void>((resolve, reject) => {
        if (mine === undefined) return;
        if (mine.readyAfterMs >= 0) later(mine.readyAfterMs, ready);
        if (mine.obedient) signal.addEventListener('abort', () => reject(signal.reason));
        if (mine.afterMs < 0) return;
        later(mine.afterMs, () =>
          mine.end === 'resolve' ? resolve() : reject(mine.end === 'panic' ? 'kaput' : new Error('no')),
        );
      });
    },
    stop: () => {
      const mine = given.stops[Math.min(stops++, given.stops.length - 1)];
      say('stop');
      if (mine === undefined) return;
      if (mine.afterMs === 0 && mine.end === 'reject') throw new Error('no stop');
      if (mine.afterMs === 0) return;
      return new Promise<void>((resolve, reject) => {
        if (mine.afterMs > 0)
          later(mine.afterMs, () => (mine.end === 'resolve' ? resolve() : reject(new Error('no stop'))));
      });
    },
    status: () => {
      const poll = given.polls[polls++] ?? 'ok';
      say(`poll ${poll}`);
      if (poll === 'panic') throw 'kaput';
      return poll === 'ok';
    },
  });
  controller.on('state', ({ to }) => (to !== 'running' || lines.length > 0 ? say(`state ${to}`) : undefined));
  controller.on('service', ({ kind, restarts }) => {
    const counted = kind === 'retrying' || kind === 'failed' || kind === 'unable_to_start';
    say(counted ? `${kind}:${restarts}` : kind);
  });
  controller.start();
  for (const at of given.restartsAtMs) later(at, () => void controller.restart('api').catch(() => {}));
  later(given.stopAtMs, () => void controller.stop());
  const ended = stage.watch(controller.wait());
  await clock.advance(given.stopAtMs + 4 * SHUTDOWN_MS);
  if (ended.value === undefined) throw new Error('the controller has not stopped');
  const abandonedRuns = controller.serviceInfo('api')?.abandonedRuns ?? -1;
  return { lines, outcome: ended.value, abandonedRuns };
}

const runs = Number(process.env.MODEL_RUNS ?? 2000);

describe('a supervised service and its model', () => {
  it(`live the same life, ${runs} times over`, { timeout: runs * 100 }, async () => {
    await fc.assert(
      fc.asyncProperty(script, async (given) => {
        const model = new Model(given).play();
        fc.pre(!model.tied);
        const lived = await live(given);
        expect(lived.lines).toEqual(model.lines);
        expect({
          cause: lived.outcome.cause,
          unfinished: lived.outcome.unfinished,
          stopErrors: lived.outcome.stopErrors.map(({ service }) => service),
          exitCode: lived.outcome.exitCode,
        }).toEqual(model.outcome);
      }),
      { numRuns: runs },
    );
  });
});
