import { describe, expect, it } from 'vitest';
import { type Child, isHealthControllerError, type StartContext, Supervisor } from '../../src/index.js';
import { FakeClock, seededRandom } from '../../src/testing/index.js';
import { Deferred, never } from '../controller/support/deferred.js';
import { untilAborted } from '../controller/support/stage.js';
import { failing, inTurn, Runs } from './support/services.js';

/** A supervisor on a clock of its own, whose children note their calls. */
function troupe(options: ConstructorParameters<typeof Supervisor>[0] = {}) {
  const clock = new FakeClock();
  const supervisor = new Supervisor({ clock, ...options });
  const calls: string[] = [];
  const child = (name: string, given: Partial<Child> = {}): Child => ({
    ...given,
    name,
    start: (context) => {
      calls.push(`${clock.now()} start ${name}`);
      return (given.start ?? untilAborted)(context);
    },
    stop: (context) => {
      calls.push(`${clock.now()} stop ${name}`);
      return given.stop?.(context);
    },
  });
  const states = () =>
    Object.fromEntries(Object.entries(supervisor.health()).map(([name, { state }]) => [name, state]));
  return { clock, supervisor, calls, child, states, settle: () => clock.advance(0) };
}

const codeOf = (act: () => unknown): string | undefined => {
  try {
    act();
  } catch (error) {
    return isHealthControllerError(error) ? error.code : String(error);
  }
  return undefined;
};

const rejection = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('calls in order', () => {
  it('children attached before start start with it, at the same time; later ones at once', async () => {
    const { supervisor, calls, child, states, settle } = troupe();
    supervisor.attach(child('a'));
    supervisor.attach(child('b'));
    expect(calls).toEqual([]);
    expect(states()).toEqual({ a: 'pending', b: 'pending' });
    supervisor.start();
    expect(calls).toEqual(['0 start a', '0 start b']);
    supervisor.attach(child('c'));
    expect(calls.at(-1)).toBe('0 start c');
    await settle();
    expect(states()).toEqual({ a: 'running', b: 'running', c: 'running' });
    await supervisor.stop();
  });

  it('stop stops the children, the last attached first, and aborts their signals', async () => {
    const { clock, supervisor, calls, child, states } = troupe();
    const contexts: StartContext[] = [];
    for (const name of ['a', 'b', 'c']) {
      supervisor.attach(
        child(name, {
          start: (context) => {
            contexts.push(context);
            return untilAborted(context);
          },
        }),
      );
    }
    supervisor.start();
    await supervisor.stop();
    expect(calls.slice(3)).toEqual(['0 stop c', '0 stop b', '0 stop a']);
    expect(contexts.map(({ signal }) => (signal.reason as { code: string }).code)).toEqual(Array(3).fill('shutdown'));
    expect(states()).toEqual({ a: 'stopped', b: 'stopped', c: 'stopped' });
    expect(clock.pending).toBe(0);
  });
});

