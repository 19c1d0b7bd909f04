import { HealthControllerError } from '../index.js';

const NAME = /^[\w!#$%&'*+.^`|~-]{1,256}$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
const EXPECTED = 'an object of header names and texts that HTTP allows';

/**
 * The headers to send, their names in lower case.
 * @throws HealthControllerError `invalid_option`; what is refused is not shown: it may be a token
 */
export function readHeaders(at: string, given: unknown): Readonly<Record<string, string>> {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) throw refuse(at);
  // Without a prototype, so that `__proto__` is a name like any other.
  const headers: Record<string, string> = Object.create(null);
  for (const [name, value] of Object.entries(given)) {
    if (!NAME.test(name) || typeof value !== 'string' || !VALUE.test(value)) throw refuse(at);
    headers[name.toLowerCase()] = value;
  }
  return Object.freeze(headers);
}

function refuse(at: string): HealthControllerError {
  return new HealthControllerError(
    'invalid_option',
    `${at}: option "headers": expected ${EXPECTED}, got something else`,
  );
}
