import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Wheel, WheelTask } from '../../src/engine/wheel.js';
import { TracedClock } from './support/traced-clock.js';

class Task extends WheelTask {
  constructor(readonly id: number) {
    super();
  }
}

/** A wheel that notes what fires when. */
function wheelAt(clock = new TracedClock()) {
  const fired: [id: number, at: number][] = [];
  const wheel = new Wheel<Task>(clock, (tasks, now) => {
    for (const task of tasks) fired.push([task.id, now]);
  });
  return { clock, wheel, fired };
}

/** How late a task may be. */
const tolerance = (intervalMs: number) => (intervalMs < 1000 ? 0 : Math.min(50, intervalMs / 100));

describe('a wheel', () => {
  it('fires each task once, when it is due, in order', async () => {
    const { clock, wheel, fired } = wheelAt();
    for (const [id, at] of [40, 10, 30, 20, 10].entries()) wheel.add(new Task(id), at, 100);
    expect(wheel.size).toBe(5);
    await clock.advance(100);
    expect(fired).toEqual([
      [1, 10],
      [4, 10],
      [3, 20],
      [2, 30],
      [0, 40],
    ]);
    expect(wheel.size).toBe(0);
  });

  it('fires tasks of one moment together', async () => {
    const clock = new TracedClock();
    const groups: number[][] = [];
    const wheel = new Wheel<Task>(clock, (tasks) => void groups.push(tasks.map(({ id }) => id)));
    for (let id = 0; id < 3; id += 1) wheel.add(new Task(id), 50, 100);
    await clock.advance(100);
    expect(groups).toEqual([[0, 1, 2]]);
  });

  it('sets one timer for all that is placed while it fires', async () => {
    const clock = new TracedClock();
    const wheel: Wheel<Task> = new Wheel<Task>(clock, (tasks, now) => {
      for (const task of tasks) wheel.add(task, now + 100 - task.id, 100);
    });
    for (let id = 0; id < 50; id += 1) wheel.add(new Task(id), 10, 100);
    clock.delays();
    await clock.advance(10);
    expect(clock.delays()).toEqual([51]);
  });

  it('stands on one timer, which keeps no process alive, and none while it is empty', async () => {
    const { clock, wheel } = wheelAt();
    expect(clock.pending).toBe(0);
    const tasks = Array.from({ length: 1000 }, (_, id) => new Task(id));
    for (const task of tasks) wheel.add(task, 1000 + task.id, 100);
    expect(clock.timers).toEqual([{ delayMs: 1000, dueAt: 1000, keepAlive: false }]);
    for (const task of tasks) wheel.remove(task);
    expect(wheel.size).toBe(0);
    expect(clock.pending).toBe(0);
  });

  // The moment of a task that was removed outlived the last task as a timer.
  it('leaves no timer for what was removed when its last task fires', async () => {
    const { clock, wheel } = wheelAt();
    const removed = new Task(0);
    wheel.add(removed, 50, 100);
    wheel.add(new Task(1), 10, 100);
    wheel.remove(removed);
    await clock.advance(10);
    expect([wheel.size, clock.pending]).toEqual([0, 0]);
  });

  it('forgets a task that is removed, also twice, and one that never stood on it', async () => {
    const { clock, wheel, fired } = wheelAt();
    const task = new Task(1);
    wheel.remove(task);
    wheel.add(task, 10, 100);
    wheel.add(new Task(2), 10, 100);
    wheel.remove(task);
    wheel.remove(task);
    await clock.advance(100);
    expect(fired).toEqual([[2, 10]]);
  });

  it('moves a task that is added again', async () => {
    const { clock, wheel, fired } = wheelAt();
    const task = new Task(1);
    wheel.add(task, 10, 100);
    wheel.add(task, 70, 100);
    expect(wheel.size).toBe(1);
    await clock.advance(60);
    expect(fired).toEqual([]);
    wheel.add(task, 65, 100);
    await clock.advance(100);
    expect(fired).toEqual([[1, 65]]);
  });

  it('fires what was due in the past at once, but not synchronously', async () => {
    const { clock, wheel, fired } = wheelAt();
    await clock.advance(100);
    wheel.add(new Task(1), 20, 100);
    expect(fired).toEqual([]);
    await clock.advance(0);
    expect(fired).toEqual([[1, 100]]);
  });

  it('fires after a stall all that is overdue, each once, the oldest first', async () => {
    const { clock, wheel, fired } = wheelAt();
    for (let id = 0; id < 5; id += 1) wheel.add(new Task(id), 10 * (id + 1), 100);
    clock.freeze(1000);
    await clock.advance(0);
    expect(fired.map(([id]) => id)).toEqual([0, 1, 2, 3, 4]);
    expect(clock.pending).toBe(0);
  });

  it('takes tasks that are added and removed while it fires', async () => {
    const clock = new TracedClock();
    const fired: number[] = [];
    const later = new Task(9);
    const wheel: Wheel<Task> = new Wheel<Task>(clock, (tasks, now) => {
      for (const task of tasks) {
        fired.push(task.id);
        if (task.id === 1) {
          wheel.remove(later);
          wheel.add(new Task(2), now, 100);
          wheel.add(new Task(3), now + 5, 100);
        }
      }
    });
    wheel.add(new Task(1), 10, 100);
    wheel.add(later, 12, 100);
    await clock.advance(100);
    expect(fired).toEqual([1, 2, 3]);
    expect([wheel.size, clock.pending]).toEqual([0, 0]);
  });

  it('is empty after clear, and goes on afterwards', async () => {
    const { clock, wheel, fired } = wheelAt();
    const task = new Task(1);
    wheel.add(task, 10, 100);
    wheel.add(new Task(2), 5000, 5000);
    wheel.clear();
    expect([wheel.size, clock.pending]).toEqual([0, 0]);
    wheel.remove(task);
    wheel.add(task, 50, 100);
    await clock.advance(10_000);
    expect(fired).toEqual([[1, 50]]);
  });

  it('that is woken early waits for the rest', async () => {
    // As timers of Node do, which are rounded to whole milliseconds of another clock.
    class EarlyClock extends TracedClock {
      override setTimeout(...[callback, delayMs, options]: Parameters<TracedClock['setTimeout']>) {
        return super.setTimeout(callback, delayMs > 1 ? delayMs - 0.5 : delayMs, options);
      }
    }
    const { clock, wheel, fired } = wheelAt(new EarlyClock());
    wheel.add(new Task(1), 10, 100);
    await clock.advance(100);
    expect(fired).toEqual([[1, 10]]);
  });

  it('stays small and on one timer through a hundred thousand additions and removals', () => {
    const { clock, wheel } = wheelAt();
    const stays = new Task(-1);
    wheel.add(stays, 1_000_000, 100);
    const tasks = Array.from({ length: 100 }, (_, id) => new Task(id));
    for (let round = 0; round < 100_000; round += 1) {
      const task = tasks[round % 100];
      if (task === undefined) continue;
      if (round % 3 === 2) wheel.remove(task);
      else wheel.add(task, 1000 + ((round * 7919) % 900_000), 100);
      if (round % 1000 === 0) expect(clock.pending).toBe(1);
    }
    expect(wheel.size).toBeLessThanOrEqual(101);
    for (const task of tasks) wheel.remove(task);
    expect(wheel.size).toBe(1);
    expect(clock.pending).toBe(1);
  });

  it('with tens of thousands of tasks still fires those of under a second exactly', async () => {
    const { clock, wheel, fired } = wheelAt();
    for (let id = 0; id < 20_000; id += 1) wheel.add(new Task(id), 100_000 + id, 5000);
    for (const [id, at] of [13, 17, 997].entries()) wheel.add(new Task(-id), at, 999);
    await clock.advance(1000);
    expect(fired.map(([, at]) => at)).toEqual([13, 17, 997]);
  });
});