describe('calls out of order', () => {
  it('attach after stop throws stopped, also while it is stopping', async () => {
    const { supervisor, child } = troupe();
    supervisor.start();
    const stopped = supervisor.stop();
    expect(codeOf(() => supervisor.attach(child('late')))).toBe('stopped');
    await stopped;
    expect(codeOf(() => supervisor.attach(child('late')))).toBe('stopped');
    expect(supervisor.health()).toEqual({});
  });

  it('a duplicate child throws duplicate_name, and the name is free again after detach', async () => {
    const { supervisor, child, calls } = troupe();
    supervisor.attach(child('a'));
    expect(codeOf(() => supervisor.attach(child('a')))).toBe('duplicate_name');
    supervisor.start();
    expect(await supervisor.detach('a')).toBe(true);
    supervisor.attach(child('a'));
    expect(calls).toEqual(['0 start a', '0 stop a', '0 start a']);
    await supervisor.stop();
  });

  it('start twice throws already_started, start after stop throws stopped', async () => {
    const { supervisor } = troupe();
    supervisor.start();
    expect(codeOf(() => supervisor.start())).toBe('already_started');
    const stopped = supervisor.stop();
    expect(codeOf(() => supervisor.start())).toBe('stopped');
    await stopped;
    expect(codeOf(() => supervisor.start())).toBe('stopped');
  });

  it('start after a stop that came first throws stopped, and starts nobody', async () => {
    const { supervisor, child, calls } = troupe();
    supervisor.attach(child('a'));
    await supervisor.stop();
    expect(codeOf(() => supervisor.start())).toBe('stopped');
    expect(calls).toEqual([]);
    expect(supervisor.health()).toMatchObject({ a: { state: 'stopped' } });
  });

  it('detach of an unknown child rejects with unknown_child, whatever the name', async () => {
    const { supervisor } = troupe();
    for (const name of ['nope', '__proto__', 'toString', undefined as unknown as string]) {
      expect(await rejection(supervisor.detach(name))).toMatchObject({ code: 'unknown_child' });
    }
  });

  it('detach twice rejects the second time, also while the first is under way', async () => {
    const { supervisor, child } = troupe();
    supervisor.attach(child('a'));
    supervisor.start();
    const first = supervisor.detach('a');
    expect(await rejection(supervisor.detach('a'))).toMatchObject({ code: 'unknown_child' });
    expect(await first).toBe(true);
  });

  it('detach after stop drops the child', async () => {
    const { supervisor, child } = troupe();
    supervisor.attach(child('a'));
    supervisor.start();
    await supervisor.stop();
    expect(await supervisor.detach('a')).toBe(true);
    expect(supervisor.health()).toEqual({});
  });

  it('detach while it stops waits for the same stop', async () => {
    // It waited for its whole timeout, and said then that the child had not settled.
    const { clock, supervisor, calls, child } = troupe();
    supervisor.attach(
      child('a', {
        stop: () => new Promise((resolve) => clock.setTimeout(resolve as () => void, 100, { keepAlive: true })),
      }),
    );
    supervisor.start();
    const stopped = supervisor.stop();
    const detached = supervisor.detach('a');
    await clock.advance(100);
    expect(await detached).toBe(true);
    await stopped;
    expect(calls).toEqual(['0 start a', '0 stop a']);
    expect(clock.pending).toBe(0);
  });

  it('stop while a child is being detached waits for it and names it', async () => {
    const { clock, supervisor, calls, child } = troupe({ stopTimeoutMs: 1000 });
    supervisor.attach(child('a', { stop: never }));
    supervisor.start();
    const detached = supervisor.detach('a', { timeoutMs: 300 });
    const stopped = rejection(supervisor.stop());
    await clock.advance(300);
    expect(await detached).toBe(false);
    await clock.advance(700);
    expect(await stopped).toMatchObject({ message: 'children did not finish in time: a' });
    expect(calls).toEqual(['0 start a', '0 stop a']);
    expect(clock.pending).toBe(0);
  });

  it('stop twice is the same promise, and stops once', async () => {
    const { supervisor, child, calls } = troupe();
    supervisor.attach(child('a'));
    supervisor.start();
    const stopped = supervisor.stop();
    expect(supervisor.stop()).toBe(stopped);
    await stopped;
    expect(supervisor.stop()).toBe(stopped);
    expect(calls).toEqual(['0 start a', '0 stop a']);
  });

  it('readiness is unhealthy before start, healthy while it runs whatever the children do, unhealthy from stop on', async () => {
    const { supervisor, child, settle } = troupe();
    supervisor.attach(child('a', { start: failing }));
    const statuses = [supervisor.readiness().status];
    supervisor.start();
    await settle();
    statuses.push(supervisor.readiness().status);
    const stopped = supervisor.stop();
    statuses.push(supervisor.readiness().status);
    await stopped;
    statuses.push(supervisor.readiness().status);
    expect(statuses).toEqual(['unhealthy', 'healthy', 'unhealthy', 'unhealthy']);
    expect(supervisor.readiness().message).toBe('supervisor is stopped');
  });

  it.each([
    [undefined],
    [{}],
    [{ name: 'a' }],
    [{ start: () => {} }],
    [{ name: '', start: () => {} }],
    [{ name: 'a\n', start: () => {} }],
    [{ name: 'x'.repeat(257), start: () => {} }],
    [{ name: 'a', start: 'go' }],
    [{ name: 'a', start: () => {}, stop: 1 }],
    [{ name: 'a', start: () => {}, validError: 'x' }],
    [{ name: 'a', start: () => {}, restartPolicy: { maxRestarts: -1 } }],
    [{ name: 'a', start: () => {}, status: () => true }],
  ])('attach of %j throws invalid_option', (given) => {
    expect(codeOf(() => new Supervisor().attach(given as unknown as Child))).toBe('invalid_option');
  });

  it.each([[{ onFailure: 1 }], [{ stopTimeoutMs: -1 }], [{ clock: {} }], [{ random: 1 }], [{ onfailure: () => {} }]])(
    'new Supervisor(%j) throws invalid_option',
    (given) => {
      expect(codeOf(() => new Supervisor(given as never))).toBe('invalid_option');
    },
  );
});

