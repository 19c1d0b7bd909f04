import * as z from 'zod/mini';
import { HealthControllerError } from '../core/errors.js';
import { printable } from '../core/printable.js';

/** The largest delay that Node's timers take. */
const MAX_MS = 2_147_483_647;

/** A schema whose messages say what was expected: the sentence is made around them. */
export type Expecting = z.ZodMiniType;
export type Shape = Readonly<Record<string, Expecting>>;

/** A duration in milliseconds of at least `min`. */
export function duration(min: 0 | 1): z.ZodMiniNumber {
  const expected = `a number of milliseconds from ${min} to ${MAX_MS}`;
  return z.number(expected).check(z.gte(min, expected), z.lte(MAX_MS, expected));
}

/** A whole number of at least `min`. */
export function count(min: number): z.ZodMiniNumber {
  const expected = `a whole number of at least ${min}`;
  return z.number(expected).check(z.int(expected), z.gte(min, expected));
}

/** A number of at least `min`, finite. */
export function factor(min: number): z.ZodMiniNumber {
  const expected = `a number of at least ${min}`;
  return z.number(expected).check(z.gte(min, expected));
}

export function share(): z.ZodMiniNumber {
  const expected = 'a number from 0 to 1';
  return z.number(expected).check(z.gte(0, expected), z.lte(1, expected));
}

export const flag = (): Expecting => z.boolean('true or false');

export const oneOf = (...values: readonly string[]): Expecting =>
  where((value) => typeof value === 'string' && values.includes(value), list(values));

export const callable = (): Expecting => where((value) => typeof value === 'function', 'a function');

/** An object, of whatever class, that has these methods. */
export function having(...methods: readonly string[]): Expecting {
  const holds = (value: unknown): boolean =>
    isObject(value) && methods.every((name) => typeof value[name] === 'function');
  return where(holds, `an object with the methods ${methods.join(', ')}`);
}

/** A `Clock`. */
export const clockPort = (): Expecting => having('now', 'wall', 'setTimeout', 'clearTimeout', 'nextTurn');

/** A `Logger`. */
export const loggerPort = (): Expecting => having('debug', 'info', 'warn', 'error');

export const abortSignal = (): Expecting =>
  where(
    (value) => isObject(value) && typeof value.aborted === 'boolean' && typeof value.addEventListener === 'function',
    'an AbortSignal',
  );

const CONTROL = /\p{Cc}/u;

/** A name of a service, a check or a hold. */
export const entryName = (): Expecting => where(isName, 'a string of 1 to 256 characters without control characters');

export function isName(value: unknown): boolean {
  return typeof value === 'string' && value.length > 0 && value.length <= 256 && !CONTROL.test(value);
}

export const names = (): Expecting =>
  where((value) => Array.isArray(value) && value.every((name) => typeof name === 'string'), 'a list of names');

export function where(holds: (value: unknown) => boolean, expected: string): Expecting {
  return z.custom((value) => holds(value), expected);
}

function list(values: readonly string[]): string {
  return values.map((value) => `'${value}'`).join(' or ');
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** Says what was expected, what came, and where. */
export function invalidOption(at: string, expected: string, got: unknown): HealthControllerError {
  const came = typeof got === 'string' ? JSON.stringify(got.slice(0, 100)) : printable(got).slice(0, 100);
  return new HealthControllerError('invalid_option', `${at}: expected ${expected}, got ${came}`);
}

/** One value, as in `hold(name)`. */
export function checkValue(at: string, schema: Expecting, value: unknown): void {
  const parsed = z.safeParse(schema, value);
  if (!parsed.success) throw invalidOption(at, parsed.error.issues[0]?.message ?? 'another value', value);
}

/**
 * Reads the known options of `given`, which may be an instance of a class, and checks them; `required` ones must be
 * there. Unknown keys of a plain object are an error. What was given is used, not a copy that a parser made.
 */
export function readOptions(
  at: string,
  shape: Shape,
  given: unknown,
  required: readonly string[] = [],
): Readonly<Record<string, unknown>> {
  if (!isObject(given) || Array.isArray(given)) throw invalidOption(at, 'an object of options', given);
  refuseUnknown(at, shape, given);
  const values: Record<string, unknown> = {};
  for (const [key, schema] of Object.entries(shape)) {
    const value = given[key];
    if (value === undefined && !required.includes(key)) continue;
    checkValue(`${at}: option "${key}"`, schema, value);
    values[key] = value;
  }
  return values;
}

function refuseUnknown(at: string, shape: Shape, given: object): void {
  const prototype: unknown = Object.getPrototypeOf(given);
  if (prototype !== Object.prototype && prototype !== null) return;
  const known = Object.keys(shape);
  for (const key of Object.keys(given)) {
    if (known.includes(key)) continue;
    const near = known.find((candidate) => candidate.toLowerCase().startsWith(key.toLowerCase().slice(0, 5)));
    const hint = near === undefined ? '' : ` (is "${near}" meant?)`;
    const expected = `only the options ${known.join(', ')}`;
    throw new HealthControllerError(
      'invalid_option',
      `${at}: unknown option "${key.slice(0, 100)}"${hint}; expected ${expected}`,
    );
  }
}

/** A function that is called on the object it was given on. */
export function onObject<Fn extends (...args: never[]) => unknown>(fn: Fn, given: unknown): Fn {
  return fn.bind(given) as Fn;
}
