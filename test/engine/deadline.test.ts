import { describe, expect, it } from 'vitest';
import { withDeadline } from '../../src/engine/deadline.js';
import { deferred, turns } from './support/deferred.js';
import { expectNothingUnhandled } from './support/rejections.js';
import { TracedClock } from './support/traced-clock.js';

describe('withDeadline', () => {
  expectNothingUnhandled();

  it('gives what the promise resolves to in time, and leaves no timer', async () => {
    const clock = new TracedClock();
    const answer = deferred<number>();
    const bounded = withDeadline(answer.promise, 1000, clock);
    await clock.advance(999);
    answer.resolve(7);
    expect(await bounded).toEqual({ settled: true, value: 7 });
    expect(clock.pending).toBe(0);
  });

  it('rejects as the promise rejects in time, whatever that is', async () => {
    for (const error of [new Error('x'), undefined, 'x']) {
      const clock = new TracedClock();
      const answer = deferred();
      const bounded = withDeadline(answer.promise, 1000, clock).then(
        () => 'resolved',
        (thrown: unknown) => ({ thrown }),
      );
      answer.reject(error);
      expect(await bounded).toEqual({ thrown: error });
      expect(clock.pending).toBe(0);
    }
  });

  it('says that it is not settled at its deadline, not before', async () => {
    const clock = new TracedClock();
    const seen: unknown[] = [];
    void withDeadline(new Promise(() => {}), 1000, clock).then((bounded) => seen.push(bounded));
    await clock.advance(999);
    expect(seen).toEqual([]);
    await clock.advance(1);
    expect(seen).toEqual([{ settled: false }]);
    expect(clock.pending).toBe(0);
  });

  it.each([0, -1, Number.NaN, Number.NEGATIVE_INFINITY])('of %d gives one turn of the loop', async (timeoutMs) => {
    const clock = new TracedClock();
    expect(await withDeadline(new Promise(() => {}), timeoutMs, clock)).toEqual({ settled: false });
    expect(await withDeadline(Promise.resolve(1), timeoutMs, clock)).toEqual({ settled: true, value: 1 });
    expect(clock.asked).toEqual([]);
    const thrown = await withDeadline(Promise.reject(new Error('x')), timeoutMs, clock).catch((error) => error);
    expect(thrown).toMatchObject({ message: 'x' });
  });

  it('may be as long as the clock can count', async () => {
    const clock = new TracedClock();
    const answer = deferred<string>();
    const bounded = withDeadline(answer.promise, 5_000_000_000, clock);
    await clock.advance(4_999_999_999);
    answer.resolve('late, and in time');
    expect(await bounded).toEqual({ settled: true, value: 'late, and in time' });
  });

  it('lets what comes after it be, rejections too', async () => {
    const clock = new TracedClock();
    const answer = deferred();
    const bounded = withDeadline(answer.promise, 10, clock);
    await clock.advance(10);
    expect(await bounded).toEqual({ settled: false });
    answer.reject(new Error('late'));
    await turns();
  });

  it.each([true, false])('keeps the process alive as it is told: %s', async (keepAlive) => {
    const clock = new TracedClock();
    const bounded = withDeadline(new Promise(() => {}), 10, clock, keepAlive);
    await turns();
    expect(clock.timers.map((timer) => timer.keepAlive)).toEqual([keepAlive]);
    await clock.advance(10);
    await bounded;
  });

  it('keeps it alive where nothing is said, since somebody waits', async () => {
    const clock = new TracedClock();
    const bounded = withDeadline(new Promise(() => {}), 10, clock);
    await turns();
    expect(clock.timers.map((timer) => timer.keepAlive)).toEqual([true]);
    await clock.advance(10);
    await bounded;
  });

  it('takes a thenable', async () => {
    const clock = new TracedClock();
    const thenable = Object.defineProperty({}, 'then', {
      value: (resolve: (value: number) => void) => resolve(3),
    }) as PromiseLike<number>;
    expect(await withDeadline(thenable, 10, clock)).toEqual({ settled: true, value: 3 });
  });
});
