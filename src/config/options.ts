import type { ChildFailure } from '../core/child.js';
import type { JitterKind } from '../core/jitter.js';
import type { CheckType } from '../core/report-kind.js';
import type { ProbeFunction, StartFunction, StopFunction, ValidErrorFunction } from '../core/settings.js';
import type { Clock } from '../ports/clock.js';
import type { Logger } from '../ports/logger.js';
import type { Random } from '../ports/random.js';

/** Options of a `Controller`. Durations are milliseconds, at most 2 147 483 647. */
export interface ControllerOptions {
  /** Aborting it starts the ordinary shutdown, cause `parent`. Watched from `start()` until the controller is stopped. */
  readonly signal?: AbortSignal | undefined;
  /**
   * How long the controller goes on serving after readiness has turned false and before anything is stopped: the time
   * that load balancers need to notice. Its clock starts with the shutdown. 0: no delay.
   * @defaultValue 0
   */
  readonly drainDelayMs?: number | undefined;
  /**
   * How long the drain waits for each hold, beside `drainDelayMs`, counted from the beginning of the shutdown or, for one
   * that is taken during the delay, from when it is taken. At least 1.
   * @defaultValue 5000
   */
  readonly holdTimeoutMs?: number | undefined;
  /**
   * One budget for everything after the drain. 0: nothing is awaited; each stop is called and gets one turn of the loop.
   * @defaultValue 5000
   */
  readonly shutdownTimeoutMs?: number | undefined;
  /**
   * Process signals that start the shutdown: true for SIGINT and SIGTERM, or a list. Listened to from `start()` until
   * the controller is stopped, through one process listener per signal for all controllers. The library never ends the
   * process and never raises the signal again.
   * @defaultValue false
   */
  readonly signals?: boolean | readonly string[] | undefined;
  /** Whether an error is an expected end of a service's run, which is then no failure. Absent: none is. */
  readonly validError?: ValidErrorFunction | undefined;
  /**
   * Whether readiness and status also show what the controller knows of each run: `starting`, `waiting`, `backing_off`,
   * `gave_up`. Without it a report is the aggregate of the probes given and nothing more (seed 004).
   * @defaultValue false
   */
  readonly reportRunState?: boolean | undefined;
  /** Where to write: one line per transition. Absent: nowhere. */
  readonly logger?: Logger | undefined;
  /** Absent: the system's clock. */
  readonly clock?: Clock | undefined;
  /** Absent: `Math.random`. */
  readonly random?: Random | undefined;
}

/** When a service is started again after its run has failed, or after its status probe has failed repeatedly. */
export interface RestartPolicy {
  /** How many restarts in a row before giving up. Absent or Infinity: unlimited. 0: none. */
  readonly maxRestarts?: number | undefined;
  /**
   * The delay before the first restart. At least 1.
   * @defaultValue 1000
   */
  readonly initialBackoffMs?: number | undefined;
  /**
   * The ceiling of the delay. At least 1.
   * @defaultValue 30000
   */
  readonly maxBackoffMs?: number | undefined;
  /**
   * By what the delay grows with each restart in a row. At least 1.
   * @defaultValue 2
   */
  readonly multiplier?: number | undefined;
  /**
   * How the delay is spread: `full` between 0 and it, `equal` between half of it and it, `decorrelated` between the
   * initial delay and three times the delay before, capped.
   * @defaultValue 'none'
   */
  readonly jitter?: JitterKind | undefined;
  /**
   * After how many failed status polls in a row a service that is up is restarted. 0: it is not polled. A probe that
   * panics is a breach at once.
   * @defaultValue 0
   */
  readonly healthFailureThreshold?: number | undefined;
  /**
   * How often the status probe is polled, the first time this long after the service has come up. At least 1.
   * @defaultValue 10000
   */
  readonly healthCheckIntervalMs?: number | undefined;
  /**
   * A run that was good for at least this long clears count and backoff: counted from the call of `start` to its end,
   * for a health breach to the first failed poll of the streak. At least 1.
   * @defaultValue 30000
   */
  readonly restartResetIntervalMs?: number | undefined;
  /**
   * Beside counting in a row: at most `maxRestarts` restarts in any window of this length, whatever asked for them.
   * 0: off.
   * @defaultValue 0
   */
  readonly restartWindowMs?: number | undefined;
}

