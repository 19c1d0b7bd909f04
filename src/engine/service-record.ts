import type { ServiceInfo } from '../core/service-info.js';

/** What is remembered of a service for people to look at. Decides nothing. */
export class ServiceRecord {
  lastStartedAt: string | undefined;
  lastStoppedAt: string | undefined;
  nextRestartAt: string | undefined;
  /** The error of its last run that failed. */
  error: { readonly value: unknown } | undefined;
  /** What its last `stop` that failed threw. */
  stopError: { readonly thrown: unknown } | undefined;
  /** Runs that were left behind and have not settled since. */
  abandonedRuns = 0;
  /** Runs that ended with something thrown that is no Error. */
  panics = 0;
  /** Whether its last run that failed ended so. */
  panicked = false;

  /** As it is handed out: what is not there is absent. */
  info(now: Pick<ServiceInfo, 'name' | 'supervised' | 'up' | 'restartCount' | 'waitingFor'>): ServiceInfo {
    const { lastStartedAt, lastStoppedAt, nextRestartAt, error, stopError, abandonedRuns } = this;
    return Object.freeze({
      ...now,
      ...(lastStartedAt === undefined ? undefined : { lastStartedAt }),
      ...(lastStoppedAt === undefined ? undefined : { lastStoppedAt }),
      ...(nextRestartAt === undefined ? undefined : { nextRestartAt }),
      ...(error === undefined ? undefined : { error: error.value }),
      ...(stopError === undefined ? undefined : { stopError: stopError.thrown }),
      abandonedRuns,
    });
  }
}