describe('a child', () => {
  it('goes through its states: pending, running, backoff, failed', async () => {
    const { clock, supervisor, child, states, settle } = troupe();
    supervisor.attach(child('a', { start: failing, restartPolicy: { maxRestarts: 1 } }));
    const seen = [states().a];
    supervisor.start();
    seen.push(states().a);
    await settle();
    seen.push(states().a);
    await clock.advance(1000);
    seen.push(states().a);
    expect(seen).toEqual(['pending', 'running', 'backoff', 'failed']);
    expect(supervisor.health()).toEqual({
      a: { state: 'failed', restarts: 1, panics: 0, lastError: new Error('no port') },
    });
    await supervisor.stop();
    expect(states()).toEqual({ a: 'failed' });
    expect(clock.pending).toBe(0);
  });

  it('whose start has resolved is finished: stopped, not restarted, not failed', async () => {
    const failures: unknown[] = [];
    const { clock, supervisor, calls, child, states } = troupe({ onFailure: (failure) => failures.push(failure) });
    supervisor.attach(child('a', { start: () => {}, restartPolicy: {} }));
    supervisor.start();
    await clock.advance(100_000);
    expect(states()).toEqual({ a: 'stopped' });
    expect(calls).toEqual(['0 start a']);
    expect(failures).toEqual([]);
    await supervisor.stop();
  });

  it('counts its panics over all its runs, and shows the last error', async () => {
    const { clock, supervisor, child } = troupe();
    const panicking = () => Promise.reject('kaput');
    supervisor.attach(child('a', { start: inTurn(panicking, failing, panicking, untilAborted), restartPolicy: {} }));
    supervisor.start();
    await clock.advance(7000);
    expect(supervisor.health()).toEqual({
      a: { state: 'running', restarts: 3, panics: 2, lastError: new Error('start panicked: kaput') },
    });
    await supervisor.stop();
  });

  it('is restarted as its own policy says, with the chance of the supervisor', async () => {
    const starts = async (seed: number) => {
      const { clock, supervisor, calls, child } = troupe({ random: seededRandom(seed) });
      supervisor.attach(child('plain', { start: failing }));
      supervisor.attach(child('quick', { start: failing, restartPolicy: { initialBackoffMs: 10, maxRestarts: 2 } }));
      supervisor.attach(child('spread', { start: failing, restartPolicy: { jitter: 'full', maxRestarts: 2 } }));
      supervisor.start();
      await clock.advance(60_000);
      await supervisor.stop();
      return calls;
    };
    const first = await starts(1);
    expect(first.filter((call) => !call.includes('spread'))).toEqual([
      '0 start plain',
      '0 start quick',
      '10 start quick',
      '30 start quick',
    ]);
    expect(await starts(1)).toEqual(first);
    expect(await starts(2)).not.toEqual(first);
  });

  it('whose error its validError accepts has ended, and fails nothing', async () => {
    const failures: unknown[] = [];
    const { supervisor, child, states, settle } = troupe({ onFailure: (failure) => failures.push(failure) });
    supervisor.attach(child('a', { start: failing, validError: (error) => String(error).includes('port') }));
    supervisor.attach(child('b', { start: failing, validError: () => false }));
    supervisor.start();
    await settle();
    expect(states()).toEqual({ a: 'stopped', b: 'failed' });
    expect(failures).toHaveLength(1);
    await supervisor.stop();
  });

  it('that says ready is running all the same, and its functions are called on it', async () => {
    class Mailer {
      readonly name = 'mailer';
      #calls: string[] = [];
      start({ ready, signal }: StartContext) {
        this.#calls.push('start');
        ready();
        return new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      }
      stop() {
        this.#calls.push('stop');
      }
      get calls() {
        return this.#calls;
      }
    }
    const { supervisor, states, settle } = troupe();
    const { start, stop } = Mailer.prototype;
    expect([typeof start, typeof stop]).toEqual(['function', 'function']);
    const mailer = new Mailer();
    supervisor.attach(mailer as Child);
    supervisor.start();
    await settle();
    expect(states()).toEqual({ mailer: 'running' });
    await supervisor.stop();
    expect(mailer.calls).toEqual(['start', 'stop']);
  });

  it('named __proto__ is a child like any other', async () => {
    const { supervisor, child, settle } = troupe();
    supervisor.attach(child('__proto__', { start: failing }));
    supervisor.start();
    await settle();
    expect(Object.keys(supervisor.health())).toEqual(['__proto__']);
    expect(({} as { state?: string }).state).toBeUndefined();
    await supervisor.stop();
  });
});

