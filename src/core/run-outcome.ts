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
