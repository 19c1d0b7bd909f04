import pTimeout, { TimeoutError } from 'p-timeout';
import type { Clock } from '../ports/clock.js';

/** What a bounded wait came to. */
export type Bounded<Value> = { readonly settled: true; readonly value: Value } | { readonly settled: false };

/**
 * Waits for `promise`, at most `timeoutMs` from now; 0 or less: one turn of the loop. It bounds the wait, not the work:
 * who can cancel the work does so. Rejects as the promise rejects. For waits off the hot path: a call costs about as
 * much as fifteen timers, since p-timeout makes an Error each time.
 */
export async function withDeadline<Value>(
  promise: PromiseLike<Value>,
  timeoutMs: number,
  clock: Clock,
  keepAlive = true,
): Promise<Bounded<Value>> {
  // p-timeout throws for 0 or less, and knows only global timers unless told.
  if (!(timeoutMs > 0)) {
    const turn = new Promise<undefined>((resolve) => clock.nextTurn(() => resolve(undefined)));
    const first = await Promise.race([Promise.resolve(promise).then((value) => ({ value })), turn]);
    return first === undefined ? { settled: false } : { settled: true, value: first.value };
  }
  const customTimers = {
    setTimeout: (callback: () => void, delayMs: number) => clock.setTimeout(callback, delayMs, { keepAlive }),
    clearTimeout: (handle: unknown) => clock.clearTimeout(handle),
  } as unknown as { setTimeout: typeof setTimeout; clearTimeout: typeof clearTimeout };
  try {
    return { settled: true, value: await pTimeout(promise, { milliseconds: timeoutMs, customTimers }) };
  } catch (error) {
    if (error instanceof TimeoutError) return { settled: false };
    throw error;
  }
}
