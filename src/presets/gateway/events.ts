import type { GatewayPhase, GatewaySnapshot } from '../../wire/gateway.js';

/** The phase changed. `from` is absent at the first snapshot. */
export interface PhaseEvent {
  readonly from?: GatewayPhase;
  readonly to: GatewayPhase;
  readonly snapshot: GatewaySnapshot;
}

/**
 * A start in the background. `refused`: `ensureGateway` rejected with `exitCode: 78`, and nothing is tried again before
 * `restart()`. `cancelled`: a restart, or the shutdown of the controller, came before it had ended.
 */
export interface ActivationEvent {
  readonly kind: 'begun' | 'done' | 'failed' | 'refused' | 'cancelled';
  /** Which step failed. */
  readonly step?: 'restore' | 'ensure';
  /** What it was rejected with, as thrown. */
  readonly error?: unknown;
  /** Failures in a row so far. */
  readonly failures: number;
  /** For how long nothing is tried again. */
  readonly retryAfterMs?: number;
}

/** A `restart()`. */
export interface RestartEvent {
  readonly kind: 'begun' | 'done' | 'failed';
  readonly step?: 'stop' | 'ensure';
  /** What it was rejected with, as thrown. */
  readonly error?: unknown;
}

/** A backup, as it was scheduled. */
export interface BackupEvent {
  readonly kind: 'begun' | 'done' | 'failed';
  /** What it was rejected with, as thrown. */
  readonly error?: unknown;
}

/** Event names of a {@link Gateway} and their payloads. */
export interface GatewayEvents {
  phase: PhaseEvent;
  activation: ActivationEvent;
  restart: RestartEvent;
  backup: BackupEvent;
}

export type GatewayEventName = keyof GatewayEvents;
