// The gateway
export { Gateway, type SnapshotOptions } from './gateway.js';
export type { GatewayContext } from './context.js';
export type { GatewayOptions } from './options.js';
export type {
  HealthFetch,
  HealthFetchBody,
  HealthFetchInit,
  HealthFetchResponse,
} from './health-answer.js';

// Its processes
export { classifyOpenClawProcess, type ListedProcess } from './classify.js';

// In a controller
export type { GatewayCheckOptions, GatewayHost } from './checks.js';

// Over HTTP and WebSocket
export { bearerToken, type PolicyRequest } from '../../http/policies.js';
export type { DetailsPolicy } from '../../http/options.js';
export type { DrainSource } from '../../http/http-service.js';
export type { FastifyHost } from '../../http/shells.js';
export type { GatewayHandler, GatewayHandlerOptions } from './handler.js';
export type { AuthorizeRestart } from './restart-guard.js';
export type { GatewayWebSockets } from './web-socket.js';
export type { GatewayWebSocketOptions } from './web-socket-options.js';

// Snapshots and how they are read
export {
  classifyPhase,
  deriveGatewayStatus,
  type GatewayPhase,
  type GatewayProcessType,
  type GatewaySnapshot,
  type GatewayStatus,
  type GatewayVerdict,
  type PhaseHistory,
  type PhaseInput,
  type ProbeResult,
  type ProbeStatus,
  type RestoreStatus,
  readSnapshot,
  type VerdictInput,
} from '../../wire/gateway.js';
export { gatewaySnapshotSchema, type StandardIssue, type StandardSchema } from '../../wire/gateway-schema.js';

// Events
export type {
  ActivationEvent,
  BackupEvent,
  GatewayEventName,
  GatewayEvents,
  PhaseEvent,
  RestartEvent,
} from './events.js';
