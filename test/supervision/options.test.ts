import { describe, expect, it } from 'vitest';
import {
  type Child,
  Controller,
  isHealthControllerError,
  type ServiceDescription,
  type ServiceOption,
  Supervisor,
  withDependsOn,
  withGiveUpOn,
  withLiveness,
  withProbeTimeout,
  withReadiness,
  withRestartPolicy,
  withRestartResetInterval,
  withRunToCompletion,
  withStart,
  withStartTimeout,
  withStatus,
  withStop,
  withStopOnGiveUp,
  withStopTimeout,
} from '../../src/index.js';
import { Stage } from '../controller/support/stage.js';
import { failing } from './support/services.js';

function refusal(act: () => void): string {
  try {
    act();
  } catch (error) {
    if (isHealthControllerError(error, 'invalid_option')) return error.message;
    throw error;
  }
  throw new Error('it was not refused');
}

const registering = (...options: readonly ServiceOption[]) =>
  refusal(() => new Controller().register('api', ...options));

const MAX = 2_147_483_647;

describe('a restart policy', () => {
  it.each([
    ['maxRestarts', [0, 1, 1_000_000, Number.POSITIVE_INFINITY], [-1, 1.5, Number.NaN, '3', Number.NEGATIVE_INFINITY]],
    ['initialBackoffMs', [1, MAX], [0, -1, MAX + 1, Number.POSITIVE_INFINITY, Number.NaN, '1s']],
    ['maxBackoffMs', [1, MAX], [0, -1, MAX + 1, Number.POSITIVE_INFINITY, Number.NaN]],
    ['multiplier', [1, 1.5, 10], [0, 0.99, Number.POSITIVE_INFINITY, Number.NaN, '2']],
    ['jitter', ['none', 'full', 'equal', 'decorrelated'], ['half', true, 0.5]],
    ['healthFailureThreshold', [0, 1, 100], [-1, 0.5, Number.POSITIVE_INFINITY, Number.NaN]],
    ['healthCheckIntervalMs', [1, MAX], [0, -1, MAX + 1, Number.POSITIVE_INFINITY]],
    ['restartResetIntervalMs', [1, MAX], [0, -1, MAX + 1, Number.POSITIVE_INFINITY]],
    ['restartWindowMs', [0, 1, MAX], [-1, MAX + 1, Number.POSITIVE_INFINITY, Number.NaN]],
  ])('takes %s of %j and refuses %j, naming it', (option, good, bad) => {
    for (const value of good) {
      expect(() => new Controller().register('api', { restartPolicy: { [option]: value } })).not.toThrow();
    }
    for (const value of bad) {
      const sentence = registering({ restartPolicy: { [option]: value } });
      expect(sentence).toContain(`"${option}"`);
      expect(sentence).toMatch(/register\("api"\): restartPolicy/);
    }
  });

  it('with an unknown field, or that is no object, is refused', () => {
    expect(registering({ restartPolicy: { maxRestart: 3 } as never })).toContain('"maxRestart"');
    for (const value of [true, 3, 'always', null, []]) {
      expect(registering({ restartPolicy: value as never })).toContain('restartPolicy');
    }
  });

  it('of a child takes no health figures: it has no probe', () => {
    const child = { name: 'mailer', start: () => {}, restartPolicy: { healthFailureThreshold: 3 } } as Child;
    expect(refusal(() => new Supervisor().attach(child))).toContain('healthFailureThreshold');
  });
});

