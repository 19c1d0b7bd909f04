import type { ServicePhase } from './service-phase.js';

/** Where a child is: not started yet, at work, waiting for its restart, failed for good, or over. */
export type ChildState = 'pending' | 'running' | 'backoff' | 'failed' | 'stopped';

/** What a supervisor knows of a child. */
export interface ChildHealth {
  readonly state: ChildState;
  /** Restarts in a row so far. */
  readonly restarts: number;
  /** Runs that ended with something thrown that is no Error. */
  readonly panics: number;
  /** The error of its last run that failed, as thrown. */
  readonly lastError?: unknown;
}

/** A child that has failed for good. */
export interface ChildFailure {
  readonly name: string;
  /** The error of its last run. */
  readonly error: unknown;
  /** Restarts in a row before it gave up. */
  readonly restarts: number;
  /** Whether the last run ended with something thrown that is no Error. */
  readonly panicked: boolean;
}

/** A child's state, of the phase that it shares with services. */
export const CHILD_STATES: Readonly<Record<ServicePhase, ChildState>> = {
  idle: 'pending',
  waiting: 'pending',
  starting: 'running',
  up: 'running',
  halting: 'backoff',
  backoff: 'backoff',
  completed: 'stopped',
  ended: 'stopped',
  gave_up: 'failed',
  unmanaged: 'stopped',
};
