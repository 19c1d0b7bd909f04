const nativeThen = Promise.prototype.then;

/** Whether a value has a `then` to wait for. Reading it may throw: the caller treats that as thrown by the callee. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (
    ((typeof value === 'object' && value !== null) || typeof value === 'function') &&
    typeof (value as { then?: unknown }).then === 'function'
  );
}

function isPlainPromise(value: PromiseLike<unknown>): value is Promise<unknown> {
  try {
    return value instanceof Promise && value.constructor === Promise && value.then === nativeThen;
  } catch {
    return false;
  }
}

/**
 * Calls exactly one of two functions, exactly once, never synchronously, whatever the thenable does: native promises
 * are asked directly, anything else goes through one. Never throws. The functions must not throw.
 */
export function onSettled(
  value: PromiseLike<unknown>,
  resolved: (value: unknown) => void,
  rejected: (error: unknown) => void,
): void {
  const promise = isPlainPromise(value) ? value : new Promise<unknown>((resolve) => resolve(value));
  nativeThen.call(promise, resolved, rejected);
}

const SETTLED = Promise.resolve();

/** Calls back in a microtask, for a fraction of what queueMicrotask costs. The function must not throw. */
export function soon(callback: () => void): void {
  nativeThen.call(SETTLED, callback);
}