type Step =
  | { readonly do: 'add'; readonly id: number; readonly inMs: number; readonly intervalMs: number }
  | { readonly do: 'remove'; readonly id: number }
  | { readonly do: 'advance' | 'freeze'; readonly ms: number };

const id = fc.integer({ min: 0, max: 400 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('add' as const),
      id,
      inMs: fc.oneof(fc.integer({ min: 0, max: 20_000 }), fc.double({ min: 0, max: 20_000, noNaN: true })),
      intervalMs: fc.oneof(fc.integer({ min: 1, max: 1200 }), fc.integer({ min: 1000, max: 100_000 })),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('remove' as const), id }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constantFrom('advance' as const, 'freeze' as const),
      ms: fc.integer({ min: 0, max: 5000 }),
    }),
  },
);

describe('whatever is added, moved and removed while time passes', () => {
  it('a task fires once, never early, and late by no more than 1 % of its interval, 50 ms at most', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 300, size: 'max' }), fc.boolean(), async (steps, crowded) => {
        const clock = new TracedClock();
        const tasks = new Map<number, Task>();
        const expected = new Map<Task, { dueAt: number; intervalMs: number }>();
        /** When the loop was blocked last, and until when: what falls due in between is late for that. */
        let blockedUntil = 0;
        const wheel = new Wheel<Task>(clock, (due, now) => {
          for (const task of due) {
            const promise = expected.get(task);
            expected.delete(task);
            if (promise === undefined) throw new Error('fired although it was not due, or twice');
            const late = now - promise.dueAt;
            if (late < -1e-6) throw new Error(`early by ${-late}`);
            const allowed = tolerance(promise.intervalMs);
            if (late > allowed + 1e-6 && now > blockedUntil) throw new Error(`late by ${late}, not ${allowed}`);
          }
        });
        // In a crowd, tasks of long intervals share moments.
        const crowd = Array.from({ length: crowded ? 200 : 0 }, (_, id) => new Task(id));
        for (const task of crowd) wheel.add(task, 10_000_000, 5000);
        for (const next of steps) {
          if (next.do === 'advance') await clock.advance(next.ms);
          else if (next.do === 'freeze') {
            clock.freeze(next.ms);
            blockedUntil = clock.now();
          } else if (next.do === 'remove') {
            const task = tasks.get(next.id);
            if (task !== undefined) {
              wheel.remove(task);
              expected.delete(task);
            }
          } else if (next.do === 'add') {
            const task = tasks.get(next.id) ?? new Task(next.id);
            tasks.set(next.id, task);
            wheel.add(task, clock.now() + next.inMs, next.intervalMs);
            expected.set(task, { dueAt: clock.now() + next.inMs, intervalMs: next.intervalMs });
          }
          expect(wheel.size).toBe(expected.size + crowd.length);
          expect(clock.pending).toBeLessThanOrEqual(1);
        }
        await clock.advance(30_000);
        for (const task of crowd) wheel.remove(task);
        expect([expected.size, wheel.size, clock.pending]).toEqual([0, 0, 0]);
      }),
      { numRuns: 30 },
    );
  }, 60_000);
});
