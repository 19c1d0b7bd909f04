const MAX_TEXT = 1024;

/** Cuts a text that came from outside, so that no thrown megabyte ends up in reports and logs. */
export function clip(text: string, max: number = MAX_TEXT): string {
  return text.length <= max ? text : `${text.slice(0, max)}…`;
}

/** Any value as a short text. Never throws, whatever its `toString` or getters do. */
export function printable(value: unknown): string {
  try {
    if (typeof value === 'string') return clip(value);
    if (typeof value === 'object' && value !== null && !isErrorLike(value)) {
      const json: unknown = Object.hasOwn(value, 'toString') ? undefined : JSON.stringify(value);
      if (typeof json === 'string') return clip(json);
    }
    if (isErrorLike(value)) return errorText(value);
    return clip(String(value));
  } catch {
    return `an unprintable ${typeof value}`;
  }
}

/** Whether a thrown value is an Error: also one from another realm, and never by way of its own getters. */
export function isErrorLike(value: unknown): value is Error {
  try {
    return value instanceof Error || Object.prototype.toString.call(value) === '[object Error]';
  } catch {
    return false;
  }
}

/** The message of an error, its name where it has none. Never throws. */
export function errorText(error: Error): string {
  try {
    const message: unknown = error.message;
    if (typeof message === 'string' && message !== '') return clip(message);
    const name: unknown = error.name;
    return typeof name === 'string' && name !== '' ? clip(name) : 'Error';
  } catch {
    return 'an error whose message cannot be read';
  }
}
