import type { UptimeWindow } from './store.js';
import type { StoreAccess } from './store-access.js';

/** How much of a window an instance was up. */
export interface Uptime {
  readonly from: number;
  readonly to: number;
  /** For how long startup and readiness were ok. */
  readonly upMs: number;
  /** For how long one of them was not. */
  readonly downMs: number;
  /** The rest of the window: no row, none for longer than `maxGapMs`, or not come yet. */
  readonly unknownMs: number;
  /** The share of the known time that it was up, from 0 to 1. Absent where nothing is known. */
  readonly ratio?: number;
}

/** Time that has not come is unknown, whatever row stands now. */
export async function uptimeOf(
  access: StoreAccess,
  instanceId: string,
  window: UptimeWindow,
  now: number,
): Promise<Uptime> {
  const { from, to } = window;
  const until = Math.min(to, now);
  const ask = () => access.read('uptime', (store) => store.uptime(instanceId, { ...window, to: until }));
  const { upMs, downMs } = until > from ? await ask() : { upMs: 0, downMs: 0 };
  const knownMs = upMs + downMs;
  const ratio = knownMs === 0 ? undefined : { ratio: upMs / knownMs };
  return Object.freeze({ from, to, upMs, downMs, unknownMs: to - from - knownMs, ...ratio });
}
