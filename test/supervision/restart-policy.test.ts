import { describe, expect, it } from 'vitest';
import { type RestartPolicy, withRestartPolicy, withRestartResetInterval, withStart } from '../../src/index.js';
import { seededRandom } from '../../src/testing/index.js';
import { foreground, Stage } from '../controller/support/stage.js';
import { failing, infoOf, inTurn, life } from './support/services.js';

/** When a service that fails at once is started, for so long. */
async function startsOf(restartPolicy: RestartPolicy, forMs: number, random?: () => number): Promise<number[]> {
  const stage = new Stage(random === undefined ? {} : { random });
  stage.service('api', { start: failing, restartPolicy });
  await stage.start();
  await stage.clock.advance(forMs);
  await stage.close();
  expect(stage.clock.pending).toBe(0);
  return stage.timeline(/^start/).map((line) => Number.parseFloat(line));
}

describe('the backoff of a service that fails at once', () => {
  it('is a second, doubling to thirty, without a figure given', async () => {
    expect(await startsOf({}, 100_000)).toEqual([0, 1000, 3000, 7000, 15_000, 31_000, 61_000, 91_000]);
  });

  it.each([
    ['initialBackoffMs', { initialBackoffMs: 10 }, [0, 10, 30, 70]],
    ['maxBackoffMs', { maxBackoffMs: 1500 }, [0, 1000, 2500, 4000]],
    ['multiplier', { multiplier: 3 }, [0, 1000, 4000, 13_000]],
    ['multiplier', { multiplier: 1 }, [0, 1000, 2000, 3000]],
    ['maxRestarts', { maxRestarts: 1 }, [0, 1000]],
    ['maxRestarts', { maxRestarts: 0 }, [0]],
  ] as const)('goes by %s: %o', async (_, policy, starts) => {
    expect((await startsOf(policy, 20_000)).slice(0, 4)).toEqual(starts);
  });

  it.each(['full', 'equal', 'decorrelated'] as const)(
    'with jitter %s is the same for the same seed',
    async (jitter) => {
      const starts = (seed: number) => startsOf({ jitter, maxRestarts: 6 }, 200_000, seededRandom(seed));
      const first = await starts(7);
      expect(first).toHaveLength(7);
      expect(await starts(7)).toEqual(first);
      expect(await starts(8)).not.toEqual(first);
      expect(first).not.toEqual([0, 1000, 3000, 7000, 15_000, 31_000, 61_000]);
    },
  );

  it.each([
    ['full', [0, 500, 1500, 3500]],
    ['equal', [0, 750, 2250, 5250]],
    // 1000 + half of the way to three times the one before: 2000, 3500, 5750.
    ['decorrelated', [0, 2000, 5500, 11_250]],
  ] as const)('with jitter %s and a chance of a half is where it belongs', async (jitter, starts) => {
    expect(await startsOf({ jitter, maxRestarts: 3 }, 60_000, () => 0.5)).toEqual(starts);
  });

  it('stays at the ceiling after sixty restarts', async () => {
    // Case 6: a delay that overflows fires at once.
    const starts = await startsOf({ multiplier: 10, maxBackoffMs: 2000 }, 2 * 60_000 + 5000);
    const delays = starts.slice(1).map((at, index) => at - (starts[index] ?? 0));
    expect(delays.length).toBeGreaterThan(60);
    expect(new Set(delays.slice(1))).toEqual(new Set([2000]));
  });

  it('ends at once when the controller stops', async () => {
    const stage = new Stage();
    stage.service('api', { start: failing, restartPolicy: { initialBackoffMs: 30_000 } });
    await stage.start();
    expect(await stage.promptly(stage.controller.stop())).toMatchObject({ unfinished: [], durationMs: 0 });
    expect(infoOf(stage)).not.toHaveProperty('nextRestartAt');
    expect(stage.trace(/^(start|stop) /)).toEqual(['start api']);
    expect(stage.clock.pending).toBe(0);
  });

  it('goes on through the drain, during which the service may come back', async () => {
    const stage = new Stage({ drainDelayMs: 5000 });
    stage.service('api', { start: inTurn(failing, () => {}), restartPolicy: {} });
    await stage.start();
    await stage.close();
    expect(life(stage)).toEqual([
      '0 start api',
      '0 api retrying:1',
      '1000 start api',
      '1000 api started',
      '5000 stop api',
    ]);
  });
});

