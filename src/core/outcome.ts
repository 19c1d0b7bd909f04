/** What began the shutdown. `not_started`: `stop()` was called before `start()`; nothing happened. */
export type ShutdownCause = 'stop' | 'signal' | 'parent' | 'gave_up' | 'not_started';

/** A `stop` that failed, with the error as it was thrown. */
export interface StopError {
  readonly service: string;
  readonly error: unknown;
}

/** How a shutdown ended. A value: it is never thrown. */
export interface Outcome {
  readonly cause: ShutdownCause;
  /** What was passed to `stop()`, or the text of the parent signal's reason. */
  readonly reason?: string;
  /** The process signal, where the cause is `signal`. */
  readonly signal?: string;
  /** The service that gave up, where the cause is `gave_up`. */
  readonly service?: string;
  /** Its last error. */
  readonly error?: unknown;
  /** Who had not settled when its time was over; a hold as `hold:<name>`. */
  readonly unfinished: readonly string[];
  readonly stopErrors: readonly StopError[];
  /** 1: something unfinished, a stop error, or a service gave up. For `process.exitCode`. */
  readonly exitCode: 0 | 1;
  /** From the call of `stop()`, the signal or the abort to the end, by the monotonic clock. */
  readonly durationMs: number;
}

/** Why a shutdown begins. */
export interface ShutdownReason {
  readonly cause: Exclude<ShutdownCause, 'not_started'>;
  readonly reason?: string;
  readonly signal?: string;
  readonly service?: string;
  readonly error?: unknown;
}

/** The outcome of a shutdown that was begun for `why`. */
export function makeOutcome(
  why: ShutdownReason,
  unfinished: readonly string[],
  stopErrors: readonly StopError[],
  durationMs: number,
): Outcome {
  const failed = unfinished.length > 0 || stopErrors.length > 0 || why.cause === 'gave_up';
  return Object.freeze({
    ...why,
    unfinished: Object.freeze([...unfinished]),
    stopErrors: Object.freeze([...stopErrors]),
    exitCode: failed ? 1 : 0,
    durationMs,
  });
}

/** The outcome of a `stop()` before `start()`. */
export const NOT_STARTED: Outcome = Object.freeze({
  cause: 'not_started',
  unfinished: Object.freeze([]),
  stopErrors: Object.freeze([]),
  exitCode: 0,
  durationMs: 0,
});
