import { validateHeaderName, validateHeaderValue } from 'node:http';
import { HealthControllerError } from '../index.js';

/** The URL to ask. What is refused is not shown: it may hold a password. */
export function readUrl(at: string, given: unknown): URL {
  const expected = 'an absolute http: or https: URL';
  const isUrl = given instanceof URL || (typeof given === 'string' && URL.canParse(given));
  if (!isUrl) throw refuse(at, 'url', expected);
  const url = new URL(given);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw refuse(at, 'url', expected);
  try {
    decodeURIComponent(url.username + url.password);
  } catch {
    throw refuse(at, 'url', `${expected} whose user and password are percent-encoded`);
  }
  return url;
}

/** The headers to send, their names in lower case. What is refused is not shown. */
export function readHeaders(at: string, given: unknown): Readonly<Record<string, string>> {
  const expected = 'an object of header names and texts';
  if (typeof given !== 'object' || given === null || Array.isArray(given)) throw refuse(at, 'headers', expected);
  // Without a prototype, so that `__proto__` is a name like any other.
  const headers: Record<string, string> = Object.create(null);
  headers['user-agent'] = 'health-controller';
  for (const [name, value] of Object.entries(given)) {
    try {
      validateHeaderName(name);
      validateHeaderValue(name, value);
    } catch {
      throw refuse(at, 'headers', `${expected} that HTTP allows`);
    }
    if (typeof value !== 'string') throw refuse(at, 'headers', expected);
    headers[name.toLowerCase()] = value;
  }
  return Object.freeze(headers);
}

function refuse(at: string, option: string, expected: string): HealthControllerError {
  return new HealthControllerError(
    'invalid_option',
    `${at}: option "${option}": expected ${expected}, got something else`,
  );
}
