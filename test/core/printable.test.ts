import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clip, errorText, isErrorLike, printable } from '../../src/core/printable.js';

describe('clip', () => {
  it('leaves what is short enough, and marks where it cut', () => {
    expect(clip('abc', 3)).toBe('abc');
    expect(clip('abcd', 3)).toBe('abc…');
    expect(clip('x'.repeat(1024))).toBe('x'.repeat(1024));
    expect(clip('x'.repeat(1025))).toBe(`${'x'.repeat(1024)}…`);
  });
});

describe('printable', () => {
  it.each<[unknown, string]>([
    ['text', 'text'],
    [undefined, 'undefined'],
    [null, 'null'],
    [-0.5, '-0.5'],
    [Number.NaN, 'NaN'],
    [10n, '10'],
    [Symbol('why'), 'Symbol(why)'],
    [{ a: [1] }, '{"a":[1]}'],
    [[1, 'a'], '[1,"a"]'],
    [new Error('boom'), 'boom'],
  ])('%o is printed', (value, text) => {
    expect(printable(value)).toBe(text);
  });

  it('is a text of bounded length, whatever the value', () => {
    fc.assert(
      fc.property(fc.anything({ withBigInt: true, withNullPrototype: true, withTypedArray: true }), (value) => {
        expect(printable(value).length).toBeLessThanOrEqual(1025);
      }),
    );
    expect(printable('x'.repeat(10_000)).length).toBeLessThanOrEqual(1025);
    expect(printable({ a: 'x'.repeat(10_000) }).length).toBeLessThanOrEqual(1025);
    expect(printable(Symbol('x'.repeat(10_000))).length).toBeLessThanOrEqual(1025);
  });
});

describe('isErrorLike', () => {
  it.each<[string, unknown, boolean]>([
    ['an Error', new Error('x'), true],
    ['a subclass', new TypeError('x'), true],
    ['an Error from another realm', runInNewContext('new Error("x")'), true],
    ['a DOMException', new DOMException('x', 'AbortError'), true],
    ['an object of the same shape', { name: 'Error', message: 'x', stack: '' }, false],
    ['a text', 'Error: x', false],
    ['null', null, false],
    ['undefined', undefined, false],
  ])('%s: %s', (_what, value, expected) => {
    expect(isErrorLike(value)).toBe(expected);
  });

  it('never throws', () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    expect(isErrorLike(proxy)).toBe(false);
  });
});

describe('errorText', () => {
  it.each<[string, Error, string]>([
    ['the message', new Error('boom'), 'boom'],
    ['the name where there is no message', new RangeError(), 'RangeError'],
    ['Error where there is neither', Object.assign(new Error(), { name: '' }), 'Error'],
    ['the name where the message is no text', Object.assign(new Error('x'), { message: 5 }), 'Error'],
  ])('is %s', (_what, error, text) => {
    expect(errorText(error)).toBe(text);
  });
});
