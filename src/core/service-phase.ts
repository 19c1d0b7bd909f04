/**
 * Where a service is. `starting` has a run that is not up yet; `up` may have one in the foreground; `halting` is brought
 * down in order to be started again; `unmanaged` was registered after `start()`.
 */
export type ServicePhase =
  | 'idle'
  | 'waiting'
  | 'starting'
  | 'up'
  | 'halting'
  | 'backoff'
  | 'completed'
  | 'ended'
  | 'gave_up'
  | 'unmanaged';
