import type { ContainerObservation, FoundContainer } from './container.js';

/** What successive looks at a container tell of its restarts. */
export interface RestartRecord {
  readonly id: string | undefined;
  readonly startedAt: string | undefined;
  readonly restartCount: number | undefined;
  /** The restart count when `startedAt` was first seen. */
  readonly countAtStart: number | undefined;
  /** When the last rises were seen, two at most. */
  readonly risesAt: readonly number[];
  /** Since when nothing but `restarting` has been seen. */
  readonly restartingSince: number | undefined;
  /** When it was last seen to restart, or to have restarted. */
  readonly unrestAt: number | undefined;
  /** Of the last end that was seen: while it runs, engines say 0. */
  readonly exitCode: number | undefined;
}

export const NO_RESTARTS: RestartRecord = Object.freeze({
  id: undefined,
  startedAt: undefined,
  restartCount: undefined,
  countAtStart: undefined,
  risesAt: [],
  restartingSince: undefined,
  unrestAt: undefined,
  exitCode: undefined,
});

export interface LoopRules {
  readonly startupTimeoutMs: number;
  readonly pollIntervalMs: number;
}

export interface Restarts {
  readonly record: RestartRecord;
  /** Whether it is being restarted, or has been since the look before. */
  readonly restarted: boolean;
}

/**
 * Takes down one look. A container of another id, or one whose restart count fell, was started by hand: its record
 * begins anew. A look that could not be taken changes nothing.
 */
export function noteRestarts(before: RestartRecord, seen: ContainerObservation, now: number): Restarts {
  if (seen.status === 'unknown') return { record: before, restarted: false };
  if (seen.status === 'missing') return { record: NO_RESTARTS, restarted: false };
  const renewed = isRenewed(before, seen);
  const known = renewed ? NO_RESTARTS : before;
  const rose = hasRisen(known, seen);
  const restarting = seen.status === 'restarting';
  const ended = restarting || seen.status === 'exited' || seen.status === 'dead';
  const sameStart = seen.startedAt === known.startedAt;
  return {
    record: {
      id: seen.id ?? known.id,
      startedAt: seen.startedAt,
      restartCount: seen.restartCount,
      countAtStart: sameStart ? (known.countAtStart ?? seen.restartCount) : seen.restartCount,
      risesAt: rose ? [...known.risesAt, now].slice(-2) : known.risesAt,
      restartingSince: restarting ? (known.restartingSince ?? now) : undefined,
      unrestAt: rose || restarting ? now : known.unrestAt,
      exitCode: ended ? (seen.exitCode ?? known.exitCode) : known.exitCode,
    },
    restarted: renewed || rose || restarting,
  };
}

/** Two `restarting` looks in a row, or two rises within the startup timeout. */
export function isLooping({ risesAt, restartingSince }: RestartRecord, now: number, rules: LoopRules): boolean {
  // Looks may be taken between the polls: those right after one another are one.
  if (restartingSince !== undefined && now - restartingSince >= rules.pollIntervalMs / 2) return true;
  const [first, second] = risesAt;
  return first !== undefined && second !== undefined && second - first <= rules.startupTimeoutMs;
}

/**
 * Whether a container that was in a loop has been without a restart for as long as two rises may be apart. Engines wait
 * longer and longer between restarts: going by what it looks like just now, a loop would end with every one of them.
 */
export function isCalm({ unrestAt }: RestartRecord, now: number, rules: LoopRules): boolean {
  return unrestAt === undefined || now - unrestAt > rules.startupTimeoutMs;
}

function isRenewed(before: RestartRecord, seen: FoundContainer): boolean {
  if (before.id !== undefined && seen.id !== undefined && seen.id !== before.id) return true;
  return (
    before.restartCount !== undefined && seen.restartCount !== undefined && seen.restartCount < before.restartCount
  );
}

function hasRisen(before: RestartRecord, seen: FoundContainer): boolean {
  if (isAbove(seen.restartCount, before.restartCount)) return true;
  if (before.startedAt === undefined || seen.startedAt === undefined || seen.startedAt === before.startedAt)
    return false;
  // The count rises before the next start: that start was counted with it.
  return !isAbove(seen.restartCount, before.countAtStart);
}

function isAbove(count: number | undefined, before: number | undefined): boolean {
  return count !== undefined && before !== undefined && count > before;
}
