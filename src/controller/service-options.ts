import type { RestartPolicy, ServiceDescription, StopOnGiveUp } from '../config/options.js';
import type { ProbeFunction, StartFunction, StopFunction } from '../core/settings.js';

/** A fragment of a service's description, as `register` takes any number of. */
export type ServiceOption = ServiceDescription;

/** How it starts: see {@link ServiceDescription.start}. */
export const withStart = (start: StartFunction): ServiceOption => ({ start });

/** How it stops: see {@link ServiceDescription.stop}. */
export const withStop = (stop: StopFunction): ServiceOption => ({ stop });

/** Is it all right? See {@link ServiceDescription.status}. */
export const withStatus = (status: ProbeFunction): ServiceOption => ({ status });

/** Is it alive? See {@link ServiceDescription.liveness}. */
export const withLiveness = (liveness: ProbeFunction): ServiceOption => ({ liveness });

/** Can it take traffic? See {@link ServiceDescription.readiness}. */
export const withReadiness = (readiness: ProbeFunction): ServiceOption => ({ readiness });

/** Bounds each run of its probes: see {@link ServiceDescription.probeTimeoutMs}. */
export const withProbeTimeout = (probeTimeoutMs: number): ServiceOption => ({ probeTimeoutMs });

/** By when it must have started: see {@link ServiceDescription.startTimeoutMs}. */
export const withStartTimeout = (startTimeoutMs: number): ServiceOption => ({ startTimeoutMs });

/** How long its stop is awaited: see {@link ServiceDescription.stopTimeoutMs}. */
export const withStopTimeout = (stopTimeoutMs: number): ServiceOption => ({ stopTimeoutMs });

/** A resolved `start` means that its work is done: see {@link ServiceDescription.runToCompletion}. */
export const withRunToCompletion = (): ServiceOption => ({ runToCompletion: true });

/** When it is started again: see {@link RestartPolicy}. */
export const withRestartPolicy = (restartPolicy: RestartPolicy): ServiceOption => ({ restartPolicy });

/** How long a run must be good for to clear count and backoff; alone it implies a policy with the defaults. */
export const withRestartResetInterval = (restartResetIntervalMs: number): ServiceOption => ({ restartResetIntervalMs });

/** The controller shuts down when it gives up; without a restart policy its status probe is watched. */
export const withStopOnGiveUp = (watch: StopOnGiveUp = {}): ServiceOption => ({ stopOnGiveUp: watch });

/** It starts after these are up or completed, and stops before them. */
export const withDependsOn = (...names: readonly string[]): ServiceOption => ({ dependsOn: names });

/** Which errors of its run are beyond a restart: see {@link ServiceDescription.giveUpOn}. */
export const withGiveUpOn = (giveUpOn: (error: unknown) => boolean): ServiceOption => ({ giveUpOn });
