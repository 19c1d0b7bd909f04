import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  degraded,
  healthy,
  readReturn,
  readThrown,
  TIMED_OUT,
  unhealthy,
  type Verdict,
} from '../../src/core/check-result.js';

const verdict = (status: Verdict['status'], message?: string, reason?: string, data?: Verdict['data']): Verdict => ({
  status,
  message,
  data,
  reason,
});

describe('the result functions', () => {
  it('make results with what was given and nothing else', () => {
    expect(healthy()).toStrictEqual({ status: 'healthy' });
    expect(healthy('fine')).toStrictEqual({ status: 'healthy', message: 'fine' });
    expect(healthy('fine', { a: 1 })).toStrictEqual({ status: 'healthy', message: 'fine', data: { a: 1 } });
    expect(healthy(undefined, { a: 1 })).toStrictEqual({ status: 'healthy', data: { a: 1 } });
    expect(degraded('slow')).toStrictEqual({ status: 'degraded', message: 'slow' });
    expect(degraded('slow', { ms: 900 }, 'latency')).toStrictEqual({
      status: 'degraded',
      message: 'slow',
      data: { ms: 900 },
      reason: 'latency',
    });
    expect(unhealthy('gone')).toStrictEqual({ status: 'unhealthy', message: 'gone' });
    expect(unhealthy('gone', undefined, 'connect')).toStrictEqual({
      status: 'unhealthy',
      message: 'gone',
      reason: 'connect',
    });
  });

  it('leave the data that they were given as it is', () => {
    const data = { inner: { a: 1 } };
    for (const result of [healthy('', data), degraded('', data), unhealthy('', data)]) expect(result.data).toBe(data);
    expect(Object.isFrozen(data)).toBe(false);
  });
});

