import { invalidOption } from '../../kit.js';

/** An http or https URL, or undefined. Never throws. */
export function parseHttpUrl(value: unknown): URL | undefined {
  if (!(value instanceof URL) && typeof value !== 'string') return undefined;
  const url = URL.canParse(String(value)) ? new URL(value) : undefined;
  return url?.protocol === 'http:' || url?.protocol === 'https:' ? url : undefined;
}

/** The same where there must be one. What came is not repeated: it may hold a credential. */
export function httpUrl(at: string, value: unknown): URL {
  const url = parseHttpUrl(value);
  if (url === undefined)
    throw invalidOption(at, 'an http or https URL', typeof value === 'string' ? 'another text' : value);
  return url;
}
