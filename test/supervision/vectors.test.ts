import { describe, expect, it } from 'vitest';
import type { LifecycleState, RestartPolicy, ServiceDescription } from '../../src/index.js';
import { Stage } from '../controller/support/stage.js';
import vectors from '../vectors/restarts.json' with { type: 'json' };

interface BackoffRow {
  readonly name: string;
  readonly policy: RestartPolicy;
  readonly runsMs: readonly number[];
  readonly delays: readonly number[];
}

interface GiveUpRow {
  readonly name: string;
  readonly policy: RestartPolicy | null;
  readonly stopOnGiveUp?: boolean;
  readonly runsMs?: readonly number[];
  readonly starts?: string;
  readonly startTimeoutMs?: number;
  readonly statusProbe?: string;
  readonly runs?: number | string;
  readonly events?: readonly string[];
  readonly gaveUpAtMs?: number;
  readonly state?: LifecycleState;
  readonly states?: readonly LifecycleState[];
  readonly cause?: string;
}

interface HealthRow {
  readonly name: string;
  readonly policy: RestartPolicy;
  readonly polls?: readonly string[];
  readonly startResults?: readonly string[];
  readonly start?: string;
  readonly runToCompletion?: boolean;
  readonly restarts?: number;
  readonly calls?: readonly string[];
  readonly events?: readonly string[];
}

/** Rejects after `ms` of the stage's time, at once for 0. */
function runFor(stage: Stage, ms: number): Promise<never> {
  const error = new Error('run over');
  if (ms === 0) return Promise.reject(error);
  return new Promise((_, reject) => {
    stage.clock.setTimeout(() => reject(error), ms, { keepAlive: true });
  });
}

function events(stage: Stage): string[] {
  const told = stage.trace(/^api (started|retrying|failed|unable_to_start|completed|ended)/);
  return told.map((text) => text.slice('api '.length));
}

describe('vectors/restarts.json, backoff', () => {
  for (const row of vectors.backoff as readonly BackoffRow[]) {
    it(row.name, async () => {
      const stage = new Stage();
      const startedAt: number[] = [];
      const endedAt: number[] = [];
      stage.service('api', {
        restartPolicy: row.policy,
        start: async () => {
          const ms = row.runsMs[startedAt.length] ?? 0;
          startedAt.push(stage.atMs);
          try {
            await runFor(stage, ms);
          } finally {
            endedAt.push(stage.atMs);
          }
        },
      });
      stage.controller.start();
      await stage.clock.advance(400_000);
      const delays = row.delays.map((_, run) => (startedAt[run + 1] ?? 0) - (endedAt[run] ?? 0));
      expect(delays).toEqual(row.delays);
      await stage.controller.stop();
      expect(stage.clock.pending).toBe(0);
    });
  }
});

describe('vectors/restarts.json, giveUp', () => {
  for (const row of vectors.giveUp as readonly GiveUpRow[]) {
    it(row.name, async () => {
      const stage = new Stage();
      let runs = 0;
      const start = (): unknown => {
        const ms = row.runsMs?.[Math.min(runs, row.runsMs.length - 1)] ?? 0;
        runs++;
        if (row.starts === 'always resolve') return Promise.resolve();
        if (row.starts === 'never settle') return new Promise(() => {});
        return runFor(stage, ms);
      };
      const probes: Readonly<Record<string, () => boolean>> = {
        'always fails': () => false,
        panics: () => {
          throw 'kaput';
        },
      };
      const status = row.statusProbe === undefined ? undefined : probes[row.statusProbe];
      const description: ServiceDescription = {
        start,
        ...(row.policy === null ? undefined : { restartPolicy: row.policy }),
        ...(row.stopOnGiveUp === undefined ? undefined : { stopOnGiveUp: row.stopOnGiveUp }),
        ...(row.startTimeoutMs === undefined ? undefined : { startTimeoutMs: row.startTimeoutMs }),
        ...(status === undefined ? undefined : { status }),
      };
      stage.service('api', description);
      const ended = stage.watch(stage.controller.wait());
      stage.controller.start();
      if (row.gaveUpAtMs !== undefined) {
        await stage.clock.advance(row.gaveUpAtMs - 1);
        expect(events(stage).some((event) => /^(failed|unable)/.test(event))).toBe(false);
        await stage.clock.advance(1);
        expect(events(stage).at(-1)).toMatch(/^(failed|unable)/);
      }
      await stage.clock.advance(4_000_000);
      if (typeof row.runs === 'number') expect(runs).toBe(row.runs);
      else if (row.runs !== undefined) expect(runs).toBeGreaterThan(10);
      if (row.events !== undefined) expect(events(stage)).toEqual(row.events);
      if (row.state !== undefined) expect(stage.controller.state).toBe(row.state);
      if (row.states !== undefined) expect(stage.trace(/^state/)).toEqual(row.states.map((state) => `state ${state}`));
      if (row.cause !== undefined) {
        expect(ended.value).toMatchObject({ cause: row.cause, service: 'api', exitCode: 1 });
      }
      await stage.controller.stop();
      expect(stage.clock.pending).toBe(0);
    });
  }
});

describe('vectors/restarts.json, health', () => {
  for (const row of vectors.health as readonly HealthRow[]) {
    it(row.name, async () => {
      const stage = new Stage();
      let starts = 0;
      let polls = 0;
      const foreground = row.start !== undefined;
      const probe = (): boolean => {
        const poll = row.polls?.[polls++];
        if (poll === 'panic') throw 'kaput';
        return poll !== 'fail';
      };
      stage.service('api', {
        restartPolicy: row.policy,
        ...(row.runToCompletion === undefined ? undefined : { runToCompletion: row.runToCompletion }),
        start: (context) => {
          const result = row.startResults?.[starts++];
          if (result === 'reject') return Promise.reject(new Error('no'));
          if (!foreground) return Promise.resolve();
          context.ready();
          return new Promise((_, reject) => {
            context.signal.addEventListener('abort', () => {
              stage.note('abort api');
              reject(context.signal.reason);
            });
          });
        },
        ...(row.polls === undefined ? undefined : { status: probe }),
      });
      stage.controller.start();
      const interval = row.policy.healthCheckIntervalMs ?? 10_000;
      await stage.clock.advance(interval * Math.max(1, row.polls?.length ?? 0) + 1500);
      const calls = stage.trace(/^(start|stop|abort) api/).map((text) => text.split(' ')[0]);
      if (row.restarts !== undefined) {
        expect(events(stage).filter((event) => event.startsWith('retrying')).length).toBe(row.restarts);
      }
      if (row.polls?.length === 0) expect(polls).toBe(0);
      if (row.calls !== undefined) expect(calls).toEqual(row.calls);
      if (row.events !== undefined) expect(events(stage)).toEqual(row.events);
      await stage.controller.stop();
      expect(stage.clock.pending).toBe(0);
    });
  }
});

describe('vectors/restarts.json, shutdown', () => {
  it('dependents stop before what they depend on, whatever the registration order', async () => {
    const stage = new Stage();
    stage.service('api', { dependsOn: 'database' });
    stage.service('database');
    stage.controller.start();
    await stage.settle();
    await stage.controller.stop();
    expect(stage.trace(/^(start|stop) /)).toEqual(['start database', 'start api', 'stop api', 'stop database']);
  });
});
