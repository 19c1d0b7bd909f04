import { Deferred } from '../../controller/support/deferred.js';

export type { Deferred };

export const deferred = <Value = void>(): Deferred<Value> => new Deferred<Value>();

/** Lets promises and a few turns of the loop run; no time passes. */
export async function turns(count = 3): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
