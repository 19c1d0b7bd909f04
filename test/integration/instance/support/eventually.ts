import { setTimeout as sleep } from 'node:timers/promises';

/** Asks again and again until it holds; fails with what it last was. */
export async function eventually<Value>(
  ask: () => Value | Promise<Value>,
  holds: (value: Value) => boolean,
  withinMs = 15_000,
): Promise<Value> {
  const until = performance.now() + withinMs;
  for (;;) {
    const value = await ask();
    if (holds(value)) return value;
    if (performance.now() > until) throw new Error(`still ${JSON.stringify(value)}`);
    await sleep(25);
  }
}