describe('detach', () => {
  it('stops one child, leaves the others alone, and drops it at once', async () => {
    const { clock, supervisor, calls, child, states } = troupe();
    const stopped = new Deferred();
    supervisor.attach(child('a', { stop: () => stopped.promise }));
    supervisor.attach(child('b'));
    supervisor.start();
    const detached = supervisor.detach('a');
    expect(states()).toEqual({ b: 'running' });
    await clock.advance(100);
    stopped.resolve();
    expect(await detached).toBe(true);
    expect(calls).toEqual(['0 start a', '0 start b', '0 stop a']);
    await supervisor.stop();
    expect(clock.pending).toBe(0);
  });

  it.each([
    [undefined, 5000],
    [{ timeoutMs: 300 }, 300],
  ])('with %j waits no longer than %d ms, and says that it had not settled', async (options, waits) => {
    const { clock, supervisor, child } = troupe();
    supervisor.attach(child('a', { start: never }));
    supervisor.start();
    const detached = supervisor.detach('a', options);
    const end = { at: Number.NaN };
    void detached.then(() => {
      end.at = clock.now();
    });
    await clock.advance(10_000);
    expect(end.at).toBe(waits);
    expect(await detached).toBe(false);
    await supervisor.stop();
    expect(clock.pending).toBe(0);
  });

  it('with a timeout of 0 gives it one turn of the loop', async () => {
    const { supervisor, child } = troupe();
    supervisor.attach(child('a'));
    supervisor.attach(child('b', { start: never }));
    supervisor.start();
    expect(await supervisor.detach('a', { timeoutMs: 0 })).toBe(true);
    expect(await supervisor.detach('b', { timeoutMs: 0 })).toBe(false);
    await supervisor.stop();
  });

  it('of one that backs off ends its backoff, of a failed or finished one drops it, of a pending one starts nothing', async () => {
    const { clock, supervisor, calls, child, settle } = troupe();
    supervisor.attach(child('pending'));
    expect(await supervisor.detach('pending')).toBe(true);
    supervisor.attach(child('backoff', { start: failing, restartPolicy: {} }));
    supervisor.attach(child('failed', { start: failing }));
    supervisor.attach(child('finished', { start: () => {} }));
    supervisor.start();
    await settle();
    for (const name of ['backoff', 'failed', 'finished']) expect(await supervisor.detach(name)).toBe(true);
    await clock.advance(100_000);
    expect(calls.filter((call) => call.includes('start'))).toEqual([
      '0 start backoff',
      '0 start failed',
      '0 start finished',
    ]);
    expect(supervisor.health()).toEqual({});
    expect(clock.pending).toBe(0);
    await supervisor.stop();
  });

  it('refuses wrong options, and then detaches nothing', async () => {
    const { supervisor, child } = troupe();
    supervisor.attach(child('a'));
    for (const options of [{ timeoutMs: -1 }, { timeoutMs: Number.NaN }, { timeout: 5 }]) {
      expect(await rejection(supervisor.detach('a', options as never))).toMatchObject({ code: 'invalid_option' });
    }
    expect(Object.keys(supervisor.health())).toEqual(['a']);
  });

  it('while a stop fails resolves all the same: the child has settled', async () => {
    const { supervisor, child } = troupe();
    supervisor.attach(child('a', { stop: failing }));
    supervisor.start();
    expect(await supervisor.detach('a')).toBe(true);
    await supervisor.stop();
  });
});

