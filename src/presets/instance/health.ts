import type { InstanceHealth, TunnelStatus } from '../../wire/instance.js';
import type { ContainerObservation } from './container.js';
import { describeEnd, describeWait, isOver } from './describe.js';
import type { InstanceState } from './status-model.js';
import type { TunnelObservation } from './tunnel-watch.js';

/** All that is known of an instance. */
export interface Known {
  /** Whether it was started and is being observed: only then its status says something of now. */
  readonly observed: boolean;
  readonly state: InstanceState;
  /** The last look; undefined: none yet. */
  readonly container: ContainerObservation | undefined;
  /** The last look; undefined: none yet. */
  readonly tunnel: TunnelObservation | 'none' | undefined;
}

/** What a tunnel's end answers for an application that is not there: while it starts, to be waited out. */
const GATEWAY_ERRORS: readonly (number | undefined)[] = [502, 503, 504];

/** What is known, as it travels. Pure. */
export function healthOf(known: Known): InstanceHealth {
  const { state, container } = known;
  const exitCode = exitCodeOf(known);
  const engineHealth = container !== undefined && 'engineHealth' in container ? container.engineHealth : undefined;
  const message = messageOf(known);
  return Object.freeze({
    container_status: container?.status ?? 'unknown',
    tunnel_status: tunnelStatus(known),
    status: state.status,
    can_recreate_tunnel: canRecreate(known),
    validated: state.status === 'running' && state.validated,
    ...(exitCode === undefined ? undefined : { exit_code: exitCode }),
    ...(engineHealth === undefined ? undefined : { engine_health: engineHealth }),
    ...(message === undefined ? undefined : { message }),
  });
}

/** Whether it is on its way up, or down: its tunnel says nothing of itself then. */
export function isUnsettled({ observed, state }: Known): boolean {
  return observed && state.status !== 'running' && state.status !== 'unhealthy';
}

function tunnelStatus({ observed, state, tunnel }: Known): TunnelStatus {
  if (tunnel === undefined) return 'unknown';
  if (tunnel === 'none' || tunnel.verdict === undefined) return 'none';
  const starting = observed && (state.status === 'pending' || state.status === 'starting');
  return starting && GATEWAY_ERRORS.includes(tunnel.httpStatus) ? 'starting' : tunnel.verdict.tunnel;
}

function canRecreate(known: Known): boolean {
  const { container, tunnel } = known;
  if (tunnel === undefined || tunnel === 'none' || tunnel.verdict?.recreate !== true) return false;
  return container?.status === 'running' && !isUnsettled(known);
}

function exitCodeOf({ state, container }: Known): number | undefined {
  if (state.status === 'error') return state.exitCode;
  return container !== undefined && isOver(container) ? codeOf(container) : undefined;
}

function codeOf(container: ContainerObservation): number | undefined {
  return 'exitCode' in container ? container.exitCode : undefined;
}

function messageOf(known: Known): string | undefined {
  const parts = [stateMessage(known), engineMessage(known), tunnelMessage(known)].filter((part) => part !== undefined);
  return parts.length === 0 ? undefined : parts.join('; ');
}

function stateMessage({ observed, state, container }: Known): string | undefined {
  if ('message' in state && state.message !== undefined) return state.message;
  if (observed || container === undefined || container.status === 'running') return undefined;
  // There is only what was seen.
  return isOver(container) ? describeEnd(container, codeOf(container), false) : describeWait(container);
}

function engineMessage({ state, observed, container }: Known): string | undefined {
  if (container?.status === 'unknown') {
    const told = !observed || (state.status === 'error' && state.message === container.message);
    return told ? undefined : container.message;
  }
  const failing = container !== undefined && 'engineHealth' in container && container.engineHealth === 'unhealthy';
  return failing ? "the engine's own health check fails" : undefined;
}

function tunnelMessage({ tunnel }: Known): string | undefined {
  if (tunnel === undefined || tunnel === 'none' || tunnel.message === undefined) return undefined;
  return `tunnel: ${tunnel.message}`;
}
