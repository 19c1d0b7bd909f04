/** What an option takes, what it does not, and what it says that it expects. */
export interface Kind {
  readonly expected: RegExp;
  readonly takes: readonly unknown[];
  readonly refuses: readonly unknown[];
}

const MAX_MS = 2 ** 31 - 1;
const NO_NUMBER = ['5000', '', null, true, false, {}, [], [5], 5n, Symbol('s'), () => 5, new Date(0), Object(5)];
const NO_DURATION = [...NO_NUMBER, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -1, -0.001, 2 ** 31];
const NO_COUNT = [...NO_NUMBER, Number.NaN, Number.NEGATIVE_INFINITY, -1, 1.5];

export const durationFrom0: Kind = {
  expected: /milliseconds from 0 to 2147483647/,
  takes: [0, 1, 0.5, MAX_MS],
  refuses: NO_DURATION,
};

export const durationFrom1: Kind = {
  expected: /milliseconds from 1 to 2147483647/,
  takes: [1, 1.5, MAX_MS],
  refuses: [...NO_DURATION, 0, -0, 0.5],
};

export const countFrom0: Kind = {
  expected: /whole number of at least 0/,
  takes: [0, 1, 1000],
  refuses: [...NO_COUNT, Number.POSITIVE_INFINITY],
};

export const countFrom1: Kind = {
  expected: /whole number of at least 1/,
  takes: [1, 2, 1000],
  refuses: [...NO_COUNT, 0, Number.POSITIVE_INFINITY],
};

export const countOrInfinity: Kind = {
  expected: /whole number of at least 0/,
  takes: [0, 1, Number.POSITIVE_INFINITY],
  refuses: NO_COUNT,
};

export const share: Kind = {
  expected: /a number from 0 to 1/,
  takes: [0, 0.5, 1],
  refuses: [...NO_NUMBER, Number.NaN, Number.POSITIVE_INFINITY, -0.1, 1.001],
};

export const factor: Kind = {
  expected: /a number of at least 1/,
  takes: [1, 1.5, 1e300],
  refuses: [...NO_NUMBER, Number.NaN, Number.POSITIVE_INFINITY, 0, 0.99, -2],
};

export const flag: Kind = {
  expected: /true or false/,
  takes: [true, false],
  refuses: [0, 1, 'true', 'false', '', null, {}, Number.NaN],
};

export const fn: Kind = {
  expected: /a function/,
  takes: [() => true, async () => true, function named() {}],
  refuses: [0, 'f', null, true, {}, []],
};

/** A function that must be there. */
export const neededFn: Kind = { ...fn, refuses: [...fn.refuses, undefined] };

export const oneOf = (...values: string[]): Kind => ({
  expected: new RegExp(values.join('.*')),
  takes: values,
  // Misspelt, padded, of another case, of another type.
  refuses: [
    ...values.flatMap((value) => [value.slice(0, -1), `${value} `, value.toUpperCase(), [value]]),
    ...['', '__proto__', 'toString', null, 0, true],
  ],
});

export const abortSignal: Kind = {
  expected: /an AbortSignal/,
  takes: [new AbortController().signal, AbortSignal.abort()],
  refuses: [{}, new AbortController(), true, 'SIGTERM', null, 5],
};

const nothing = () => {};

export const logger: Kind = {
  expected: /debug, info, warn, error/,
  takes: [console, { debug: nothing, info: nothing, warn: nothing, error: nothing }],
  refuses: [{}, { debug: nothing, info: nothing, warn: nothing }, nothing, 'console', null, { debug: 1, info: 1 }],
};

export const clock: Kind = {
  expected: /now, wall, setTimeout, clearTimeout, nextTurn/,
  takes: [{ now: nothing, wall: nothing, setTimeout: nothing, clearTimeout: nothing, nextTurn: nothing }],
  refuses: [{}, Date, performance, null, 0],
};

export const nameList: Kind = {
  expected: /a list of names/,
  takes: [[], ['a'], ['a', 'b'], ['__proto__']],
  refuses: ['a', [1], [null], { 0: 'a' }, null, new Set(['a']), 0],
};

export const nested: Kind = { expected: /an object/, takes: [{}], refuses: [true, 3, 'always', null, []] };
