import { type GatewaySnapshot, type GatewayVerdict, readSnapshot } from '../wire/gateway.js';

/**
 * What a consumer keeps of an instance (seed 000, "Polling Behavior"). `provisioning` until startup and readiness were ok
 * in one snapshot; `running` from then on, whatever comes.
 */
export type PolledStatus = 'provisioning' | 'running';

/**
 * `running`: first healthy. `degraded`: running, and not healthy any more. `recovered`: healthy again. `lost`: for
 * `lostAfterMs` nobody has seen it alive. `found`: alive again.
 */
export type PollTransition = 'running' | 'degraded' | 'recovered' | 'lost' | 'found';

/** What one try, or one message of a stream, came to. */
export type PollOutcome =
  | { readonly ok: true; readonly snapshot: GatewaySnapshot }
  | { readonly ok: false; readonly error: string };

/**
 * All that must be remembered of an instance from one try to the next: numbers, texts and booleans, so that it can be
 * kept as JSON and any worker can go on with it. Times are of the clock whose readings {@link recordPoll} was given.
 */
export interface PollRecord {
  readonly instanceStatus: PolledStatus;
  /** Of the newest snapshot; absent before the first. */
  readonly verdict?: GatewayVerdict;
  /** Whether the newest try brought a snapshot. */
  readonly reachable: boolean;
  /** It is running, and its newest snapshot was not healthy. */
  readonly degraded: boolean;
  readonly lost: boolean;
  /** When it was last seen alive; before that, when polling began. */
  readonly aliveAtMs: number;
  /** When `verdict`, `reachable` or `lost` last changed. */
  readonly changedAtMs: number;
}

/** How an instance is judged. */
export interface PollRule {
  /**
   * An instance that nobody has seen alive for so long is lost; exactly that long is. 0: the first try that fails to.
   * @defaultValue 300000
   */
  readonly lostAfterMs?: number | undefined;
}

/** The five minutes of seed 000. */
export const LOST_AFTER_MS = 300_000;

/** The record before the first try. An instance that is known to have run before is not provisioning again. */
export function startRecord(nowMs: number, instanceStatus: PolledStatus = 'provisioning'): PollRecord {
  const unknown = { reachable: false, degraded: false, lost: false };
  return { instanceStatus, ...unknown, aliveAtMs: nowMs, changedAtMs: nowMs };
}

/** When the instance is lost, unless it is seen alive before. */
export function lostAtMs(record: PollRecord, { lostAfterMs = LOST_AFTER_MS }: PollRule): number {
  return record.lost ? Number.POSITIVE_INFINITY : record.aliveAtMs + lostAfterMs;
}

/**
 * The consumer contract as one pure step: the record after an outcome, and what has happened by it, in order.
 *
 * - A snapshot's verdict is that of `readSnapshot`. Once running, whatever is not healthy is `degraded`: an older gateway
 *   sends no phase, and its startup is not ok while it restarts.
 * - An unreachable instance keeps its verdict: nobody knows better.
 * - Alive is `liveness.ok`. An unreachable instance is not seen alive. `lost` is only ever the outcome of a try, so that a
 *   process that was stopped for minutes looks before it judges.
 *
 * `nowMs` must come from one clock for all calls, a monotonic one where there is one. A reading that goes back makes
 * nothing happen.
 */
export function recordPoll(
  record: PollRecord,
  outcome: PollOutcome,
  nowMs: number,
  rule: PollRule = {},
): readonly [record: PollRecord, transitions: readonly PollTransition[]] {
  const transitions: PollTransition[] = [];
  const verdict = outcome.ok ? readSnapshot(outcome.snapshot) : record.verdict;
  const alive = outcome.ok && outcome.snapshot.liveness.ok;
  let { instanceStatus, degraded, lost } = record;
  if (alive && lost) {
    lost = false;
    transitions.push('found');
  }
  if (outcome.ok && verdict === 'healthy') {
    if (instanceStatus === 'provisioning') transitions.push('running');
    else if (degraded) transitions.push('recovered');
    instanceStatus = 'running';
    degraded = false;
  } else if (outcome.ok && instanceStatus === 'running' && !degraded) {
    degraded = true;
    transitions.push('degraded');
  }
  if (!alive && nowMs >= lostAtMs(record, rule)) {
    lost = true;
    transitions.push('lost');
  }
  const changed = verdict !== record.verdict || outcome.ok !== record.reachable || lost !== record.lost;
  const next: PollRecord = {
    instanceStatus,
    ...(verdict === undefined ? undefined : { verdict }),
    reachable: outcome.ok,
    degraded,
    lost,
    aliveAtMs: alive ? nowMs : record.aliveAtMs,
    changedAtMs: changed ? nowMs : record.changedAtMs,
  };
  return [next, transitions];
}