/** The death watch of a service that has no restart policy. */
export interface StopOnGiveUp {
  /**
   * After how many failed status polls in a row it has given up. At least 1. A panicking probe: at once.
   * @defaultValue 3
   */
  readonly healthFailureThreshold?: number | undefined;
  /**
   * How often its status probe is polled, the first time this long after it has come up. At least 1.
   * @defaultValue 10000
   */
  readonly healthCheckIntervalMs?: number | undefined;
}

/**
 * A description of a service, or a fragment of one: `register` merges fragments, later ones winning. A class instance
 * may be given; its functions are called on it.
 */
export interface ServiceDescription {
  /**
   * Starts it. Resolving means up, and serving in the background. Staying pending means running in the foreground: up
   * once `context.ready()` was called, or, without `startTimeoutMs`, after the restart reset interval (30 seconds).
   * Throwing is a failure, unless the controller aborted `context.signal` or `validError` accepts the error. Absent: it is up at once.
   */
  readonly start?: StartFunction | undefined;
  /**
   * Stops it. Called by the shutdown when it is up, starting or completed, and before a restart of one that is up;
   * never for one whose run failed by itself.
   */
  readonly stop?: StopFunction | undefined;
  /** Is it all right? Also asked for liveness and readiness where it has no such probe. */
  readonly status?: ProbeFunction | undefined;
  /** Is it alive? Failing means: restart the process. */
  readonly liveness?: ProbeFunction | undefined;
  /** Can it take traffic now? Failing means: send none. */
  readonly readiness?: ProbeFunction | undefined;
  /**
   * Bounds each run of a probe, counted from its call. At least 1.
   * @defaultValue 5000
   */
  readonly probeTimeoutMs?: number | undefined;
  /** By when `start` must have settled or called `ready()`, counted from its call. At least 1. Absent: no bound. */
  readonly startTimeoutMs?: number | undefined;
  /** How long its `stop` and its run are awaited, counted from the call of `stop`. At least 1. Absent: what the shutdown has. */
  readonly stopTimeoutMs?: number | undefined;
  /**
   * Whether a resolved `start` means that its work is done, rather than that it is up.
   * @defaultValue false
   */
  readonly runToCompletion?: boolean | undefined;
  /** Absent: its first failure is its last. */
  readonly restartPolicy?: RestartPolicy | undefined;
  /** `restartResetIntervalMs` of the policy; alone it implies a policy with the defaults. At least 1. */
  readonly restartResetIntervalMs?: number | undefined;
  /**
   * Whether the controller shuts down, cause `gave_up`, when this service gives up. Options are of the death watch,
   * which polls the status probe of a service that has no restart policy.
   * @defaultValue false
   */
  readonly stopOnGiveUp?: boolean | StopOnGiveUp | undefined;
  /** Whether an error of its run is beyond a restart: it then gives up at once. What it throws counts as no. Absent: none is. */
  readonly giveUpOn?: ((error: unknown) => boolean) | undefined;
  /** The names of services that must be up or completed before this one starts, and that stop after it. */
  readonly dependsOn?: string | readonly string[] | undefined;
}

