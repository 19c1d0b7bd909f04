import { describe, expect, it } from 'vitest';
import { type CheckReturn, healthy, type ProbeFunction, unhealthy } from '../../src/index.js';
import { bench, entryOf } from './support/bench.js';
import { turns } from './support/deferred.js';
import { expectNothingUnhandled } from './support/rejections.js';

type Settle = (value?: unknown) => void;

/** Something to wait for that is no promise. */
const thenable = (then: (resolve: Settle, reject: Settle) => unknown): unknown => withThen({}, then);

function withThen(target: object, then: unknown): unknown {
  return Object.defineProperty(target, 'then', { value: then });
}

const promiseWith = (property: PropertyKey, descriptor: PropertyDescriptor): unknown =>
  Object.defineProperty(Promise.resolve(true), property, descriptor);

const throws = (value: unknown) => () => {
  throw value;
};

async function runOf(value: unknown) {
  const at = bench();
  let runs = 0;
  at.check({
    timeoutMs: 100,
    check: (() => {
      runs += 1;
      return value;
    }) as ProbeFunction,
  });
  at.controller.start();
  const entry = entryOf(at.controller);
  await at.clock.advance(100);
  const found = await entry;
  // Whatever it does afterwards is nobody's business.
  await at.clock.advance(1000);
  expect(runs).toBe(1);
  expect(at.controller.checkResult('db')?.reason).toBe(found?.reason);
  return found;
}

describe('a thenable', () => {
  expectNothingUnhandled();

  const rows: readonly (readonly [what: string, value: unknown, status: string, reason: string | undefined])[] = [
    ['that resolves later', thenable((resolve) => void turns(1).then(() => resolve(true))), 'OK', undefined],
    [
      'that rejects later',
      thenable((_, reject) => void turns(1).then(() => reject(new Error('x')))),
      'ERROR',
      'failed',
    ],
    ['that resolves synchronously', thenable((resolve) => resolve(healthy())), 'OK', undefined],
    ['that rejects synchronously', thenable((_, reject) => reject(new Error('x'))), 'ERROR', 'failed'],
    ['that rejects with a panic', thenable((_, reject) => reject('x')), 'ERROR', 'panicked'],
    ['that resolves with false', thenable((resolve) => resolve(false)), 'ERROR', 'failed'],
    ['that resolves with no result', thenable((resolve) => resolve(1)), 'ERROR', 'invalid_result'],
    ['whose then throws an Error', thenable(throws(new Error('x'))), 'ERROR', 'failed'],
    ['whose then throws undefined', thenable(throws(undefined)), 'ERROR', 'panicked'],
    [
      'whose then throws after it has resolved',
      thenable((resolve) => {
        resolve(true);
        throw new Error('x');
      }),
      'OK',
      undefined,
    ],
    [
      'that resolves twice',
      thenable((resolve) => {
        resolve(true);
        resolve(unhealthy('second', undefined, 'second'));
      }),
      'OK',
      undefined,
    ],
    [
      'that resolves and then rejects',
      thenable((resolve, reject) => {
        resolve(true);
        reject(new Error('x'));
        void turns(2).then(() => reject(new Error('y')));
      }),
      'OK',
      undefined,
    ],
    [
      'that rejects and then resolves',
      thenable((resolve, reject) => {
        reject(new Error('x'));
        resolve(true);
      }),
      'ERROR',
      'failed',
    ],
    ['that resolves with a promise', thenable((resolve) => resolve(Promise.resolve(true))), 'OK', undefined],
    [
      'that resolves with a thenable',
      thenable((resolve) => resolve(thenable((inner) => inner(true)))),
      'OK',
      undefined,
    ],
    [
      'that resolves with a promise that rejects',
      thenable((resolve) => resolve(Promise.reject(new Error('x')))),
      'ERROR',
      'failed',
    ],
    [
      'that resolves with a thenable whose then throws',
      thenable((resolve) => resolve(thenable(throws('x')))),
      'ERROR',
      'panicked',
    ],
    ['that never settles', thenable(() => undefined), 'ERROR', 'timeout'],
    [
      'that is a function',
      withThen(
        () => 1,
        (resolve: Settle) => resolve(true),
      ),
      'OK',
      undefined,
    ],
    ['whose then is no function, which is no thenable,', withThen({}, true), 'ERROR', 'invalid_result'],
    ['that is a promise whose then throws', promiseWith('then', { value: throws(new Error('x')) }), 'ERROR', 'failed'],
    ['that is a promise whose then never calls back', promiseWith('then', { value: () => 1 }), 'ERROR', 'timeout'],
    [
      'that is a promise whose then getter throws',
      promiseWith('then', { get: throws(new Error('x')) }),
      'ERROR',
      'failed',
    ],
    [
      // Pins: the run ended, but the report that waited for it never did.
      'that is a promise whose constructor getter throws',
      promiseWith('constructor', { get: throws(new Error('x')) }),
      'ERROR',
      'failed',
    ],
    ['that is a promise with a constructor of nonsense', promiseWith('constructor', { value: 5 }), 'ERROR', 'failed'],
  ];

  it.each(rows.map(([what, value, status, reason]) => ({ what, value, status, reason: reason ?? 'none' })))(
    '$what is $status, reason $reason',
    async ({ value, status, reason }) => {
      const entry = await runOf(value);
      expect([entry?.status, entry?.reason ?? 'none']).toEqual([status, reason]);
    },
  );

  it('whose then getter throws is a failure, a panic when it throws no Error', async () => {
    expect(await runOf(Object.defineProperty({}, 'then', { get: throws(new Error('x')) }))).toMatchObject({
      error: 'x',
      reason: 'failed',
    });
    expect(await runOf(Object.defineProperty({}, 'then', { get: throws(null) }))).toMatchObject({
      error: 'health check panicked: null',
      reason: 'panicked',
    });
  });

  it('of a class of promises of its own is waited for as it settles', async () => {
    class Lazy<Value> extends Promise<Value> {}
    expect(await runOf(Lazy.resolve(degradedLater()))).toMatchObject({ status: 'DEGRADED', error: 'slow' });
    expect(await runOf(Lazy.reject(new Error('x')))).toMatchObject({ status: 'ERROR', error: 'x' });
  });

  it('is never answered synchronously, so that no run is recorded while it begins', async () => {
    const at = bench();
    const order: string[] = [];
    at.controller.on('check', () => order.push('recorded'));
    at.check({
      intervalMs: 1000,
      check: () => {
        queueMicrotask(() => order.push('begun'));
        return thenable((resolve) => resolve(true)) as PromiseLike<CheckReturn>;
      },
    });
    at.controller.start();
    expect(order).toEqual([]);
    await turns();
    expect(order).toEqual(['begun', 'recorded']);
  });
});

async function degradedLater(): Promise<CheckReturn> {
  await turns(1);
  return { status: 'degraded', message: 'slow' };
}
