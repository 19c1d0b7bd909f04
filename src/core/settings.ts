import type { CheckReturn } from './check-result.js';
import type { CheckType } from './report-kind.js';
import type { RestartPolicySettings } from './restart-policy.js';

/** The context of one run of a probe or check. Every run has its own. */
export interface CheckContext {
  /** Aborted at the run's timeout, or when the controller has stopped. Made only when it is read. */
  readonly signal: AbortSignal;
}

/** The context of one run of a service. */
export interface StartContext {
  /** Aborted with a `HealthControllerError` of code `shutdown`, `restart` or `start_timeout`. Each run has its own. */
  readonly signal: AbortSignal;
  /** Says that a service running in the foreground is up. Calling it again, or after the run, does nothing. */
  ready(): void;
}

/** The context of a service's stop. */
export interface StopContext {
  /** Aborted at the deadline, code `stop_timeout`. */
  readonly signal: AbortSignal;
  /** How many milliseconds the stop has. 0: its time is over, it gets one turn of the event loop. */
  readonly deadlineMs: number;
}

export type ProbeFunction = (context: CheckContext) => CheckReturn | PromiseLike<CheckReturn>;
export type StartFunction = (context: StartContext) => unknown;
export type StopFunction = (context: StopContext) => unknown;
export type ValidErrorFunction = (error: unknown, service: string) => boolean;

/** A check with every option decided. */
export interface CheckSettings {
  readonly name: string;
  /** What its runner calls it in messages. */
  readonly label: 'health check';
  readonly run: ProbeFunction;
  readonly type: CheckType;
  readonly critical: boolean;
  readonly timeoutMs: number;
  readonly maxAbandoned: number;
  /** 0: inline per report. */
  readonly intervalMs: number;
  readonly maxAgeMs: number;
  readonly initialDelayMs: number;
  readonly jitter: number;
  readonly staleAfterMs: number;
  readonly failureThreshold: number;
  readonly successThreshold: number;
}

/** A service with every option decided. */
export interface ServiceSettings {
  readonly name: string;
  readonly start: StartFunction | undefined;
  readonly stop: StopFunction | undefined;
  readonly status: ProbeFunction | undefined;
  readonly liveness: ProbeFunction | undefined;
  readonly readiness: ProbeFunction | undefined;
  readonly probeTimeoutMs: number;
  /** 0: none. */
  readonly startTimeoutMs: number;
  /** 0: as long as the shutdown has. */
  readonly stopTimeoutMs: number;
  readonly runToCompletion: boolean;
  /** How long a foreground run must be pending to count as up. */
  readonly restartResetIntervalMs: number;
  /** Undefined: never restarted. */
  readonly restartPolicy: RestartPolicySettings | undefined;
  /** Undefined: its giving up stops nothing. */
  readonly stopOnGiveUp: HealthWatchSettings | undefined;
  /** Whether an error is beyond a restart. */
  readonly giveUpOn: ((error: unknown) => boolean) | undefined;
  readonly dependsOn: readonly string[];
}

/** How a status probe is polled for supervision. */
export interface HealthWatchSettings {
  readonly healthFailureThreshold: number;
  readonly healthCheckIntervalMs: number;
}

/** A controller's shutdown and start, with every option decided. */
export interface LifecycleSettings {
  readonly drainDelayMs: number;
  readonly holdTimeoutMs: number;
  readonly shutdownTimeoutMs: number;
  readonly signals: readonly string[];
  readonly validError: ValidErrorFunction | undefined;
  readonly reportRunState: boolean;
}
