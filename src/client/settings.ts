import type { Clock, Logger, Random } from '../index.js';
import { backoffDelay } from '../kit.js';
import type { SnapshotFetch } from './fetch.js';
import type { PolledStatus } from './poll-record.js';
import type { WebSocketConstructor } from './snapshot-socket.js';
import type { Target } from './target.js';

/** How instances are asked and judged, every option decided. Most of a monitor's share one. */
export interface PollSettings {
  readonly passive: boolean;
  readonly timeoutMs: number;
  readonly intervalMs: number;
  readonly maxBackoffMs: number;
  readonly jitter: number;
  readonly lostAfterMs: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: SnapshotFetch;
  /** Undefined: HTTP only. */
  readonly webSocket: WebSocketConstructor | undefined;
}

/** What comes from outside, the same for all instances of a scope. */
export interface PollPorts {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** One instance, every option decided. */
export interface InstanceSettings {
  readonly id: string;
  readonly target: Target;
  readonly instanceStatus: PolledStatus;
  readonly poll: PollSettings;
  /** Those of `poll`, and the credentials of its URL. */
  readonly headers: Readonly<Record<string, string>>;
}

/** The wait after so many failures in a row: one interval after the first, and never less. */
export function retryDelayMs({ intervalMs, maxBackoffMs }: PollSettings, failures: number): number {
  const rule = { initialBackoffMs: intervalMs, multiplier: 2, jitter: 'none' } as const;
  return backoffDelay({ ...rule, maxBackoffMs: Math.max(intervalMs, maxBackoffMs) }, failures, 0, () => 0);
}
