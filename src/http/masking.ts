import type { JsonValue } from '../index.js';

const MASK = '***';

/** What ends the authority of a URL, in a text where it may be quoted. */
const ENDS_AUTHORITY = /[/?#\\"'`<>]/;

/** Parameters whose values open something. */
const SECRET_PARAMETER =
  /([?&;][\w.-]{0,40}?(?:passw(?:or)?d|pwd|secret|token|api[-_]?key|credential|signature|sig)[\w.-]{0,40}=)[^&;\s"'`<>#]+/gi;

/**
 * Masks what opens something in the URLs of a text: user and password, and parameters such as `password` and `token`.
 * Also a password with characters that should have been encoded, and one of a text that was cut off before its `@`.
 * Takes linear time.
 */
export function maskCredentials(text: string): string {
  return text.includes('://') ? text.replace(/\S+/g, maskWord).replace(SECRET_PARAMETER, `$1${MASK}`) : text;
}

function maskWord(word: string): string {
  const lastAt = word.lastIndexOf('@');
  let masked = '';
  let from = 0;
  for (let at = word.indexOf('://'); at >= 0; at = word.indexOf('://', from)) {
    const start = at + 3;
    const end = credentialsEnd(word, start, lastAt);
    masked += word.slice(from, start) + (end > start ? MASK : '');
    from = end;
  }
  return masked + word.slice(from);
}

/** Where the credentials end that begin at `start`; `start` where there are none. */
function credentialsEnd(word: string, start: number, lastAt: number): number {
  // A password may hold what ends an authority elsewhere. Better to hide a host and a port than to show half of one.
  const colon = word.indexOf(':', start);
  if (colon >= 0 && colon < lastAt) return lastAt;
  let end = start;
  while (end < word.length && !ENDS_AUTHORITY.test(word.charAt(end))) end++;
  const authority = word.slice(start, end);
  const at = authority.lastIndexOf('@');
  if (at >= 0) return start + at;
  // No port follows the colon, or the text is cut off: then what came before an @ may be there without it.
  const mayBeCut = /^[^[:]*:(?!\d*$)/.test(authority) || authority.endsWith('…');
  return mayBeCut ? end : start;
}

/** The same for every text in a value. */
export function maskValue(value: JsonValue): JsonValue {
  if (typeof value === 'string') return maskCredentials(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(maskValue);
  // fromEntries defines its keys: `__proto__` stays a key.
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [maskCredentials(key), maskValue(item)]));
}
