import { describe, expect, it } from 'vitest';
import { SingleFlight } from '../../src/engine/single-flight.js';
import { deferred } from './support/deferred.js';
import { expectNothingUnhandled } from './support/rejections.js';

describe('a single flight', () => {
  expectNothingUnhandled();

  it('begins once for callers at the same time, and again once it has landed', async () => {
    const flight = new SingleFlight<number>();
    let begun = 0;
    let answer = deferred<number>();
    const begin = () => {
      begun += 1;
      return answer.promise;
    };
    const first = [flight.run(begin), flight.run(begin), flight.run(begin)];
    answer.resolve(1);
    expect(await Promise.all(first)).toEqual([1, 1, 1]);
    expect(begun).toBe(1);
    answer = deferred();
    const second = flight.run(begin);
    answer.resolve(2);
    expect(await second).toBe(2);
    expect(begun).toBe(2);
  });

  it('shares also a rejection, and begins again after it', async () => {
    const flight = new SingleFlight<number>();
    const answer = deferred<number>();
    const callers = [1, 2].map(() => flight.run(() => answer.promise).catch((error: unknown) => error));
    const error = new Error('x');
    answer.reject(error);
    expect(await Promise.all(callers)).toEqual([error, error]);
    expect(await flight.run(async () => 3)).toBe(3);
  });

  it('begins again for who asks as soon as it has landed', async () => {
    const flight = new SingleFlight<number>();
    let begun = 0;
    const begin = async () => {
      begun += 1;
      return begun;
    };
    const again = flight.run(begin).then(() => flight.run(begin));
    expect(await again).toBe(2);
  });

  it('lets who begins throw, and is free afterwards', async () => {
    const flight = new SingleFlight<number>();
    const thrown = await Promise.resolve()
      .then(() =>
        flight.run(() => {
          throw new Error('x');
        }),
      )
      .catch((error: unknown) => error);
    expect(thrown).toMatchObject({ message: 'x' });
    expect(await flight.run(async () => 1)).toBe(1);
  });
});