describe('restarts after errors', () => {
  it('do not call stop', async () => {
    const stage = new Stage();
    stage.service('api', { start: inTurn(failing, () => {}), restartPolicy: { initialBackoffMs: 10 } });
    await stage.start();
    await stage.clock.advance(10);
    expect(life(stage)).toEqual(['0 start api', '0 api retrying:1', '10 start api', '10 api started']);
    await stage.close();
  });

  it('show in serviceInfo: the count, the error as thrown, when the next one is due', async () => {
    const stage = new Stage();
    const error = new Error('no port');
    stage.service('api', {
      start: inTurn(
        () => Promise.reject(error),
        () => {},
      ),
      restartPolicy: {},
    });
    await stage.start();
    const info = infoOf(stage);
    expect(info).toEqual({
      name: 'api',
      supervised: true,
      up: false,
      restartCount: 1,
      lastStartedAt: '2024-01-01T00:00:00.000Z',
      lastStoppedAt: '2024-01-01T00:00:00.000Z',
      nextRestartAt: '2024-01-01T00:00:01.000Z',
      error,
      abandonedRuns: 0,
    });
    expect(info.error).toBe(error);
    await stage.clock.advance(1000);
    expect(infoOf(stage)).toMatchObject({ up: true, restartCount: 1, lastStartedAt: '2024-01-01T00:00:01.000Z' });
    expect(infoOf(stage)).not.toHaveProperty('nextRestartAt');
    await stage.close();
  });

  it('tell the error as thrown, and an Error made of what is none', async () => {
    const stage = new Stage();
    const error = new Error('no port');
    const seen: unknown[] = [];
    stage.controller.on('service', (event) => seen.push(event.error));
    const throwing = (thrown: unknown) => () => {
      throw thrown;
    };
    stage.service('api', { start: inTurn(throwing(error), throwing('kaput'), () => {}), restartPolicy: {} });
    await stage.start();
    await stage.clock.advance(10_000);
    expect(seen[0]).toBe(error);
    expect(seen[1]).toEqual(new Error('start panicked: kaput'));
    expect(seen[2]).toBeUndefined();
    await stage.close();
  });

  it('of an AbortError that nobody asked for are made like any other', async () => {
    const stage = new Stage();
    const start = inTurn(
      () => Promise.reject(new DOMException('gone', 'AbortError')),
      () => {},
    );
    stage.service('api', { start, restartPolicy: {} });
    await stage.start();
    await stage.clock.advance(1000);
    expect(stage.trace(/^api/)).toEqual(['api retrying:1', 'api started']);
    await stage.close();
  });
});

describe('maxRestarts', () => {
  it('counts failures in a row: a run of the reset interval begins anew', async () => {
    // Case 107 (a): a counter that never decays.
    const stage = new Stage();
    const start = () => stage.lasting(30_000).then(failing);
    stage.service('api', { start, restartPolicy: { maxRestarts: 1 } });
    await stage.start();
    await stage.clock.advance(10 * 31_000);
    expect(stage.trace(/^start/)).toHaveLength(11);
    expect(new Set(stage.trace(/^api r/))).toEqual(new Set(['api retrying:1']));
    await stage.close();
  });

  it('does not begin anew at a clean start that does not last', async () => {
    // Case 107 (b): a counter that each good start resets never escalates.
    const stage = new Stage();
    const start = foreground(Promise.resolve());
    stage.service('api', {
      start: (context) => {
        start(context);
        return stage.lasting(1000).then(failing);
      },
      restartPolicy: { maxRestarts: 3, initialBackoffMs: 1 },
    });
    await stage.start();
    await stage.clock.advance(60_000);
    expect(stage.trace(/^api (?!started)/)).toEqual([
      'api retrying:1',
      'api retrying:2',
      'api retrying:3',
      'api failed:3',
    ]);
    await stage.close();
  });
});