describe('stop', () => {
  it('rejects naming the children that had not settled in time and those whose stop failed', async () => {
    const { clock, supervisor, child } = troupe({ stopTimeoutMs: 1000 });
    const error = new Error('no stop');
    supervisor.attach(child('hung', { start: never }));
    supervisor.attach(child('broken', { stop: () => Promise.reject(error) }));
    supervisor.attach(child('fine'));
    supervisor.start();
    const stopped = rejection(supervisor.stop());
    await clock.advance(1000);
    const thrown = await stopped;
    expect(thrown).toBeInstanceOf(AggregateError);
    expect((thrown as AggregateError).message).toBe(
      'children did not finish in time: hung; children whose stop failed: broken',
    );
    expect((thrown as AggregateError).errors).toEqual([error]);
    expect(clock.now()).toBe(1000);
    expect(clock.pending).toBe(0);
  });

  it.each([
    [undefined, undefined, 5000],
    [{ stopTimeoutMs: 300 }, undefined, 300],
    [{ stopTimeoutMs: 300 }, { deadlineMs: 700 }, 700],
    [{ stopTimeoutMs: 300 }, {}, 300],
    [{ stopTimeoutMs: 0 }, undefined, 0],
  ])('with options %j and context %j waits %d ms', async (options, context, waits) => {
    const { clock, supervisor, child } = troupe(options);
    supervisor.attach(child('hung', { start: never }));
    supervisor.start();
    const end = { at: Number.NaN };
    void rejection(supervisor.stop(context)).then(() => {
      end.at = clock.now();
    });
    await clock.advance(10_000);
    expect(end.at).toBe(waits);
    expect(clock.pending).toBe(0);
  });

  it('that nobody awaits is no unhandled rejection', async () => {
    const { supervisor, child, settle } = troupe({ stopTimeoutMs: 0 });
    supervisor.attach(child('hung', { start: never }));
    supervisor.start();
    void supervisor.stop();
    await settle();
    expect(supervisor.readiness().message).toBe('supervisor is stopped');
  });

  it('ends backoffs at once', async () => {
    const { clock, supervisor, child, settle, states } = troupe();
    supervisor.attach(child('a', { start: failing, restartPolicy: {} }));
    supervisor.start();
    await settle();
    await supervisor.stop();
    expect(clock.pending).toBe(0);
    expect(states()).toEqual({ a: 'stopped' });
  });
});

describe('health()', () => {
  it('is a picture of the moment that nobody can change', async () => {
    const { supervisor, child, settle } = troupe();
    const runs = new Runs();
    supervisor.attach(child('a', { start: runs.start }));
    const before = supervisor.health();
    supervisor.start();
    await settle();
    expect(before).toEqual({ a: { state: 'pending', restarts: 0, panics: 0 } });
    expect(Object.isFrozen(before) && Object.isFrozen(before.a)).toBe(true);
    runs.resolve();
    await supervisor.stop();
  });
});