describe('what is returned', () => {
  it.each<[unknown, Verdict]>([
    [undefined, verdict('healthy')],
    [true, verdict('healthy')],
    [false, verdict('unhealthy', 'check returned false', 'failed')],
    [healthy(), verdict('healthy')],
    [healthy('fine', { a: 1 }), verdict('healthy', 'fine', undefined, { a: 1 })],
    [degraded('slow'), verdict('degraded', 'slow')],
    [degraded('slow', { a: 1 }, 'latency'), verdict('degraded', 'slow', 'latency', { a: 1 })],
    [unhealthy('gone'), verdict('unhealthy', 'gone', 'failed')],
    [unhealthy('gone', { a: 1 }, 'connect'), verdict('unhealthy', 'gone', 'connect', { a: 1 })],
    // Recognised by shape: made by hand, by another copy of the package, by a class of the user's own.
    [{ status: 'degraded', message: 'slow' }, verdict('degraded', 'slow')],
    [Object.assign(Object.create(null), { status: 'healthy' }), verdict('healthy')],
    [
      new (class {
        readonly status = 'healthy';
      })(),
      verdict('healthy'),
    ],
    [Object.freeze({ status: 'unhealthy', message: 'gone' }), verdict('unhealthy', 'gone', 'failed')],
  ])('%o is read', (value, expected) => {
    expect(readReturn(value)).toEqual(expected);
  });

  // Case 26: what is no result is never taken for a healthy one.
  it.each<[unknown]>([
    [null],
    [{}],
    [[]],
    [0],
    [1],
    ['healthy'],
    [''],
    [Number.NaN],
    [1n],
    [Symbol('healthy')],
    [() => true],
    [new Date(0)],
    [{ status: 'OK' }],
    [{ status: 'up' }],
    [{ status: 'Healthy' }],
    [{ status: 'unhealty' }],
    [{ status: ['healthy'] }],
    [{ status: 'toString' }],
    [{ status: '__proto__' }],
    [{ status: undefined }],
    [{ healthy: true }],
    [{ ok: true }],
    [new Boolean(true)],
  ])('%o is unhealthy, reason invalid_result, and the message says what came', (value) => {
    const read = readReturn(value);
    expect(read).toMatchObject({ status: 'unhealthy', reason: 'invalid_result', data: undefined });
    expect(read.message).toMatch(/./);
    expect(read.message?.length).toBeLessThan(1200);
  });

  it('a status that cannot be read is unhealthy', () => {
    const result = {
      get status() {
        throw new Error('no');
      },
    };
    expect(readReturn(result).status).toBe('unhealthy');
    expect(readReturn(revoked()).status).toBe('unhealthy');
  });

  it.each(['message', 'data', 'reason'])('a %s that cannot be read never makes it healthy, nor throws', (field) => {
    const result = Object.defineProperty({ status: 'unhealthy', message: 'gone' }, field, {
      get() {
        throw new Error('no');
      },
    });
    expect(readReturn(result)).toMatchObject({ status: 'unhealthy', reason: expect.stringMatching(/^[a-z_]+$/) });
  });

  it('reads each field once, so that one that changes its mind is taken at its word', () => {
    let reads = 0;
    const result = {
      get status() {
        reads += 1;
        return reads === 1 ? 'unhealthy' : 'healthy';
      },
    };
    expect(readReturn(result).status).toBe('unhealthy');
    expect(reads).toBe(1);
  });

  it.each([
    'Connect',
    'has space',
    'postgres://app:secret@db',
    '1st',
    '_private',
    '',
    'a'.repeat(41),
    'tls\n',
    'größe',
    'a-b',
  ])('a reason %j that is not safe to publish shows as invalid_reason and changes no state', (reason) => {
    for (const result of [healthy('fine'), degraded('slow'), unhealthy('gone')]) {
      expect(readReturn({ ...result, reason })).toMatchObject({ status: result.status, reason: 'invalid_reason' });
    }
  });

  it('a reason that is no text shows as invalid_reason', () => {
    expect(readReturn({ ...degraded('slow'), reason: 5 })).toMatchObject({
      status: 'degraded',
      reason: 'invalid_reason',
    });
  });

  it.each(['a', 'tls', 'http_status', 'pool_exhausted', 'h2', 'a'.repeat(40)])('a reason %j is published', (reason) => {
    expect(readReturn(unhealthy('gone', undefined, reason)).reason).toBe(reason);
    expect(readReturn(degraded('slow', undefined, reason)).reason).toBe(reason);
  });

  it.each<[string, unknown]>([
    ['a number', 5],
    ['null', null],
    ['an object', { a: 1 }],
    ['a symbol', Symbol('s')],
  ])('a message that is %s makes it no result', (_what, message) => {
    for (const status of ['healthy', 'degraded', 'unhealthy']) {
      expect(readReturn({ status, message })).toMatchObject({ status: 'unhealthy', reason: 'invalid_result' });
    }
  });

  it('what is degraded or unhealthy without a message says that much', () => {
    expect(readReturn({ status: 'degraded' }).message).toBe('degraded');
    expect(readReturn({ status: 'unhealthy' }).message).toBe('unhealthy');
  });

  it('cuts a message of a megabyte', () => {
    expect(readReturn(unhealthy('x'.repeat(2 ** 20))).message?.length).toBeLessThan(2000);
  });

  it('copies the data', () => {
    const data = { list: [1] };
    const read = readReturn(healthy('fine', data));
    data.list.push(2);
    expect(read.data).toEqual({ list: [1] });
    expect(Object.isFrozen(data)).toBe(false);
  });

  it('never throws, and calls healthy nothing but undefined, true and results that say so', () => {
    fc.assert(
      fc.property(fc.anything({ withBigInt: true, withNullPrototype: true, withBoxedValues: true }), (value) => {
        const read = readReturn(value);
        const says = typeof value === 'object' && value !== null && 'status' in value ? value.status : value;
        if (read.status === 'healthy') expect([undefined, true, 'healthy']).toContain(says);
        if (read.status === 'unhealthy') expect(read.reason).toMatch(/^[a-z][a-z0-9_]{0,39}$/);
      }),
    );
  });
});