describe('the options of a service', () => {
  it.each([
    ['startTimeoutMs', [0, -1, MAX + 1, Number.POSITIVE_INFINITY, '5s']],
    ['stopTimeoutMs', [0, -1, MAX + 1, Number.POSITIVE_INFINITY]],
    ['restartResetIntervalMs', [0, -1, MAX + 1, Number.POSITIVE_INFINITY]],
    ['runToCompletion', [1, 'yes', null]],
    ['stopOnGiveUp', [1, 'yes', null]],
    ['giveUpOn', [true, /x/]],
    ['dependsOn', [3, [1], [''], null, { db: true }]],
  ])('refuses %s of %j', (option, bad) => {
    for (const value of bad) {
      expect(registering({ [option]: value } as ServiceDescription)).toContain(`"${option}"`);
    }
  });

  it.each([
    ['healthFailureThreshold', [0, -1, 1.5, Number.POSITIVE_INFINITY]],
    ['healthCheckIntervalMs', [0, -1, Number.NaN, MAX + 1]],
    ['healthyThreshold', [1]],
  ])('refuses of the death watch %s of %j', (option, bad) => {
    for (const value of bad) expect(registering({ stopOnGiveUp: { [option]: value } })).toContain(`"${option}"`);
  });

  it('refuses options of the death watch beside a policy, which would be ignored', () => {
    expect(registering(withRestartPolicy({}), withStopOnGiveUp({ healthFailureThreshold: 2 }))).toContain(
      '"stopOnGiveUp"',
    );
    expect(registering(withRestartResetInterval(5), withStopOnGiveUp({ healthCheckIntervalMs: 2 }))).toContain(
      '"stopOnGiveUp"',
    );
    expect(() => new Controller().register('api', withRestartPolicy({}), withStopOnGiveUp())).not.toThrow();
  });

  it('have the same effect as fragments', () => {
    const probe = () => true;
    const call = () => {};
    const judge = () => false;
    expect([
      withStart(call),
      withStop(call),
      withStatus(probe),
      withLiveness(probe),
      withReadiness(probe),
      withProbeTimeout(1),
      withStartTimeout(2),
      withStopTimeout(3),
      withRunToCompletion(),
      withRestartPolicy({ maxRestarts: 4 }),
      withRestartResetInterval(5),
      withStopOnGiveUp(),
      withStopOnGiveUp({ healthFailureThreshold: 6 }),
      withDependsOn('a', 'b'),
      withGiveUpOn(judge),
    ]).toEqual([
      { start: call },
      { stop: call },
      { status: probe },
      { liveness: probe },
      { readiness: probe },
      { probeTimeoutMs: 1 },
      { startTimeoutMs: 2 },
      { stopTimeoutMs: 3 },
      { runToCompletion: true },
      { restartPolicy: { maxRestarts: 4 } },
      { restartResetIntervalMs: 5 },
      { stopOnGiveUp: {} },
      { stopOnGiveUp: { healthFailureThreshold: 6 } },
      { dependsOn: ['a', 'b'] },
      { giveUpOn: judge },
    ]);
  });

  it('are merged, later ones winning whole: a second policy replaces the first', async () => {
    const stage = new Stage();
    stage.controller.register(
      'api',
      withStart(() => stage.note('first')),
      withRestartPolicy({ maxRestarts: 0, initialBackoffMs: 5 }),
      { start: failing, stopOnGiveUp: true },
      withRestartPolicy({ maxRestarts: 1 }),
      { stopOnGiveUp: false },
    );
    await stage.start();
    await stage.clock.advance(5000);
    expect(stage.timeline(/^(api|first|state)/)).toEqual([
      '0 state running',
      '0 api retrying:1',
      '1000 api unable_to_start:1',
      '1000 state unable_to_start',
    ]);
    await stage.close();
  });

  it('do not follow what becomes of the objects that they were given in', async () => {
    const stage = new Stage();
    const restartPolicy = { maxRestarts: 1 };
    const dependsOn = ['a'];
    stage.service('a', { start: failing });
    stage.service('api', { start: failing, restartPolicy, dependsOn });
    restartPolicy.maxRestarts = 0;
    dependsOn.length = 0;
    await stage.start();
    expect(stage.trace(/api/)).toEqual([]);
    expect(stage.controller.serviceInfo('api')?.waitingFor).toEqual(['a']);
    await stage.close();
  });

  it('are called on the object that they were given in', async () => {
    const stage = new Stage();
    class Worker {
      readonly #seen: string[] = [];
      readonly restartPolicy = { initialBackoffMs: 5 };
      start() {
        this.#seen.push('start');
        throw new Error('no');
      }
      giveUpOn() {
        this.#seen.push('giveUpOn');
        return true;
      }
      get seen() {
        return this.#seen;
      }
    }
    const { start, giveUpOn } = Worker.prototype;
    expect([typeof start, typeof giveUpOn]).toEqual(['function', 'function']);
    const worker = new Worker();
    stage.controller.register('api', worker);
    await stage.start();
    expect(worker.seen).toEqual(['start', 'giveUpOn']);
    expect(stage.trace(/^api/)).toEqual(['api unable_to_start:0']);
    await stage.close();
  });
});