describe('restartResetIntervalMs', () => {
  it.each([
    ['in the policy', [withRestartPolicy({ maxRestarts: 1, restartResetIntervalMs: 100 })]],
    ['as an option of its own', [withRestartPolicy({ maxRestarts: 1 }), withRestartResetInterval(100)]],
    [
      'as an option of its own, before that of the policy',
      [withRestartPolicy({ maxRestarts: 1, restartResetIntervalMs: 9999 }), withRestartResetInterval(100)],
    ],
  ])('%s says after how long a run clears the count', async (_, options) => {
    for (const [lasts, restarts] of [
      [100, 10],
      [99, 1],
    ] as const) {
      const stage = new Stage();
      const start = () => stage.lasting(lasts).then(failing);
      stage.controller.register('api', ...options, withStart(start));
      await stage.start();
      await stage.clock.advance(10 * (1000 + lasts));
      expect(stage.trace(/^api retrying/)).toHaveLength(restarts);
      await stage.close();
    }
  });

  it('alone implies a policy', async () => {
    const stage = new Stage();
    stage.controller.register('api', withRestartResetInterval(5000), withStart(failing));
    await stage.start();
    await stage.clock.advance(3000);
    expect(stage.timeline(/^api/)).toEqual(['0 api retrying:1', '1000 api retrying:2', '3000 api retrying:3']);
    await stage.close();
  });

  it('says after how long a pending start counts as up', async () => {
    const stage = new Stage();
    stage.service('api', { start: () => stage.lasting(60_000), restartResetIntervalMs: 5000 });
    stage.service('plain', { start: () => stage.lasting(60_000) });
    await stage.start();
    await stage.clock.advance(50_000);
    expect(stage.timeline(/started/)).toEqual(['5000 api started', '30000 plain started']);
    await stage.close();
  });
});

describe('restartWindowMs', () => {
  it('bounds restarts in any sliding window, whatever else counts', async () => {
    // Case 107 (b): it dies a second after each good start; five in 60 s are allowed.
    const stage = new Stage();
    stage.service('api', {
      start: () => stage.lasting(1000).then(failing),
      restartPolicy: {
        maxRestarts: 5,
        restartWindowMs: 60_000,
        restartResetIntervalMs: 500,
        initialBackoffMs: 1,
      },
    });
    await stage.start();
    await stage.clock.advance(3_600_000);
    expect(stage.trace(/^start/)).toHaveLength(6);
    // Each run was good enough to clear the count of those in a row.
    expect(stage.trace(/^api/).at(-1)).toBe('api failed:0');
    await stage.close();
  });

  it('counts restarts for health like those after errors', async () => {
    // Case 102: exactly so many in any sliding hour, whichever path started them.
    const stage = new Stage();
    stage.service('api', {
      start: inTurn(
        () => {},
        () => stage.lasting(100).then(failing),
      ),
      status: () => false,
      restartPolicy: {
        maxRestarts: 10,
        restartWindowMs: 3_600_000,
        restartResetIntervalMs: 50,
        initialBackoffMs: 1,
        healthFailureThreshold: 1,
        healthCheckIntervalMs: 60,
      },
    });
    await stage.start();
    await stage.clock.advance(3_500_000);
    expect(stage.trace(/^start/)).toHaveLength(11);
    expect(stage.trace(/^api/).at(-1)).toMatch(/^api failed/);
    await stage.close();
  });

  it('counts restarts by hand, and refuses none of them', async () => {
    // Case 102.
    const stage = new Stage();
    stage.service('api', {
      start: inTurn(
        () => {},
        () => {},
        () => {},
        failing,
      ),
      restartPolicy: { maxRestarts: 3, restartWindowMs: 60_000 },
    });
    await stage.start();
    for (let time = 0; time < 3; time++) {
      const restarted = stage.watch(stage.controller.restart('api'));
      await stage.settle();
      expect(restarted.settled).toBe(true);
    }
    expect(stage.trace(/^api/).slice(-2)).toEqual(['api started', 'api failed:0']);
    const restarted = stage.watch(stage.controller.restart('api'));
    await stage.settle();
    expect(restarted.error).toMatchObject({ code: 'restart_failed' });
    expect(stage.trace(/^start/)).toHaveLength(5);
    await stage.close();
  });

  it('does not count a restart that was planned and never came', async () => {
    // A restart by hand during the backoff was counted twice, as the one planned and as itself.
    const stage = new Stage();
    stage.service('api', {
      start: inTurn(failing, foreground(stage.lasting(10).then(failing)), () => {}),
      restartPolicy: { maxRestarts: 2, restartWindowMs: 60_000 },
    });
    await stage.start();
    expect(stage.trace(/^api/)).toEqual(['api retrying:1']);
    await stage.promptly(stage.controller.restart('api'));
    await stage.clock.advance(20_000);
    expect(stage.trace(/^api/)).toEqual(['api retrying:1', 'api started', 'api retrying:1', 'api started']);
    await stage.close();
  });

  it('counts a restart from when it begins, however long the stop before it took', async () => {
    // It was dated by the plan: a stop of 5 s made the window 5 s too short.
    const stage = new Stage();
    stage.service('api', {
      start: inTurn(
        () => {},
        () => stage.lasting(54_000).then(failing),
        () => {},
      ),
      stop: () => stage.lasting(5000),
      status: () => false,
      restartPolicy: {
        maxRestarts: 1,
        restartWindowMs: 60_000,
        restartResetIntervalMs: 1,
        initialBackoffMs: 1000,
        healthFailureThreshold: 1,
        healthCheckIntervalMs: 10_000,
      },
      stopTimeoutMs: 6000,
      readiness: () => true,
    });
    await stage.start();
    await stage.clock.advance(80_000);
    // Up again at 16000, its run fails at 70000; the next restart would be at 71000, 55 s after the one before.
    expect(life(stage).slice(0, 5)).toEqual([
      '0 start api',
      '0 api started',
      '10000 api retrying:1',
      '10000 stop api',
      '16000 start api',
    ]);
    expect(stage.trace(/^start/)).toHaveLength(2);
    await stage.close();
    expect(stage.clock.pending).toBe(0);
  });
});