describe('what is thrown', () => {
  it.each<[string, unknown, string]>([
    ['an Error', new Error('boom'), 'boom'],
    ['a subclass of Error', new TypeError('not a function'), 'not a function'],
    ['an Error from another realm', runInNewContext('new RangeError("far away")'), 'far away'],
    ['an Error without a message', new RangeError(), 'RangeError'],
    ['a frozen Error', Object.freeze(new Error('cold')), 'cold'],
    ['an AbortError', new DOMException('This operation was aborted', 'AbortError'), 'This operation was aborted'],
    ['an AggregateError', new AggregateError([new Error('a')], 'all failed'), 'all failed'],
  ])('%s is unhealthy with its message', (_what, error, message) => {
    for (const label of ['probe', 'health check'] as const) {
      expect(readThrown(error, label)).toEqual(verdict('unhealthy', message, 'failed'));
    }
  });

  it('an Error whose message cannot be read is unhealthy with a message that says so', () => {
    const error = new Error('x');
    Object.defineProperty(error, 'message', {
      get() {
        throw new Error('no');
      },
    });
    const read = readThrown(error, 'probe');
    expect(read).toMatchObject({ status: 'unhealthy', reason: 'failed' });
    expect(read.message).toMatch(/message cannot be read/);
  });

  it.each<[string, unknown, string]>([
    ['a text', 'boom', 'boom'],
    ['an empty text', '', ''],
    ['null', null, 'null'],
    ['undefined', undefined, 'undefined'],
    ['a number', 42, '42'],
    ['false', false, 'false'],
    ['a BigInt', 7n, '7'],
    ['a symbol', Symbol('s'), 'Symbol(s)'],
    ['a frozen object', Object.freeze({ code: 'E1' }), '{"code":"E1"}'],
    ['an object with a toString of its own', { toString: () => 'mine' }, 'mine'],
  ])('%s is a panic', (_what, value, text) => {
    expect(readThrown(value, 'probe')).toEqual(verdict('unhealthy', `probe panicked: ${text}`, 'panicked'));
    expect(readThrown(value, 'health check')).toEqual(
      verdict('unhealthy', `health check panicked: ${text}`, 'panicked'),
    );
  });

  it.each<[string, unknown]>([
    [
      'an object whose toString throws',
      {
        toString: () => {
          throw new Error('no');
        },
      },
    ],
    ['an object whose toString returns an object', { toString: () => ({}) }],
    ['an object without a prototype', Object.create(null)],
    ['a circle', circle()],
    ['a revoked proxy', revoked()],
    ['a function', () => 1],
    ['a class', class Boom {}],
    [
      'an object whose toJSON throws',
      {
        toJSON: () => {
          throw new Error('no');
        },
      },
    ],
  ])('%s is a panic with some text', (_what, value) => {
    const read = readThrown(value, 'health check');
    expect(read).toMatchObject({ status: 'unhealthy', reason: 'panicked' });
    expect(read.message).toMatch(/^health check panicked: ./);
  });

  it('cuts what is long', () => {
    expect(readThrown('x'.repeat(2 ** 20), 'probe').message?.length).toBeLessThan(2000);
    expect(readThrown(new Error('x'.repeat(2 ** 20)), 'probe').message?.length).toBeLessThan(2000);
    expect(readThrown({ text: 'x'.repeat(2 ** 20) }, 'probe').message?.length).toBeLessThan(2000);
  });

  it('never throws and is always unhealthy', () => {
    fc.assert(
      fc.property(fc.anything({ withBigInt: true, withNullPrototype: true }), (value) => {
        const read = readThrown(value, 'probe');
        expect(read.status).toBe('unhealthy');
        expect(typeof read.message).toBe('string');
      }),
    );
  });
});

describe('a run that outlived its timeout', () => {
  it('is unhealthy, with the words of a probe or of a check', () => {
    expect(TIMED_OUT).toEqual({
      probe: verdict('unhealthy', 'probe timed out', 'timeout'),
      'health check': verdict('unhealthy', 'health check timed out', 'timeout'),
    });
  });
});

function circle(): object {
  const value: Record<string, unknown> = {};
  value.self = value;
  return value;
}

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}
