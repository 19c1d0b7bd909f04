import { setImmediate as realTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Controller } from '../../src/index.js';
import { FakeClock } from '../../src/testing/index.js';

const seen = { keepAlive: true };

/** A clock, and a list of what happened at which moment. */
function clockWithLog(options?: ConstructorParameters<typeof FakeClock>[0]) {
  const clock = new FakeClock(options);
  const log: string[] = [];
  const note = (what: string) => () => void log.push(`${clock.now()} ${what}`);
  const later = (what: string, delayMs: number) => clock.setTimeout(note(what), delayMs, seen);
  return { clock, log, note, later };
}

describe('time', () => {
  it('stands still unless it is moved', async () => {
    const { clock, log, later } = clockWithLog();
    later('a', 0);
    await realTurn();
    await realTurn();
    expect([clock.now(), clock.wall(), log]).toEqual([0, 1_704_067_200_000, []]);
  });

  it('begins where it is told to', () => {
    const clock = new FakeClock({ nowMs: 500, wallMs: 7000 });
    expect([clock.now(), clock.wall()]).toEqual([500, 7000]);
  });

  it('moves both readings on', async () => {
    const clock = new FakeClock({ nowMs: 500, wallMs: 7000 });
    await clock.advance(20);
    clock.freeze(3);
    expect([clock.now(), clock.wall()]).toEqual([523, 7023]);
  });

  it('lets the wall clock jump without touching timers', async () => {
    const { clock, log, later } = clockWithLog();
    later('a', 10);
    clock.setWall(99_000_000);
    expect([clock.now(), clock.wall()]).toEqual([0, 99_000_000]);
    await clock.advance(9);
    clock.setWall(5);
    expect(log).toEqual([]);
    await clock.advance(1);
    expect([clock.wall(), log]).toEqual([6, ['10 a']]);
  });
});

describe('timers', () => {
  it('fire in due order, each at its own moment', async () => {
    const { clock, log, later } = clockWithLog();
    later('c', 30);
    later('a', 10);
    later('b', 20);
    later('d', 31);
    await clock.advance(30);
    expect(log).toEqual(['10 a', '20 b', '30 c']);
    expect(clock.now()).toBe(30);
  });

  it('of one moment fire in the order in which they were set', async () => {
    const { clock, log, later } = clockWithLog();
    for (const name of ['a', 'b', 'c']) later(name, 10);
    await clock.advance(10);
    expect(log).toEqual(['10 a', '10 b', '10 c']);
  });

  it('set on the way fire too, where they are due by then', async () => {
    const { clock, log, note, later } = clockWithLog();
    clock.setTimeout(() => later('inner', 10), 10, seen);
    clock.setTimeout(note('outer'), 20, seen);
    await clock.advance(20);
    expect(log).toEqual(['20 outer', '20 inner']);
  });

  it('set after an await on the way fire too', async () => {
    const { clock, log, later } = clockWithLog();
    const sleep = (ms: number) => new Promise<void>((resolve) => clock.setTimeout(resolve, ms, seen));
    void (async () => {
      for (const name of ['a', 'b', 'c']) {
        await sleep(10);
        await Promise.resolve();
        later(name, 1);
      }
    })();
    await clock.advance(100);
    expect(log).toEqual(['11 a', '21 b', '31 c']);
  });

  it('that were cleared do not fire, even by a timer of the same moment', async () => {
    const { clock, log, later } = clockWithLog();
    const other = clock.setTimeout(() => clock.clearTimeout(third), 10, seen);
    const third = later('third', 10);
    clock.clearTimeout(later('first', 5));
    clock.clearTimeout('no handle of ours');
    await clock.advance(20);
    clock.clearTimeout(other);
    expect([log, clock.pending]).toEqual([[], 0]);
  });

  it('are counted and shown with what was asked for', async () => {
    const clock = new FakeClock();
    await clock.advance(100);
    clock.setTimeout(() => {}, 307, { keepAlive: false });
    clock.setTimeout(() => {}, 211, { keepAlive: true });
    expect(clock.pending).toBe(2);
    expect(clock.timers).toEqual([
      { delayMs: 211, dueAt: 311, keepAlive: true },
      { delayMs: 307, dueAt: 407, keepAlive: false },
    ]);
    await clock.advance(211);
    expect(clock.pending).toBe(1);
  });

  it.each([-5, 0, Number.NaN])('with a delay of %s are due at once', async (delayMs) => {
    const { clock, log, later } = clockWithLog();
    later('a', delayMs);
    await clock.advance(0);
    expect(log).toEqual(['0 a']);
  });

  it('with a delay above 2^31-1 wait that long', async () => {
    const { clock, log, later } = clockWithLog();
    later('a', 2 ** 31);
    await clock.advance(2 ** 31 - 1);
    expect(log).toEqual([]);
    await clock.advance(1);
    expect(log).toEqual([`${2 ** 31} a`]);
  });

  it('whose callback throws make advance reject, and the clock goes on', async () => {
    const { clock, log, later } = clockWithLog();
    clock.setTimeout(
      () => {
        throw new Error('boom');
      },
      5,
      seen,
    );
    later('b', 10);
    await expect(clock.advance(10)).rejects.toThrow('boom');
    expect(clock.now()).toBe(5);
    await clock.advance(5);
    expect(log).toEqual(['10 b']);
  });

  it('that follow each other without end are an error, not a hang', async () => {
    const clock = new FakeClock();
    const again = () => void clock.setTimeout(again, 0, seen);
    again();
    await expect(clock.advance(1)).rejects.toMatchObject({ code: 'timeout' });
  });

  it('fire exactly those due, in order, whatever the delays and steps', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: 50 }), { maxLength: 12 }),
        fc.array(fc.integer({ min: 0, max: 20 }), { maxLength: 4 }),
        async (delays, steps) => {
          const { clock, log, later } = clockWithLog();
          for (const delay of delays) later('', delay);
          let total = 0;
          for (const step of steps) {
            await clock.advance(step);
            total += step;
          }
          const due = steps.length === 0 ? [] : delays.filter((delay) => delay <= total).sort((a, b) => a - b);
          expect(log).toEqual(due.map((delay) => `${delay} `));
          expect([clock.now(), clock.pending]).toEqual([total, delays.length - due.length]);
        },
      ),
      { numRuns: 50 },
    );
  });
});

