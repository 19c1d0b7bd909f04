import { callable, checkValue, oneOf } from '../kit.js';
import type { GatewaySnapshot, GatewayVerdict } from '../wire/gateway.js';
import type { PolledStatus } from './poll-record.js';

/** How an instance reaches us: by WebSocket, by HTTP polling, or not at all (not started, stopped, or not yet connected). */
export type PollTransport = 'websocket' | 'http' | 'none';

/** What is known of an instance at the moment of reading. Frozen. Ages are milliseconds of the monotonic clock. */
export interface InstanceState {
  readonly id: string;
  /** Where its snapshots come from, its credentials masked. */
  readonly url: string;
  readonly instanceStatus: PolledStatus;
  /** Of the newest snapshot; absent before the first. While not `reachable` it is the last that was heard. */
  readonly verdict?: GatewayVerdict;
  /** Whether the newest try brought a valid snapshot. */
  readonly reachable: boolean;
  /** For `lostAfterMs` nobody has seen it alive. */
  readonly lost: boolean;
  readonly transport: PollTransport;
  /** The newest valid one. */
  readonly snapshot?: GatewaySnapshot;
  /** Since it was received. */
  readonly snapshotAgeMs?: number;
  /** Since `verdict`, `reachable` or `lost` last changed, or since it was added. */
  readonly changedAgeMs: number;
  /** Why the newest try failed: a sentence of ours, in which nothing of the answer and no credential is. */
  readonly error?: string;
  /** Why the WebSocket is not in use at the moment, where one is wanted. As safe as `error`. */
  readonly webSocketError?: string;
}

/** A valid snapshot came, by whichever way. */
export interface SnapshotEvent {
  /** The id of the instance. */
  readonly instance: string;
  readonly snapshot: GatewaySnapshot;
  readonly verdict: GatewayVerdict;
}

/** A try failed. */
export interface UnreachableEvent {
  readonly instance: string;
  /** As `error` of {@link InstanceState}. */
  readonly error: string;
}

/** The instance as it is from now on. */
export interface InstanceEvent {
  readonly instance: string;
  readonly state: InstanceState;
}

/** Event names of a poller and of a monitor, and their payloads. Of one outcome `snapshot` or `unreachable` comes first. */
export interface PollerEvents {
  snapshot: SnapshotEvent;
  unreachable: UnreachableEvent;
  running: InstanceEvent;
  degraded: InstanceEvent;
  recovered: InstanceEvent;
  lost: InstanceEvent;
  found: InstanceEvent;
}

export type PollerEventName = keyof PollerEvents;

/** @throws HealthControllerError `invalid_option` */
export function checkListener(name: unknown, listener: unknown): void {
  const names = ['snapshot', 'unreachable', 'running', 'degraded', 'recovered', 'lost', 'found'];
  checkValue('on(): the event', oneOf(...names), name);
  checkValue(`on(): the listener of "${String(name)}"`, callable(), listener);
}
