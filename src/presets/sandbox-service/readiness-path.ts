import { checkValue, where } from '../../kit.js';

const MAX_BYTES = 1024;
const UNSAFE = /[\s\p{Cc}\p{Surrogate}?#]/u;
/** Where a client might look for another host than ours. */
const OTHER_HOST = /^\/[/\\]/;

const EXPECTED =
  `a path that begins with one "/", is at most ${MAX_BYTES} bytes of UTF-8, and has no query, fragment, ` +
  'whitespace, control character or other host';

/**
 * The path that a readiness check asks for, as it is kept and shown: an empty one is `/`, nothing else is changed or
 * normalised (seed 001).
 * @throws HealthControllerError `invalid_option`
 */
export function readinessPath(at: string, given: unknown): string {
  if (given === undefined || given === '') return '/';
  checkValue(at, where(isReadinessPath, EXPECTED), given);
  return given as string;
}

function isReadinessPath(value: unknown): boolean {
  if (typeof value !== 'string' || !value.startsWith('/')) return false;
  // The length first: it bounds what the expressions have to look at.
  if (value.length > MAX_BYTES || new TextEncoder().encode(value).length > MAX_BYTES) return false;
  return !UNSAFE.test(value) && !OTHER_HOST.test(value);
}

/** The path as it is sent: only what is not ASCII is percent-encoded. */
export function sentPath(path: string): string {
  return path.replaceAll(/\P{ASCII}+/gu, encodeURIComponent);
}
