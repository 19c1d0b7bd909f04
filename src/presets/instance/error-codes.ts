/** So many errors of one tree are looked at. */
const MOST = 64;

/**
 * The codes of an error and of all it was made of, nearest first: its own, then those of the `errors` of an
 * AggregateError and of its `cause`, level by level. fetch hides the code in a cause, a connection that tried IPv6 and
 * IPv4 in a list. Never throws, whatever the getters do; ends where causes form a circle.
 */
export function* codesOf(error: unknown): Generator<string> {
  const seen = new Set<unknown>();
  const queue: unknown[] = [error];
  for (const one of queue) {
    if (typeof one === 'string') yield one;
    if (typeof one !== 'object' || one === null || seen.has(one)) continue;
    if (seen.size === MOST) return;
    seen.add(one);
    const code = read(one, 'code');
    if (typeof code === 'string') yield code;
    const errors = read(one, 'errors');
    if (Array.isArray(errors)) queue.push(...errors.slice(0, MOST));
    queue.push(read(one, 'cause'));
  }
}

function read(from: object, key: string): unknown {
  try {
    return (from as Record<string, unknown>)[key];
  } catch {
    return undefined;
  }
}
