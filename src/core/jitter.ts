/** How a backoff delay is spread. `none`: not at all. */
export type JitterKind = 'none' | 'full' | 'equal' | 'decorrelated';

/** When a tick of a polled check falls: on its grid, plus a random share of the interval. Never early. */
export function jitteredTick(gridMs: number, intervalMs: number, jitter: number, random: () => number): number {
  return jitter === 0 ? gridMs : gridMs + unit(random) * jitter * intervalMs;
}

/** A random number that is in [0, 1) whatever the port returns. One that throws must not end a schedule: 0. */
export function unit(random: () => number): number {
  try {
    const value = random();
    return value >= 0 && value < 1 ? value : 0;
  } catch {
    return 0;
  }
}
