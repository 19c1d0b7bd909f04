import { describe, expect, it } from 'vitest';
import { type ChildFailure, type Logger, Supervisor, type SupervisorOptions } from '../../src/index.js';
import { FakeClock } from '../../src/testing/index.js';
import { never } from '../controller/support/deferred.js';
import { failing, inTurn } from './support/services.js';

function failable(options: SupervisorOptions = {}) {
  const clock = new FakeClock();
  const supervisor = new Supervisor({ clock, ...options });
  const fail = async (name: string, thrown: unknown = new Error(name)): Promise<void> => {
    supervisor.attach({ name, start: () => Promise.reject(thrown) });
    await clock.advance(0);
  };
  return { clock, supervisor, fail };
}

/** Reads to the end. */
async function names(failures: AsyncIterable<ChildFailure>): Promise<string[]> {
  const seen: string[] = [];
  for await (const { name } of failures) seen.push(name);
  return seen;
}

describe('onFailure', () => {
  it('is called once per child that has failed for good, in order, not for its restarts', async () => {
    const failures: ChildFailure[] = [];
    const { clock, supervisor } = failable({ onFailure: (failure) => failures.push(failure) });
    const lost = new Error('lost');
    const last = inTurn(failing, failing, () => Promise.reject(lost));
    supervisor.attach({ name: 'retried', start: last, restartPolicy: { maxRestarts: 2 } });
    supervisor.attach({ name: 'plain', start: failing });
    supervisor.attach({ name: 'panicking', start: () => Promise.reject('kaput') });
    supervisor.attach({
      name: 'throwing',
      start: () => {
        throw lost;
      },
    });
    supervisor.start();
    await clock.advance(100_000);
    expect(failures).toEqual([
      { name: 'throwing', error: lost, restarts: 0, panicked: false },
      { name: 'plain', error: new Error('no port'), restarts: 0, panicked: false },
      { name: 'panicking', error: new Error('start panicked: kaput'), restarts: 0, panicked: true },
      { name: 'retried', error: lost, restarts: 2, panicked: false },
    ]);
    expect(failures[0]?.error).toBe(lost);
    expect(failures.every((failure) => Object.isFrozen(failure))).toBe(true);
    await supervisor.stop();
    expect(clock.pending).toBe(0);
  });

  it('says of the last run only whether it panicked', async () => {
    const failures: ChildFailure[] = [];
    const { clock, supervisor } = failable({ onFailure: (failure) => failures.push(failure) });
    const start = inTurn(() => Promise.reject('kaput'), failing);
    supervisor.attach({ name: 'a', start, restartPolicy: { maxRestarts: 1 } });
    supervisor.start();
    await clock.advance(10_000);
    expect(failures.map(({ panicked }) => panicked)).toEqual([false]);
    expect(supervisor.health().a?.panics).toBe(1);
    await supervisor.stop();
  });

  it('is not called for a child that is stopped or detached', async () => {
    const failures: ChildFailure[] = [];
    const { supervisor } = failable({ onFailure: (failure) => failures.push(failure) });
    const start = ({ signal }: { signal: AbortSignal }) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('brought down'))));
    supervisor.attach({ name: 'a', start });
    supervisor.attach({ name: 'b', start });
    supervisor.start();
    await supervisor.detach('a');
    await supervisor.stop();
    expect(failures).toEqual([]);
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('listener');
      },
    ],
    ['rejects', () => Promise.reject(new Error('listener'))],
    ['never settles', never],
  ])('that %s harms nobody, and what it threw is logged', async (how, onFailure) => {
    const errors: string[] = [];
    const silent = () => {};
    const logger: Logger = { debug: silent, info: silent, warn: silent, error: (message) => errors.push(message) };
    const { supervisor, fail } = failable({ onFailure, logger });
    supervisor.start();
    await fail('a');
    await fail('b');
    expect(Object.values(supervisor.health()).map(({ state }) => state)).toEqual(['failed', 'failed']);
    expect(errors.filter((message) => message.startsWith('onFailure failed'))).toHaveLength(
      how === 'never settles' ? 0 : 2,
    );
    await supervisor.stop();
  });

  it('may detach the child, and attach another in its place', async () => {
    const { clock } = failable();
    let attempts = 0;
    const supervisor: Supervisor = new Supervisor({
      clock,
      onFailure: async ({ name }) => {
        await supervisor.detach(name);
        attempts++;
        supervisor.attach({ name, start: attempts < 3 ? failing : never });
      },
    });
    supervisor.attach({ name: 'a', start: failing });
    supervisor.start();
    await clock.advance(0);
    expect(attempts).toBe(3);
    expect(supervisor.health()).toMatchObject({ a: { state: 'running' } });
    void supervisor.stop();
    await clock.advance(10_000);
    expect(clock.pending).toBe(0);
  });
});

