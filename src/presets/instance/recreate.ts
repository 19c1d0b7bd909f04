import { count, duration, readOptions } from '../../kit.js';
import type { ContainerStatus, TunnelStatus } from '../../wire/instance.js';

/** One look at the tunnel, with what was known of the container at that time. */
export interface TunnelRecord {
  /** By the monotonic clock. */
  readonly at: number;
  readonly tunnel: TunnelStatus;
  readonly container: ContainerStatus;
  /** Whether the instance was pending, starting, or in error: its tunnel cannot be judged then. */
  readonly starting: boolean;
}

export interface TunnelHistory {
  /** Oldest first; the last one is of now. */
  readonly records: readonly TunnelRecord[];
  /** When the tunnel was last recreated, or somebody was told to; by the same clock. Absent: never. */
  readonly lastRecreatedAt?: number | undefined;
}

export interface RecreatePolicy {
  /**
   * How many tunnel errors in a row it takes. At least 1.
   * @defaultValue 3
   */
  readonly failures?: number | undefined;
  /**
   * How long to leave a recreated tunnel alone. 0: not at all.
   * @defaultValue 60000
   */
  readonly minGapMs?: number | undefined;
}

/** A policy with every option decided. */
export interface RecreateRules {
  readonly failures: number;
  readonly minGapMs: number;
}

const SHAPE = { failures: count(1), minGapMs: duration(0) };

/** @throws HealthControllerError `invalid_option` */
export function recreateRules(at: string, policy: RecreatePolicy = {}): RecreateRules {
  const { failures = 3, minGapMs = 60_000 }: RecreatePolicy = readOptions(at, SHAPE, policy);
  return { failures, minGapMs };
}

/**
 * Whether an automation may recreate the tunnel now: only after so many tunnel errors in a row, all of them seen while
 * the container ran and was not starting, and not within the gap after the last time. Anything else that was seen in
 * between, `unknown` too, begins the row anew. Pure: it decides, and recreates nothing.
 * @throws HealthControllerError `invalid_option`
 */
export function shouldRecreateTunnel(history: TunnelHistory, policy?: RecreatePolicy): boolean {
  return mayRecreate(history, recreateRules('shouldRecreateTunnel(): the policy', policy));
}

export function mayRecreate({ records, lastRecreatedAt }: TunnelHistory, rules: RecreateRules): boolean {
  const row = records.slice(-rules.failures);
  const now = row.at(-1)?.at;
  if (now === undefined || row.length < rules.failures || !row.every(countsAgainst)) return false;
  return lastRecreatedAt === undefined || now - lastRecreatedAt >= rules.minGapMs;
}

function countsAgainst({ tunnel, container, starting }: TunnelRecord): boolean {
  return tunnel === 'tunnel_error' && container === 'running' && !starting;
}
