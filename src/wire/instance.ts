/**
 * What the engine says of a container. `missing`: the engine answered that there is none of this name. `unknown`: it
 * could not be looked at, which says nothing about the container.
 */
export type ContainerStatus =
  | 'created'
  | 'running'
  | 'paused'
  | 'restarting'
  | 'removing'
  | 'exited'
  | 'dead'
  | 'missing'
  | 'unknown';

/**
 * What one look at the tunnel found. `tunnel_error`: the way to the application is broken. `app_error`: the way is fine,
 * the application is not. `starting`: a gateway error while the instance starts, to be waited out. `tls_error`: a
 * certificate that a new tunnel would not change. `none`: the instance has no tunnel. `unknown`: it could not be told.
 */
export type TunnelStatus = 'healthy' | 'starting' | 'app_error' | 'tunnel_error' | 'tls_error' | 'none' | 'unknown';

/**
 * Where an instance is. `pending`: not verified yet. `starting`: the container is up, the readiness probe has not passed.
 * `running`: verified. `unhealthy`: up, but the probe did not pass in time. `error`: it exited, keeps restarting, or
 * never came up.
 */
export type InstanceStatus = 'pending' | 'starting' | 'running' | 'unhealthy' | 'error';

/** What the health check that is built into the image says, where there is one. */
export type EngineHealth = 'starting' | 'healthy' | 'unhealthy';

/** The health of an instance, as it travels: JSON with the field names of seed 003. */
export interface InstanceHealth {
  readonly container_status: ContainerStatus;
  readonly tunnel_status: TunnelStatus;
  readonly status: InstanceStatus;
  /** Whether recreating the tunnel may help: it is broken itself, the container runs and is not starting. */
  readonly can_recreate_tunnel: boolean;
  /** Whether a readiness probe has passed since the container came up. False without a probe. */
  readonly validated: boolean;
  /** Of the last end of the container that was seen, as long as that end matters. */
  readonly exit_code?: number;
  /** Only for containers with a health check of the engine's own. */
  readonly engine_health?: EngineHealth;
  /** For people. Withheld from HTTP answers unless the details policy allows it. */
  readonly message?: string;
}

/** What to show beside an instance. */
export type InstanceBadge = 'container unhealthy' | 'tunnel error' | 'app error' | 'starting…';

/**
 * What to show beside an instance, the most urgent first; undefined: nothing. While the container is the trouble, or is
 * still starting, what the tunnel says follows from it and is not shown. Pure.
 */
export function badge(
  health: Pick<InstanceHealth, 'container_status' | 'tunnel_status' | 'status' | 'engine_health'>,
): InstanceBadge | undefined {
  return containerBadge(health) ?? TUNNEL_BADGES[health.tunnel_status];
}

function containerBadge({
  container_status,
  status,
  engine_health,
}: Pick<InstanceHealth, 'container_status' | 'status' | 'engine_health'>): InstanceBadge | undefined {
  if (status === 'error' || status === 'unhealthy') return 'container unhealthy';
  if (container_status === 'exited' || container_status === 'dead') return 'container unhealthy';
  // Before it is up, a container that is not there yet, or is paused, is no fault.
  if (status === 'pending' || status === 'starting') return 'starting…';
  if (container_status === 'created' || container_status === 'restarting') return 'starting…';
  if (container_status === 'missing' || container_status === 'removing' || container_status === 'paused') {
    return 'container unhealthy';
  }
  return engine_health === 'unhealthy' ? 'container unhealthy' : undefined;
}

const TUNNEL_BADGES: Readonly<Record<TunnelStatus, InstanceBadge | undefined>> = {
  healthy: undefined,
  starting: 'starting…',
  app_error: 'app error',
  tunnel_error: 'tunnel error',
  tls_error: 'tunnel error',
  none: undefined,
  unknown: undefined,
};