describe('failures()', () => {
  it('gives those from now on in order, and ends when the supervisor has stopped', async () => {
    const { supervisor, fail } = failable();
    supervisor.start();
    await fail('before');
    const all = names(supervisor.failures());
    await fail('a');
    await fail('b');
    await supervisor.stop();
    expect(await all).toEqual(['a', 'b']);
  });

  it('gives every reader all of them, each at its own pace', async () => {
    const { supervisor, fail } = failable();
    supervisor.start();
    const quick = names(supervisor.failures());
    const slow = supervisor.failures();
    await fail('a');
    const late = names(supervisor.failures());
    await fail('b');
    expect(await slow.next()).toMatchObject({ value: { name: 'a' } });
    await supervisor.stop();
    expect(await quick).toEqual(['a', 'b']);
    expect(await late).toEqual(['b']);
    // What waits is still read after the stop.
    expect(await names(slow)).toEqual(['b']);
    expect(await slow.next()).toEqual({ done: true, value: undefined });
  });

  it('answers several next() in the order in which they were asked', async () => {
    const { supervisor, fail } = failable();
    supervisor.start();
    const failures = supervisor.failures();
    const asked = [failures.next(), failures.next(), failures.next()];
    await fail('a');
    await fail('b');
    await supervisor.stop();
    expect((await Promise.all(asked)).map(({ done, value }) => done ?? value)).toMatchObject([false, false, true]);
    expect((await asked[0])?.value).toMatchObject({ name: 'a' });
  });

  it('ends for a reader that leaves its loop, and for no other', async () => {
    const { supervisor, fail } = failable();
    supervisor.start();
    const other = names(supervisor.failures());
    const failures = supervisor.failures();
    const seen: string[] = [];
    const left = (async () => {
      for await (const { name } of failures) {
        seen.push(name);
        break;
      }
    })();
    await fail('a');
    await fail('b');
    await left;
    expect(seen).toEqual(['a']);
    expect(await failures.next()).toEqual({ done: true, value: undefined });
    await supervisor.stop();
    expect(await other).toEqual(['a', 'b']);
  });

  it('of return() settles what is still asked for', async () => {
    const { supervisor } = failable();
    const failures = supervisor.failures();
    const asked = failures.next();
    expect(await failures.return?.()).toEqual({ done: true, value: undefined });
    expect(await asked).toEqual({ done: true, value: undefined });
  });

  it('asked for after the stop is at its end', async () => {
    const { supervisor } = failable();
    await supervisor.stop();
    expect(await names(supervisor.failures())).toEqual([]);
  });

  it('of a reader that does not read keeps the last thousand', async () => {
    const { clock, supervisor } = failable();
    const failures = supervisor.failures();
    for (let index = 0; index < 1003; index++) {
      supervisor.attach({
        name: `c${index}`,
        start: () => {
          throw new Error('no');
        },
      });
    }
    supervisor.start();
    await clock.advance(0);
    await supervisor.stop();
    const seen = await names(failures);
    expect([seen.length, seen[0], seen.at(-1)]).toEqual([1000, 'c3', 'c1002']);
  });
});
