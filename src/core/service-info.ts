/** What the controller knows of a service. Times are ISO 8601, errors as thrown. */
export interface ServiceInfo {
  readonly name: string;
  /** Whether the controller runs it: false for one registered after `start()`. */
  readonly supervised: boolean;
  readonly up: boolean;
  readonly restartCount: number;
  readonly lastStartedAt?: string;
  readonly lastStoppedAt?: string;
  /** When the next restart is due, while it is backing off. */
  readonly nextRestartAt?: string;
  /** The dependencies that it waits for, while it waits. */
  readonly waitingFor?: readonly string[];
  /** The error of its last run that failed. */
  readonly error?: unknown;
  /** The error of its last `stop` that failed. */
  readonly stopError?: unknown;
  /** Runs that did not settle in their time and were left behind, and have not settled since. */
  readonly abandonedRuns: number;
}
