import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { copyData } from '../../src/core/safe-data.js';

const MAX_BYTES = 8 * 1024;
const MAX_LEVELS = 5;

const bytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

function levels(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(levels));
}

function isDeepFrozen(value: unknown): boolean {
  return (
    typeof value !== 'object' || value === null || (Object.isFrozen(value) && Object.values(value).every(isDeepFrozen))
  );
}

/** Everything reachable in a value, with its state of being frozen, so that a change shows. */
function portrait(value: unknown, seen = new Set<unknown>()): unknown {
  if (typeof value !== 'object' || value === null || seen.has(value)) return value;
  seen.add(value);
  const descriptors = Object.getOwnPropertyDescriptors(value);
  return [
    Object.isFrozen(value),
    Object.entries(descriptors).map(([key, descriptor]) => [key, descriptor.get ?? portrait(descriptor.value, seen)]),
  ];
}

/** Has a value that JSON would have stumbled over, and one that is fine beside it. */
const beside = (odd: unknown) => ({ before: 1, odd, after: 'x' });

describe('copyData', () => {
  it('copies JSON values as they are', () => {
    const data = {
      text: 'x',
      zero: 0,
      minus: -1.5,
      yes: true,
      no: false,
      nothing: null,
      list: [1, [2]],
      inner: { a: 1 },
    };
    expect(copyData(data)).toEqual(data);
  });

  it('gives a copy: what happens to the original later does not show', () => {
    const data = { list: [1], inner: { a: 1 } };
    const copy = copyData(data);
    data.list.push(2);
    data.inner.a = 2;
    expect(copy).toEqual({ list: [1], inner: { a: 1 } });
  });

  it('freezes the copy to its depth, and nothing of what was passed in', () => {
    const data = { list: [{ a: 1 }], inner: { deeper: { a: 1 } } };
    expect(isDeepFrozen(copyData(data))).toBe(true);
    expect([data, data.list, data.list[0], data.inner, data.inner.deeper].some(Object.isFrozen)).toBe(false);
  });

  it.each([[null], [undefined], [Symbol('s')], [() => 1]])('is undefined for %s', (data) => {
    expect(copyData(data)).toBeUndefined();
  });

  it.each<[unknown, unknown]>([
    ['a text', 'a text'],
    [0, 0],
    [false, false],
    [12n, '12'],
    [Number.NaN, 'NaN'],
    [
      [1, 2],
      [1, 2],
    ],
  ])('shows %s, which is no object, under the key value', (data, value) => {
    expect(copyData(data)).toEqual({ value });
  });

  it.each<[string, unknown, unknown]>([
    ['a Date', new Date(0), '1970-01-01T00:00:00.000Z'],
    ['what toJSON returns', { hidden: 1, toJSON: () => ({ shown: 2 }) }, { shown: 2 }],
    [
      'its own fields where toJSON returns it',
      {
        shown: 1,
        toJSON() {
          return this;
        },
      },
      { shown: 1 },
    ],
    ['a BigInt', 2n ** 70n, '1180591620717411303424'],
    ['how long a Buffer is', Buffer.from('secret'), '[6 bytes]'],
    ['null for a function in a list', [() => 1, 1], [null, 1]],
  ])('shows %s', (_what, data, shown) => {
    expect(copyData({ data })).toEqual({ data: shown });
  });

  // Case 33: one value that cannot be had costs that value only.
  it.each<[string, unknown]>([
    ['a BigInt', 2n ** 70n],
    ['a function', () => 1],
    ['a symbol', Symbol('s')],
    ['undefined', undefined],
    ['NaN', Number.NaN],
    ['Infinity', Number.POSITIVE_INFINITY],
    ['a Map', new Map([['a', 1]])],
    ['a Date', new Date(0)],
    ['a Date that is no time', new Date(Number.NaN)],
    ['a RegExp', /x/],
    [
      'a class instance with private members',
      new (class Pool {
        #size = 1;
        get size() {
          return this.#size;
        }
      })(),
    ],
    ['an Error', new Error('x')],
    ['a proxy that throws on everything', new Proxy({}, throwing())],
    ['a revoked proxy', revoked()],
    [
      'an object whose toJSON throws',
      {
        toJSON() {
          throw new Error('no');
        },
      },
    ],
    [
      'an object whose toJSON returns itself',
      {
        toJSON() {
          return this;
        },
      },
    ],
    ['an object whose toJSON returns another such object for ever', endless()],
    [
      'an object whose toString throws',
      {
        toString() {
          throw new Error('no');
        },
      },
    ],
    ['a typed array', new Float64Array(3)],
    ['a promise', Promise.resolve(1)],
    ['an object without a prototype', Object.create(null)],
  ])('copies what stands beside %s, and the copy is JSON', (_what, odd) => {
    const copy = copyData(beside(odd));
    expect(copy).toMatchObject({ before: 1, after: 'x' });
    expect(JSON.parse(JSON.stringify(copy))).toEqual(copy);
  });

  it('a getter that throws costs its value only', () => {
    const data = {
      before: 1,
      get broken() {
        throw new Error('no');
      },
      after: 2,
    };
    expect(copyData(data)).toMatchObject({ before: 1, after: 2 });
  });

  it('a circle is cut where it closes', () => {
    const data: Record<string, unknown> = { before: 1 };
    data.self = data;
    data.list = [data];
    const copy = copyData(data);
    expect(copy).toMatchObject({ before: 1 });
    expect(levels(copy)).toBeLessThanOrEqual(MAX_LEVELS);
    expect(bytes(copy)).toBeLessThan(500);
  });

  it('the same object twice, beside each other, is no circle', () => {
    const shared = { a: 1 };
    expect(copyData({ one: shared, two: shared })).toEqual({ one: { a: 1 }, two: { a: 1 } });
  });

  // Case 28.
  it.each(['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty'])(
    'takes %s as a plain key that changes no prototype',
    (key) => {
      const data = JSON.parse(`{ "${key}": { "polluted": true }, "a": 1 }`);
      const copy = copyData(data);
      expect(JSON.parse(JSON.stringify(copy))).toEqual(data);
      expect(Object.keys(copy ?? {})).toEqual([key, 'a']);
      expect(({} as Record<string, unknown>).polluted).toBeUndefined();
      expect((copy as Record<string, unknown>).polluted).toBeUndefined();
    },
  );

  it('keeps five levels and cuts below', () => {
    const nested = (depth: number): unknown => (depth === 0 ? 'end' : { in: nested(depth - 1) });
    expect(copyData(nested(5))).toEqual(nested(5));
    const copy = copyData({ deep: nested(50), flat: 1 });
    expect(levels(copy)).toBe(MAX_LEVELS);
    expect(copy).toMatchObject({ flat: 1 });
    expect(levels(copyData({ list: [[[[[[[1]]]]]]] }))).toBe(MAX_LEVELS);
  });

  it('survives a nesting that would overflow the stack', () => {
    let deep: unknown = 1;
    for (let level = 0; level < 200_000; level += 1) deep = { in: deep };
    expect(levels(copyData({ deep, flat: 1 }))).toBeLessThanOrEqual(MAX_LEVELS);
  });

  it.each<[string, Record<string, unknown>]>([
    ['a long text', { first: 1, text: 'x'.repeat(100_000), last: 2 }],
    ['a long text of wide characters', { first: 1, text: '€'.repeat(5000), last: 2 }],
    ['a text of characters outside the basic plane', { first: 1, text: '🚑'.repeat(5000) }],
    ['a text of lone surrogates', { first: 1, text: '\ud800'.repeat(5000) }],
    ['a text of control characters', { first: 1, text: '\u0001'.repeat(5000) }],
    ['a text of quotation marks', { first: 1, text: '"'.repeat(6000) }],
    ['many texts', { first: 1, list: Array.from({ length: 500 }, () => 'x'.repeat(50)) }],
    ['a long list', { first: 1, list: Array.from({ length: 100_000 }, (_, index) => index) }],
    ['a long list of small lists', { first: 1, list: Array.from({ length: 10_000 }, () => []) }],
    [
      'many keys',
      { first: 1, ...Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`key-${index}`, index])) },
    ],
    ['many nulls', { first: 1, list: Array.from({ length: 10_000 }, () => null) }],
    ['many functions', { first: 1, list: Array.from({ length: 10_000 }, () => () => 1) }],
    ['many typed arrays', { first: 1, list: Array.from({ length: 10_000 }, () => new Uint8Array(9)) }],
    ['many objects that cannot be read', { first: 1, list: Array.from({ length: 5000 }, () => revoked()) }],
    ['a list of itself', selfList()],
    ['many deep lists', { first: 1, list: Array.from({ length: 5000 }, () => [[[[[[1]]]]]]) }],
    ['a long key', { first: 1, ['k'.repeat(20_000)]: 1 }],
    ['a wide typed array', { first: 1, bytes: new Uint8Array(100_000) }],
  ])('keeps %s within 8 KiB of JSON, and what came before it', (_what, data) => {
    const copy = copyData(data);
    expect(bytes(copy)).toBeLessThanOrEqual(MAX_BYTES);
    expect(copy).toMatchObject({ first: 1 });
    expect(JSON.parse(JSON.stringify(copy))).toEqual(copy);
  });

  it('copies just short of 8 KiB whole', () => {
    const data = { text: 'x'.repeat(7500), list: [1, 2, 3] };
    expect(copyData(data)).toEqual(data);
  });

  it('a sparse list of enormous length costs no time in its length', () => {
    const sparse: number[] = [];
    sparse[4_000_000_000] = 1;
    expect(bytes(copyData({ first: 1, sparse }))).toBeLessThanOrEqual(MAX_BYTES);
  });

  it('reads each getter once at most', () => {
    let reads = 0;
    copyData({
      get counted() {
        reads += 1;
        return { a: reads };
      },
    });
    expect(reads).toBe(1);
  });

  it('is JSON within 8 KiB and 5 levels, frozen, whatever is passed in, and leaves that alone', () => {
    const anything = fc.anything({
      withBigInt: true,
      withDate: true,
      withMap: true,
      withSet: true,
      withNullPrototype: true,
      withObjectString: true,
      withSparseArray: true,
      withTypedArray: true,
      withUnicodeString: true,
      withBoxedValues: true,
      maxDepth: 8,
    });
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: 'binary' }), anything), (data) => {
        const before = portrait(data);
        const copy = copyData(data);
        expect(portrait(data)).toEqual(before);
        expect(bytes(copy)).toBeLessThanOrEqual(MAX_BYTES);
        expect(levels(copy)).toBeLessThanOrEqual(MAX_LEVELS);
        expect(isDeepFrozen(copy)).toBe(true);
        expect(JSON.parse(JSON.stringify(copy))).toEqual(copy);
      }),
    );
  });

  it('is the same value for any JSON that is small and flat enough', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 })), (data) => {
        const plain = JSON.parse(JSON.stringify(data));
        fc.pre(bytes(plain) < 4096 && levels(plain) <= MAX_LEVELS);
        expect(JSON.parse(JSON.stringify(copyData(plain)))).toEqual(plain);
      }),
    );
  });
});

function endless(): object {
  return { toJSON: endless };
}

function selfList(): Record<string, unknown> {
  const list: unknown[] = [];
  for (let index = 0; index < 5000; index += 1) list.push(list);
  return { first: 1, list };
}

function throwing(): ProxyHandler<object> {
  const no = () => {
    throw new Error('no');
  };
  return { get: no, has: no, ownKeys: no, getOwnPropertyDescriptor: no, getPrototypeOf: no };
}

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}
