import type { RecordedSnapshot } from './row.js';

/**
 * What tells of snapshots: a `HealthPoller`, a `HealthMonitor`, or anything with the same events. An `unreachable` event
 * is one try that failed; where the source says of the instance, by `state` or `get`, that it is reachable nonetheless,
 * that try says nothing.
 */
export interface SnapshotSource {
  on(
    event: 'snapshot',
    listener: (event: { readonly instance: string; readonly snapshot: RecordedSnapshot }) => unknown,
  ): () => void;
  on(event: 'unreachable', listener: (event: { readonly instance: string }) => unknown): () => void;
  /** As a `HealthPoller` has it. */
  readonly state?: { readonly id: string; readonly reachable: boolean } | undefined;
  /** As a `HealthMonitor` has them. */
  get?(instance: string): { readonly reachable: boolean } | undefined;
  list?(): readonly { readonly id: string }[];
}

/** The instances that a source has now. */
export function instancesOf(source: SnapshotSource): readonly string[] {
  if (source.list !== undefined) return source.list().map(({ id }) => id);
  return source.state === undefined ? [] : [source.state.id];
}

export function saysReachable(source: SnapshotSource, instance: string): boolean {
  const state = source.get === undefined ? source.state : source.get(instance);
  return state?.reachable === true;
}
