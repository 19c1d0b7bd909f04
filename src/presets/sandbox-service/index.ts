// The services
export { SandboxServices } from './sandbox-services.js';
export type { ServicesHandlerOptions } from './handler.js';
export type {
  AttachOptions,
  ExposedService,
  ExposeRequest,
  HttpReadinessCheck,
  Relay,
  RelayTarget,
  SandboxHandle,
  SandboxServicesEvents,
  SandboxServicesOptions,
  ServiceChange,
  ServiceEndpoint,
  ServiceFilter,
  ServiceIdentity,
} from './options.js';

// Their health
export { label, type Labelled, type ServiceLabel } from './label.js';
export {
  parseServiceHealth,
  type ServiceHealth,
  type ServiceHealthState,
  toWire,
  type WireServiceHealth,
  type WireServiceHealthState,
} from '../../wire/service-health.js';
