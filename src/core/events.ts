import type { CheckStatus, RecordedResult } from './check-result.js';
import type { LifecycleState } from './lifecycle.js';

/** The lifecycle moved. The state read inside a listener equals `to`. */
export interface StateEvent {
  readonly from: LifecycleState;
  readonly to: LifecycleState;
}

/** What happened to a service. */
export type ServiceEventKind =
  | 'started'
  | 'retrying'
  | 'failed'
  | 'unable_to_start'
  | 'completed'
  | 'ended'
  | 'late_registration';

export interface ServiceEvent {
  readonly service: string;
  readonly kind: ServiceEventKind;
  /** The error of the run, as thrown; an Error is made of a value that is none. */
  readonly error?: unknown;
  /** Restarts in a row so far. */
  readonly restarts: number;
}

/** What a check is seen as. */
export type CheckState = CheckStatus | 'pending' | 'stale';

/** A check changed: told on a change only. */
export interface CheckEvent {
  readonly name: string;
  readonly from: CheckState;
  readonly to: CheckState;
  /** The result that is shown from now on; for `stale`, the one that grew stale. */
  readonly result: RecordedResult;
}

/** Event names and their payloads. */
export interface ControllerEvents {
  state: StateEvent;
  service: ServiceEvent;
  check: CheckEvent;
}

export type ControllerEventName = keyof ControllerEvents;