describe('freeze', () => {
  it('lets time pass without a timer; the next advance finds them overdue', async () => {
    const { clock, log, later } = clockWithLog();
    later('b', 20);
    later('a', 10);
    later('c', 150);
    clock.freeze(100);
    await realTurn();
    expect([clock.now(), log]).toEqual([100, []]);
    await clock.advance(0);
    expect(log).toEqual(['100 a', '100 b']);
    await clock.advance(50);
    expect(log).toEqual(['100 a', '100 b', '150 c']);
  });

  it('inside a timer makes the others late', async () => {
    const { clock, log, later } = clockWithLog();
    clock.setTimeout(() => clock.freeze(100), 10, seen);
    later('a', 20);
    await clock.advance(20);
    expect([clock.now(), log]).toEqual([110, ['110 a']]);
  });
});

describe('turns', () => {
  it('come without any advance', async () => {
    const { clock, log, note } = clockWithLog();
    clock.nextTurn(note('turn'));
    expect(log).toEqual([]);
    await realTurn();
    expect(log).toEqual(['0 turn']);
  });

  it('follow the timers that are due, and precede those that these set', async () => {
    const { clock, log, note, later } = clockWithLog();
    clock.setTimeout(
      () => {
        note('first')();
        clock.nextTurn(note('turn'));
        later('set at that moment', 0);
      },
      10,
      seen,
    );
    later('second', 20);
    clock.freeze(30);
    await clock.advance(0);
    expect(log).toEqual(['30 first', '30 second', '30 turn', '30 set at that moment']);
  });

  it('and promises run between two timers', async () => {
    const { clock, log, note } = clockWithLog();
    const chain = async (name: string) => {
      for (let i = 0; i < 20; i++) await Promise.resolve();
      await realTurn();
      note(`promise of ${name}`)();
      await new Promise<void>((resolve) => clock.nextTurn(resolve));
      await new Promise<void>((resolve) => clock.nextTurn(resolve));
      note(`turn of ${name}`)();
    };
    clock.setTimeout(() => void chain('a'), 10, seen);
    clock.setTimeout(() => void chain('b'), 20, seen);
    await clock.advance(20);
    expect(log).toEqual(['10 promise of a', '10 turn of a', '20 promise of b', '20 turn of b']);
  });

  it('without end are an error, not a hang', async () => {
    const clock = new FakeClock();
    let going = true;
    const again = () => void (going && clock.nextTurn(again));
    again();
    await expect(clock.advance(1)).rejects.toMatchObject({ code: 'timeout' });
    going = false;
  });
});

describe('advance', () => {
  it('called twice at once moves one after the other', async () => {
    const { clock, log, later } = clockWithLog();
    later('a', 10);
    later('b', 15);
    await Promise.all([clock.advance(10), clock.advance(10)]);
    expect([clock.now(), log]).toEqual([20, ['10 a', '15 b']]);
  });

  it.each([-1, Number.NaN, Number.POSITIVE_INFINITY, '5'])('refuses %s', async (ms) => {
    const clock = new FakeClock();
    const refusal = { code: 'invalid_option', message: expect.stringContaining('finite number of milliseconds') };
    await expect(clock.advance(ms as number)).rejects.toMatchObject(refusal);
    expect(() => clock.freeze(ms as number)).toThrow(expect.objectContaining(refusal));
    await clock.advance(1);
    expect(clock.now()).toBe(1);
  });
});

it.each([
  ['setWall', () => new FakeClock().setWall(Number.NaN)],
  ['nowMs', () => new FakeClock({ nowMs: Number.NaN })],
  ['wallMs', () => new FakeClock({ wallMs: '1' as unknown as number })],
  ['now', () => new FakeClock({ now: 1 } as object)],
])('refuses a wrong %s', (_name, make) => {
  expect(make).toThrow(expect.objectContaining({ code: 'invalid_option' }));
});

it('drives a controller through polls to a stop without a timer left', async () => {
  const clock = new FakeClock();
  const controller = new Controller({ clock, drainDelayMs: 200 });
  const ranAt: number[] = [];
  controller.registerCheck({ name: 'db', check: () => void ranAt.push(clock.now()), intervalMs: 1000 });
  controller.start();
  await clock.advance(2500);
  expect(ranAt).toEqual([0, 1000, 2000]);
  const outcome = controller.stop();
  await clock.advance(200);
  expect(await outcome).toMatchObject({ cause: 'stop', durationMs: 200 });
  expect(clock.pending).toBe(0);
});
