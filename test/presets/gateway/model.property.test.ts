import fc from 'fast-check';
import { expect, it } from 'vitest';
import { FakeClock } from '../../../src/testing/index.js';
import {
  type Answer,
  deferred,
  fetchOf,
  makeGateway,
  OK,
  REFUSED,
  RUNNING,
  SCRIPT,
  STARTING,
  type World,
} from './doubles.js';
import { ReferenceModel, type Seen } from './reference-model.js';

type Ending = 'well' | 'failed' | 'refused';
type Step =
  | { readonly do: 'look'; readonly seen: Seen; readonly active: number; readonly passive: number }
  | { readonly do: 'probe'; readonly seen: Seen; readonly probe: 'startup' | 'readiness' | 'liveness' }
  | { readonly do: 'wait'; readonly ms: number }
  | { readonly do: 'end-start'; readonly how: Ending }
  | { readonly do: 'restart'; readonly how: Ending; readonly callers: number };

const seen: fc.Arbitrary<Seen> = fc
  .record({
    answer: fc.constantFrom('ok', 'not-ok', 'page', 'missing', 'refused'),
    listing: fc.constantFrom('none', 'none', 'running', 'running', 'starting', 'script', 'both', 'fails'),
    backup: fc.constantFrom('none', 'none', 'restored', 'open', 'fails'),
  })
  .map(({ answer, listing, backup }) => ({
    liveness: answer === 'ok' ? 'ok' : answer === 'page' || answer === 'missing' ? 'unknown' : 'dead',
    health200: answer === 'ok' || answer === 'not-ok' || answer === 'page',
    listing: listing as Seen['listing'],
    backup: backup as Seen['backup'],
  }));
const how = fc.constantFrom<Ending>('well', 'failed', 'failed', 'refused');

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('look' as const), seen, active: fc.nat(3), passive: fc.nat(2) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('probe' as const),
      seen,
      probe: fc.constantFrom('startup' as const, 'readiness' as const, 'liveness' as const),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('wait' as const),
      ms: fc.constantFrom(1, 999, 1000, 1001, 2000, 4000, 59_999, 60_000, 150_000, 299_999, 300_000),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('end-start' as const), how }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('restart' as const), how, callers: fc.integer({ min: 1, max: 3 }) }),
  },
);

const ANSWERS: { readonly [Name in Seen['liveness']]: readonly [with200: Answer, without: Answer] } = {
  ok: [OK, OK],
  dead: [{ status: 200, body: '{"ok":false}' }, REFUSED],
  unknown: [{ status: 200, body: '<html>' }, { status: 404 }],
};
const LISTS: { readonly [Name in Seen['listing']]: World['processes'] } = {
  none: [],
  running: [RUNNING],
  starting: [STARTING],
  script: [SCRIPT],
  both: [SCRIPT, RUNNING],
  fails: new Error('listing'),
};
const BACKUPS: { readonly [Name in Seen['backup']]: World['backup'] } = {
  none: { hadBackup: false, restored: false },
  restored: { hadBackup: true, restored: true },
  open: { hadBackup: true, restored: false },
  fails: new Error('bucket'),
};

function show(world: World, { liveness, health200, listing, backup }: Seen): void {
  world.answer = ANSWERS[liveness][health200 ? 0 : 1];
  world.processes = LISTS[listing];
  world.backup = BACKUPS[backup];
  world.calls.length = 0;
}

const errorOf = (ending: Ending): Error =>
  Object.assign(new Error(ending), ending === 'refused' ? { exitCode: 78 } : undefined);

async function play(steps: readonly Step[]): Promise<void> {
  const model = new ReferenceModel();
  const clock = new FakeClock();
  const begun: string[] = [];
  let starting = deferred();
  let restarting: Ending | undefined;
  let atOnce = 0;
  const alone = async (work: () => Promise<void> | void): Promise<void> => {
    expect(++atOnce).toBe(1);
    try {
      await work();
    } finally {
      atOnce--;
    }
  };
  const { gateway, world } = makeGateway(
    {
      // An answer takes time, so that a cached success can be told by its latency.
      fetch: (url, init) => {
        clock.freeze(1);
        return fetchOf(world)(url, init);
      },
      restoreIfNeeded: () => alone(() => void begun.push('restore')),
      ensureGateway: () =>
        alone(async () => {
          begun.push('ensure');
          if (restarting === undefined) return starting.promise;
          if (restarting !== 'well') throw errorOf(restarting);
        }),
      stopGateway: () => alone(() => void begun.push('stop')),
      scheduleBackup: () => void begun.push('backup'),
    },
    clock,
  );
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  const endStart = async (ending: Ending): Promise<void> => {
    if (!model.starting) return;
    if (ending === 'well') starting.resolve();
    else starting.reject(errorOf(ending));
    starting = deferred();
    model.startEnded(ending);
    await settle();
  };

  for (const next of steps) {
    switch (next.do) {
      case 'look': {
        show(world, next.seen);
        const active = Array.from({ length: next.active }, () => gateway.snapshot());
        const passive = Array.from({ length: next.passive }, () => gateway.snapshot({ passive: true }));
        for (const [mode, asked] of [
          ['active', active],
          ['passive', passive],
        ] as const) {
          if (asked.length === 0) continue;
          const snapshots = await Promise.all(asked);
          model.now = clock.now();
          expect(new Set(snapshots).size).toBe(1);
          const snapshot = snapshots[0];
          const { startup, readiness, liveness, cached, phase, status } = model.snapshot(next.seen, mode === 'active');
          expect({
            startup: snapshot?.startup.ok,
            readiness: snapshot?.readiness.ok,
            liveness: snapshot?.liveness.ok,
            phase: snapshot?.phase,
            status: snapshot?.status,
          }).toEqual({ startup, readiness, liveness, phase, status });
          expect(snapshot?.startup.latencyMs === 0).toBe(cached);
          for (const { ok, error } of [snapshot?.startup, snapshot?.readiness, snapshot?.liveness].filter((p) => !!p)) {
            expect(error === undefined).toBe(ok);
          }
        }
        const observations = Math.min(1, next.active) + Math.min(1, next.passive);
        expect(world.calls.filter((call) => call === 'list')).toHaveLength(observations);
        expect(world.calls.filter((call) => call === 'ask')).toHaveLength(2 * observations);
        await settle();
        break;
      }
      case 'probe': {
        show(world, next.seen);
        const { ok } = await gateway[next.probe]();
        model.now = clock.now();
        if (next.probe === 'startup') expect(ok).toBe(model.snapshot(next.seen, false).startup);
        else if (next.probe === 'readiness') expect(ok).toBe(model.readiness(next.seen));
        else expect(ok).toBe(next.seen.liveness === 'ok');
        break;
      }
      case 'wait':
        clock.freeze(next.ms);
        model.now = clock.now();
        break;
      case 'end-start':
        await endStart(next.how);
        break;
      case 'restart': {
        await endStart('well');
        restarting = next.how;
        model.restartBegan();
        const asked = Array.from({ length: next.callers }, () => gateway.restart().then(() => 'well', String));
        const answers = await Promise.all(asked);
        model.restartEnded(next.how);
        restarting = undefined;
        expect(new Set(answers).size).toBe(1);
        expect(answers[0]).toBe(next.how === 'well' ? 'well' : `Error: ${next.how}`);
        await settle();
        break;
      }
    }
    expect(begun).toEqual(model.begun);
  }
  expect(clock.pending).toBe(0);
}

it('keeps to the reference model of the caching rule, the phases and the activation, whatever comes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), (steps) => play(steps)),
    { numRuns: 2000 },
  );
}, 120_000);
