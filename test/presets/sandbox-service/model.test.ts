import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { RelayCall } from './support/stage.js';
import { Stage } from './support/stage.js';

const INTERVAL = 5000;
const TIMEOUT = 1000;
const STALE = 15_000;

type Ending = 'pass' | 'fail' | 'inconclusive';

/** The rules of seed 001 for one service, in the plainest form, and in times that are all whole milliseconds. */
class Model {
  exposed = false;
  path = '/a';
  runtime: string | undefined;
  now = 0;
  state = 'unknown';
  failures = 0;
  code: number | undefined;
  checkedAt: number | undefined;
  changes: string[] = [];
  /** The attempt under way: which call of the relay, and since when. */
  attempt: { call: number; beganAt: number } | undefined;
  calls = 0;
  nextTick: number | undefined;

  to(state: string): void {
    if (this.exposed && state !== this.state) this.changes.push(`${this.state} > ${state}`);
    this.state = state;
  }

  reset(): void {
    this.to('unknown');
    this.failures = 0;
    this.code = undefined;
    this.checkedAt = undefined;
  }

  begin(): void {
    this.attempt = { call: this.calls, beganAt: this.now };
    this.calls++;
  }

  restart(): void {
    this.attempt = undefined;
    this.nextTick = undefined;
    this.reset();
    if (!this.exposed || this.runtime === undefined) return;
    this.nextTick = this.now + INTERVAL;
    this.begin();
  }

  expose(path: string | undefined): void {
    const before = this.exposed ? this.path : undefined;
    this.path = path ?? before ?? '';
    const isNew = !this.exposed;
    this.exposed = true;
    if (isNew || this.path !== before) this.restart();
  }

  remove(): void {
    this.exposed = false;
    this.restart();
    this.state = 'unknown';
  }

  ready(runtime: string | undefined): void {
    if (runtime === this.runtime) return;
    this.runtime = runtime;
    this.restart();
  }

  end(call: number, ending: Ending, code?: number): void {
    if (this.attempt?.call !== call) return;
    this.attempt = undefined;
    if (ending === 'inconclusive') {
      this.reset();
      return;
    }
    this.checkedAt = this.now;
    this.code = code;
    this.failures = ending === 'pass' ? 0 : this.failures + 1;
    if (ending === 'pass') this.to('healthy');
    else if (this.failures >= 3) this.to('unhealthy');
  }

  /** One millisecond at a time: what is due at one moment comes in the order in which it was set. */
  advance(ms: number): void {
    for (let i = 0; i < ms; i++) {
      this.now++;
      const tick = this.nextTick === this.now;
      const late = this.attempt !== undefined && this.now - this.attempt.beganAt === TIMEOUT;
      if (this.checkedAt !== undefined && this.now - this.checkedAt > STALE) this.reset();
      if (late && this.attempt !== undefined) this.end(this.attempt.call, 'fail');
      if (tick) {
        this.nextTick = this.now + INTERVAL;
        if (this.attempt === undefined) this.begin();
      }
    }
  }
}

type Command =
  | { do: 'expose'; path: string | undefined }
  | { do: 'remove' }
  | { do: 'ready'; runtime: string | undefined }
  | { do: 'end'; back: number; ending: Ending; status: number }
  | { do: 'advance'; ms: number }
  | { do: 'wall'; ms: number };

const command: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('expose' as const), path: fc.constantFrom(undefined, '/a', '/b') }),
  },
  { weight: 1, arbitrary: fc.constant({ do: 'remove' as const }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('ready' as const), runtime: fc.constantFrom(undefined, 'r1', 'r2') }),
  },
  {
    weight: 9,
    arbitrary: fc.record({
      do: fc.constant('end' as const),
      back: fc.constantFrom(0, 0, 0, 0, 1, 2, 3),
      ending: fc.constantFrom<Ending>('pass', 'pass', 'fail', 'fail', 'fail', 'inconclusive'),
      status: fc.constantFrom(200, 404),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('advance' as const),
      ms: fc.oneof(fc.constantFrom(999, 1000, 4000, 5000, 5000, 5000, 15_000), fc.integer({ min: 1, max: 7000 })),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('wall' as const), ms: fc.integer({ min: 0, max: 4e12 }) }) },
);

/** Ends a call of the relay; `status` of a fail is one that a readiness check does not take. */
function end(call: RelayCall, ending: Ending, status: number): void {
  if (ending === 'inconclusive') call.refuse('relay_unavailable');
  else if (ending === 'fail' && status === 200) call.refuse();
  else call.answer(ending === 'pass' ? 200 : status);
}

async function agree(commands: readonly Command[]): Promise<void> {
  const stage = new Stage();
  const model = new Model();
  const ended = new Set<RelayCall>();
  for (const step of commands) {
    switch (step.do) {
      case 'expose':
        // Always with a check once it is exposed, so that 404 is a failure: the first time, absent means `/a`.
        stage.expose({ readinessCheck: { path: step.path ?? (model.exposed ? model.path : '/a') } });
        model.expose(step.path ?? (model.exposed ? model.path : '/a'));
        break;
      case 'remove':
        stage.services.remove({ workspace: 'team', sandbox: 'box', service: 'web' });
        model.remove();
        break;
      case 'ready':
        if (step.runtime === undefined) stage.box.notReady();
        else stage.box.ready(step.runtime);
        model.ready(step.runtime);
        break;
      case 'end': {
        const call = stage.calls.at(-1 - step.back);
        if (call === undefined || ended.has(call)) break;
        ended.add(call);
        const code = step.ending === 'pass' ? 200 : step.ending === 'fail' && step.status === 404 ? 404 : undefined;
        end(call, step.ending, step.status);
        await stage.settle();
        model.end(stage.calls.indexOf(call), step.ending, code);
        break;
      }
      case 'advance':
        await stage.clock.advance(step.ms);
        model.advance(step.ms);
        break;
      case 'wall':
        stage.clock.setWall(step.ms);
        break;
    }
    const service = stage.services.get({ workspace: 'team', sandbox: 'box', service: 'web' });
    expect(service !== undefined).toBe(model.exposed);
    if (service !== undefined) {
      const { state, httpStatusCode, lastCheckedTime } = service.health;
      expect([state, httpStatusCode, lastCheckedTime !== undefined]).toEqual([
        model.state,
        model.code,
        model.checkedAt !== undefined,
      ]);
    }
    expect(stage.calls).toHaveLength(model.calls);
    expect(stage.changes).toEqual(model.changes);
    expect(stage.calls.filter(({ open }) => open).length).toBe(model.attempt === undefined ? 0 : 1);
  }
  await stage.services.stop();
  expect(stage.clock.pending).toBe(0);
}

it('does what the plain model does, whatever happens in whatever order', { timeout: 120_000 }, async () => {
  await fc.assert(fc.asyncProperty(fc.array(command, { maxLength: 40 }), agree), { numRuns: 2000 });
});
