// An instance
export { Instance } from './instance.js';
export type { InstanceStatusEvent } from './telling.js';
export type { InstanceOptions, StartOptions, TunnelBrokenEvent } from './options.js';
export type { AttachOptions } from './in-controller.js';

// Over HTTP
export { createInstanceHandler, type InstanceHandlerOptions, type InstanceRegistry } from './handler.js';

// Its container
export { dockerContainer, type DockerContainerOptions } from './docker-container.js';
export type { DockerClient, DockerContainerHandle, DockerExec, DockerStream } from './docker-client.js';
export type {
  ContainerObservation,
  EngineFault,
  ExecContext,
  ExecOutcome,
  FoundContainer,
  InstanceContainer,
  MissingContainer,
  ObserveContext,
  UnknownContainer,
} from './container.js';

// Its readiness
export {
  defaultProbe,
  execProbe,
  type HttpProbeOptions,
  httpProbe,
  type ProbeTiming,
  type ReadinessContext,
  type ReadinessFinding,
  type ReadinessProbe,
} from './readiness-probe.js';
export { parseReadinessProbe } from './stored-probe.js';

// Its tunnel
export { classifyTunnel, type TunnelFinding, type TunnelVerdict } from './tunnel-verdict.js';
export { type RecreatePolicy, shouldRecreateTunnel, type TunnelHistory, type TunnelRecord } from './recreate.js';
export type { TunnelSource } from './tunnel-watch.js';

// Its health, as it travels
export {
  badge,
  type ContainerStatus,
  type EngineHealth,
  type InstanceBadge,
  type InstanceHealth,
  type InstanceStatus,
  type TunnelStatus,
} from '../../wire/instance.js';
