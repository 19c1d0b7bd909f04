import { HealthControllerError } from './errors.js';
import { errorText, isErrorLike, printable } from './printable.js';

/** How one run of a service ended, as thrown or settled. */
export type RunEnd =
  | { readonly how: 'resolved' }
  | { readonly how: 'rejected'; readonly error: unknown }
  | { readonly how: 'start_timeout'; readonly timeoutMs: number };

/** What one run of a service amounts to (vectors/restarts.json, classification). */
export type RunOutcome =
  | { readonly kind: 'clean_start' }
  | { readonly kind: 'completed' }
  | { readonly kind: 'ended'; readonly error?: unknown }
  | { readonly kind: 'error'; readonly error: unknown; readonly message: string; readonly reason: RunErrorReason };

export type FailedOutcome = Extract<RunOutcome, { kind: 'error' }>;

export type RunErrorReason = 'failed' | 'panicked' | 'start_timeout';

export interface RunFacts {
  readonly runToCompletion: boolean;
  /** The controller aborted this run's signal before it ended. */
  readonly aborted: boolean;
  /** `validError` accepted the error. */
  readonly valid: boolean;
}

/** Classifies one run. Pure. */
export function classifyRun(end: RunEnd, facts: RunFacts): RunOutcome {
  switch (end.how) {
    case 'resolved':
      // One that returns because it was told to has ended: it is neither up nor done.
      if (facts.aborted) return { kind: 'ended' };
      return { kind: facts.runToCompletion ? 'completed' : 'clean_start' };
    case 'start_timeout': {
      const message = `start did not settle within ${end.timeoutMs} ms`;
      return { kind: 'error', error: undefined, message, reason: 'start_timeout' };
    }
    case 'rejected':
      if (facts.aborted || facts.valid) return { kind: 'ended', error: end.error };
      return isErrorLike(end.error)
        ? { kind: 'error', error: end.error, message: errorText(end.error), reason: 'failed' }
        : {
            kind: 'error',
            error: end.error,
            message: `start panicked: ${printable(end.error)}`,
            reason: 'panicked',
          };
  }
}

/** The error that listeners and `serviceInfo` get: as thrown, where it is one. */
export function errorOf(outcome: FailedOutcome): unknown {
  if (isErrorLike(outcome.error)) return outcome.error;
  if (outcome.reason === 'start_timeout') return new HealthControllerError('start_timeout', outcome.message);
  return new Error(outcome.message, { cause: outcome.error });
}