describe('one sick service', () => {
  it('is restarted alone', async () => {
    // Case 106: one sick service restarted all.
    const stage = new Stage();
    const restartPolicy = { healthFailureThreshold: 1, healthCheckIntervalMs: 1000 };
    const names = Array.from({ length: 9 }, (_, index) => `s${index}`);
    for (const name of names) stage.service(name, { status: () => name !== 's4', restartPolicy });
    await stage.start();
    await stage.clock.advance(2000);
    expect(stage.trace(/^stop/)).toEqual(['stop s4']);
    expect(stage.trace(/^start/)).toEqual([...names.map((name) => `start ${name}`), 'start s4']);
    expect(names.filter((name) => infoOf(stage, name).restartCount > 0)).toEqual(['s4']);
    await stage.close();
    expect(stage.clock.pending).toBe(0);
  });

  it('that fails takes no report and no other service with it', async () => {
    // Case 110: what fails for five minutes is readiness; nothing is restarted, and the process counts as alive.
    const stage = new Stage();
    stage.service('api', { restartPolicy: {} });
    stage.controller.registerCheck({ name: 'database', check: () => false, intervalMs: 5000 });
    await stage.start();
    await stage.clock.advance(300_000);
    expect((await stage.controller.readiness()).overallHealthy).toBe(false);
    expect((await stage.controller.liveness()).overallHealthy).toBe(true);
    expect(stage.trace(/^(start|api)/)).toEqual(['start api', 'api started']);
    await stage.close();
  });
});

describe('giveUpOn', () => {
  it('gives up at once on an error that it accepts, and restarts after others', async () => {
    const stage = new Stage();
    const fatal = new Error('bad configuration');
    stage.service('api', {
      start: inTurn(failing, () => Promise.reject(fatal)),
      restartPolicy: {},
      giveUpOn: (error) => error === fatal,
    });
    await stage.start();
    await stage.clock.advance(100_000);
    expect(life(stage)).toEqual(['0 start api', '0 api retrying:1', '1000 start api', '1000 api unable_to_start:1']);
    expect(infoOf(stage).error).toBe(fatal);
    await stage.close();
  });

  it('is not asked where validError has accepted the error', async () => {
    const stage = new Stage({ validError: () => true });
    stage.service('api', { start: failing, restartPolicy: {}, giveUpOn: () => true });
    await stage.start();
    expect(stage.trace(/^api/)).toEqual(['api ended']);
    await stage.close();
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('judge');
      },
    ],
    ['answers with something truthy', (() => 1) as unknown as () => boolean],
  ])('that %s does not make an error final', async (_, giveUpOn) => {
    const stage = new Stage();
    stage.service('api', { start: failing, restartPolicy: {}, giveUpOn });
    await stage.start();
    expect(stage.trace(/^api/)).toEqual(['api retrying:1']);
    await stage.close();
  });

  it('is asked about a start that timed out and about a breach', async () => {
    const stage = new Stage();
    const asked: string[] = [];
    const giveUpOn = (error: unknown) => asked.push(String(error)) > 0;
    const restartPolicy = { healthFailureThreshold: 1, healthCheckIntervalMs: 10 };
    stage.service('late', { start: () => new Promise(() => {}), startTimeoutMs: 5, restartPolicy, giveUpOn });
    stage.service('sick', { status: () => false, restartPolicy, giveUpOn });
    await stage.start();
    await stage.clock.advance(1000);
    expect(stage.trace(/^(late|sick)/)).toEqual(['sick started', 'late unable_to_start:0', 'sick failed:0']);
    expect(asked).toEqual([
      'HealthControllerError: start did not settle within 5 ms',
      'Error: status probe failed once: check returned false',
    ]);
    await stage.close();
  });
});
