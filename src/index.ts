// The controller
export type {
  Child,
  ControllerOptions,
  DetachOptions,
  HealthCheck,
  ReportOptions,
  RestartPolicy,
  ServiceDescription,
  StopOnGiveUp,
  SupervisorOptions,
  WhenReadyOptions,
} from './config/options.js';
export { type CheckHandle, Controller } from './controller/controller.js';
export {
  type ServiceOption,
  withDependsOn,
  withGiveUpOn,
  withLiveness,
  withProbeTimeout,
  withReadiness,
  withRestartPolicy,
  withRestartResetInterval,
  withRunToCompletion,
  withStart,
  withStartTimeout,
  withStatus,
  withStop,
  withStopOnGiveUp,
  withStopTimeout,
} from './controller/service-options.js';

export { Supervisor } from './controller/supervisor.js';
export type { ChildFailure, ChildHealth, ChildState } from './core/child.js';

export type { JitterKind } from './core/jitter.js';

// Results of probes and checks
export {
  type CheckResult,
  type CheckReturn,
  type CheckStatus,
  degraded,
  healthy,
  type RecordedResult,
  unhealthy,
} from './core/check-result.js';
export type { JsonValue, SafeData } from './core/safe-data.js';
export type {
  CheckContext,
  ProbeFunction,
  StartContext,
  StartFunction,
  StopContext,
  StopFunction,
  ValidErrorFunction,
} from './core/settings.js';
export type { CheckSnapshot } from './engine/check-entry.js';

// Reports
export type { EntryStatus, GateReason, HealthReport, ServiceStatus } from './core/report.js';
export type { CheckType, ReportKind } from './core/report-kind.js';

// Lifecycle, outcome, events
export type {
  CheckEvent,
  CheckState,
  ControllerEventName,
  ControllerEvents,
  ServiceEvent,
  ServiceEventKind,
  StateEvent,
} from './core/events.js';
export type { LifecycleState } from './core/lifecycle.js';
export type { Outcome, ShutdownCause, StopError } from './core/outcome.js';
export type { ServiceInfo } from './core/service-info.js';

// Errors
export { HealthControllerError, type HealthControllerErrorCode, isHealthControllerError } from './core/errors.js';

// Ports
export { type Clock, systemClock, type TimerHandle, type TimerOptions } from './ports/clock.js';
export type { Logger, LogMethod } from './ports/logger.js';
export type { Random } from './ports/random.js';
