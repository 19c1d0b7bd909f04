/** Where a controller is in its one life. */
export type LifecycleState = 'never_started' | 'running' | 'unable_to_start' | 'stopping' | 'stopped';

/** The one table of the lifecycle: from each state, where it may go. */
export const TRANSITIONS: Readonly<Record<LifecycleState, readonly LifecycleState[]>> = {
  never_started: ['running'],
  running: ['unable_to_start', 'stopping'],
  unable_to_start: ['running', 'stopping'],
  stopping: ['stopped'],
  stopped: [],
};

export function canTransition(from: LifecycleState, to: LifecycleState): boolean {
  return TRANSITIONS[from].includes(to);
}