/** A standalone named check. A class instance may be given; `check` is called on it. */
export interface HealthCheck {
  /** 1 to 256 characters without control characters, unique across services and checks. */
  readonly name: string;
  /**
   * Returns `undefined` or `true` (healthy), `false` (unhealthy), or `healthy()`, `degraded()`, `unhealthy()`, directly
   * or as a promise. Throwing is unhealthy.
   */
  readonly check: ProbeFunction;
  /**
   * Which reports it is part of, beside status.
   * @defaultValue 'readiness'
   */
  readonly type?: CheckType | undefined;
  /**
   * False: it gates nothing; what would be `ERROR` is `DEGRADED`.
   * @defaultValue true
   */
  readonly critical?: boolean | undefined;
  /**
   * 0: a sync check, run inline per report. Above: an async check, polled at this interval and cached; its first run is
   * at start.
   * @defaultValue 0
   */
  readonly intervalMs?: number | undefined;
  /**
   * Bounds each run, counted from its call, even if the check ignores its signal. At least 1.
   * @defaultValue 5000
   */
  readonly timeoutMs?: number | undefined;
  /**
   * Of a sync check: for how long a report may reuse its last result, counted from the end of the run. 0: never.
   * @defaultValue 0
   */
  readonly maxAgeMs?: number | undefined;
  /**
   * Of an async check: how long after start its first run comes.
   * @defaultValue 0
   */
  readonly initialDelayMs?: number | undefined;
  /**
   * Of an async check: spreads each tick over this share of the interval, 0 to 1. Ticks come later, never earlier.
   * @defaultValue 0
   */
  readonly jitter?: number | undefined;
  /**
   * Of an async check: a result older than this, counted from the end of its run, is stale. Exactly that old is not.
   * At least 1. Absent: three intervals (seed 004).
   */
  readonly staleAfterMs?: number | undefined;
  /**
   * Of an async check that has been healthy: how many failures in a row make it unhealthy. At least 1.
   * @defaultValue 1
   */
  readonly failureThreshold?: number | undefined;
  /**
   * Of an async check that has been healthy before: how many successes in a row make it healthy again. At least 1.
   * @defaultValue 1
   */
  readonly successThreshold?: number | undefined;
  /**
   * How many runs that outlived their timeout may be left unsettled before no new one is begun. At least 1.
   * @defaultValue 2
   */
  readonly maxAbandoned?: number | undefined;
}

/** Which entries a report is made of. An entry left out is neither run nor waited for. Names that match nothing are ignored. */
export interface ReportOptions {
  /** Only these. */
  readonly only?: readonly string[] | undefined;
  /** Not these. */
  readonly exclude?: readonly string[] | undefined;
}

/** How long to wait for readiness. */
export interface WhenReadyOptions {
  /** Aborting it ends the wait: false. */
  readonly signal?: AbortSignal | undefined;
  /** Counted from the call, at least 1. Absent: no limit. */
  readonly timeoutMs?: number | undefined;
}

/** One of a supervisor's children. A class instance may be given; its functions are called on it. */
export interface Child {
  /** 1 to 256 characters without control characters, unique within the supervisor. */
  readonly name: string;
  /**
   * Its work. Resolving means finished; throwing is a failure, unless the supervisor aborted `context.signal` or
   * `validError` accepts the error. Each run has a context of its own; `context.ready()` says that it is up.
   */
  readonly start: StartFunction;
  /** Called when it is detached, or the supervisor stops, while it runs. */
  readonly stop?: StopFunction | undefined;
  /** Whether an error is an expected end of its work. Absent: none is. */
  readonly validError?: ((error: unknown) => boolean) | undefined;
  /** Absent: its first failure is its last. */
  readonly restartPolicy?: Omit<RestartPolicy, 'healthFailureThreshold' | 'healthCheckIntervalMs'> | undefined;
}

/** Options of a `Supervisor`. */
export interface SupervisorOptions {
  /** Called once per child that has failed for good, in order. What it throws or rejects harms nobody. */
  readonly onFailure?: ((failure: ChildFailure) => unknown) | undefined;
  /**
   * How long `stop()` waits for the children where its context says nothing. 0: each gets one turn of the loop.
   * @defaultValue 5000
   */
  readonly stopTimeoutMs?: number | undefined;
  /** Where to write: one line per transition. Absent: nowhere. */
  readonly logger?: Logger | undefined;
  /** Absent: the system's clock. */
  readonly clock?: Clock | undefined;
  /** Absent: `Math.random`. */
  readonly random?: Random | undefined;
}

/** How long to wait for a child that is detached. */
export interface DetachOptions {
  /**
   * Counted from the call. 0: one turn of the loop.
   * @defaultValue 5000
   */
  readonly timeoutMs?: number | undefined;
}
