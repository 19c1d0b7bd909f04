import { expect, it } from 'vitest';
import { Stamps } from '../../../src/client/history/stamps.js';
import { FakeClock } from '../../../src/testing/index.js';
import { T0 } from './support/rows.js';

it('remembers so many instances, and forgets the one not heard of for the longest time', () => {
  const clock = new FakeClock({ wallMs: T0 });
  const stamps = new Stamps(clock, 2);
  for (const id of ['a', 'b', 'a', 'c']) stamps.next(id);
  clock.setWall(T0 - 1000);
  expect(['c', 'a', 'b'].map((id) => stamps.next(id) - T0)).toEqual([1, 2, -1000]);
});
