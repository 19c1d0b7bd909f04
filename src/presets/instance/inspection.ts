import { clip } from '../../kit.js';
import type { EngineHealth } from '../../wire/instance.js';
import type { ContainerObservation, FoundContainer } from './container.js';
import { couldNotLook } from './engine-fault.js';

type Fields = Readonly<Record<string, unknown>>;

const STATUSES: Readonly<Record<string, FoundContainer['status']>> = {
  created: 'created',
  running: 'running',
  paused: 'paused',
  restarting: 'restarting',
  removing: 'removing',
  exited: 'exited',
  dead: 'dead',
  // Podman's own words.
  configured: 'created',
  initialized: 'created',
  stopping: 'running',
};

/** What engines write for a time that has not come. */
const NEVER = '0001-01-01T00:00:00Z';

/**
 * Reads the answer to "inspect container" of the Docker Engine API, as Docker and Podman give it. An answer that is none
 * is `unknown`. Pure.
 */
export function readInspection(answer: unknown): ContainerObservation {
  const container = fields(answer);
  const state = fields(container?.State);
  const word = state?.Status;
  if (container === undefined || state === undefined || typeof word !== 'string') {
    return couldNotLook('engine_error', 'its answer describes no container');
  }
  const status =
    word === 'stopped' ? afterItsEnd(container, state) : Object.hasOwn(STATUSES, word) ? STATUSES[word] : undefined;
  if (status === undefined)
    return couldNotLook('engine_error', `the container is "${clip(word, 40)}", which has no meaning here`);
  const startedAt = text(state.StartedAt);
  return {
    status,
    id: text(container.Id),
    exitCode: whole(state.ExitCode),
    outOfMemory: state.OOMKilled === true,
    restartCount: whole(container.RestartCount),
    startedAt: startedAt === NEVER ? undefined : startedAt,
    engineHealth: engineHealth(fields(state.Health)?.Status),
    startError: text(state.Error),
  };
}

/**
 * Podman says `stopped` between the end of a process and what follows: with a restart policy that is the next start,
 * where Docker says `restarting`; without, it is `exited` in a moment.
 */
function afterItsEnd(container: Fields, state: Fields): 'restarting' | 'exited' {
  const policy = fields(fields(container.HostConfig)?.RestartPolicy);
  switch (policy?.Name) {
    case 'always':
    case 'unless-stopped':
      return 'restarting';
    case 'on-failure': {
      const most = whole(policy.MaximumRetryCount) ?? 0;
      const again = whole(state.ExitCode) !== 0 && (most === 0 || (whole(container.RestartCount) ?? 0) < most);
      return again ? 'restarting' : 'exited';
    }
    default:
      return 'exited';
  }
}

function engineHealth(word: unknown): EngineHealth | undefined {
  return word === 'starting' || word === 'healthy' || word === 'unhealthy' ? word : undefined;
}

function fields(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null ? (value as Fields) : undefined;
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? clip(value) : undefined;
}

function whole(value: unknown): number | undefined {
  return Number.isSafeInteger(value) ? (value as number) : undefined;
}
