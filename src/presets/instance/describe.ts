import type { ContainerObservation } from './container.js';

/** Nothing more comes of it by itself. */
export function isOver(seen: ContainerObservation): boolean {
  if (seen.status === 'unknown') return seen.reason === 'client_missing';
  if (seen.status === 'created') return seen.startError !== undefined;
  return seen.status === 'exited' || seen.status === 'dead';
}

/** Why a container is over, in words. */
export function describeEnd(seen: ContainerObservation, exitCode: number | undefined, looping: boolean): string {
  if (seen.status === 'unknown') return seen.message;
  if (seen.status === 'created')
    return `the engine could not start the container: ${seen.startError ?? 'no reason given'}`;
  const code = exitCode === undefined ? '' : ` with code ${exitCode}`;
  const memory = 'outOfMemory' in seen && seen.outOfMemory === true ? ' (out of memory)' : '';
  if (looping) return `the container keeps restarting: it ends${code}${memory}`;
  return `the container ${seen.status === 'dead' ? 'is dead: it ended' : 'exited'}${code}${memory}`;
}

/** What a container that never came up is waiting for, in words. */
export function describeWait(seen: ContainerObservation): string {
  switch (seen.status) {
    case 'unknown':
      return seen.message;
    case 'missing':
      return 'there is no such container';
    case 'created':
      return 'the container was created, but not started';
    default:
      return `the container is not up: ${seen.status}`;
  }
}
