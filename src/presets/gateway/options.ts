import { type Clock, HealthControllerError, type Logger, systemClock } from '../../index.js';
import {
  callable,
  clockPort,
  duration,
  loggerPort,
  readOptions,
  type Shape,
  safeLogger,
  silentLogger,
  where,
} from '../../kit.js';
import { type GatewayProcessType, type RestoreStatus, STUCK_AFTER_MS } from '../../wire/gateway.js';
import { classifyOpenClawProcess, type ListedProcess } from './classify.js';
import type { GatewayContext } from './context.js';
import type { HealthFetch } from './health-answer.js';
import { listProcesses } from './list-processes.js';
import { requestHealth } from './node-request.js';

type Asked<Value> = (context: GatewayContext) => Value | PromiseLike<Value>;
type Done = (context: GatewayContext) => unknown;

/**
 * Options of a {@link Gateway}. Durations are milliseconds, from 1 to 2 147 483 647. A class instance may be given; its
 * functions are called on it. What looks may fail or hang: that is an answer, `unknown`. What does something is never
 * run twice at a time, so it must settle: give it a deadline of its own.
 */
export interface GatewayOptions {
  /**
   * What the probes ask, by http or https.
   * @defaultValue 'http://localhost:18789/health'
   */
  readonly healthUrl?: string | URL | undefined;
  /** Lists the processes among which the gateway is looked for. Absent: those of this machine, without our own. */
  readonly processes?: Asked<readonly ListedProcess[]> | undefined;
  /** Which process is the gateway, and which its start script. Asked for those that are present. Absent: {@link classifyOpenClawProcess}. */
  readonly classifyProcess?: ((process: ListedProcess) => GatewayProcessType | null | undefined) | undefined;
  /** Whether there was a backup, and whether it was restored. Absent: there was none. */
  readonly restoreStatus?: Asked<RestoreStatus> | undefined;
  /**
   * Starts the gateway, unless it runs. Resolves once it is started. Rejecting makes the next try wait: 1 second,
   * doubling to 60. Rejecting with `exitCode: 78` (configuration refused) ends the tries until `restart()`.
   */
  readonly ensureGateway?: Done | undefined;
  /** Restores the backup, if there is one to restore. Called before `ensureGateway`, which waits for it. */
  readonly restoreIfNeeded?: Done | undefined;
  /** Stops the gateway: the first step of `restart()`. */
  readonly stopGateway?: Done | undefined;
  /** Makes a backup. Called while a gateway runs, at most once per `backupIntervalMs`. */
  readonly scheduleBackup?: Done | undefined;
  /**
   * How far apart backups are, counted from one call to the next.
   * @defaultValue 300000
   */
  readonly backupIntervalMs?: number | undefined;
  /**
   * Bounds everything that one activating snapshot asks, together.
   * @defaultValue 30000
   */
  readonly activeTimeoutMs?: number | undefined;
  /**
   * The same for a passive snapshot, and for `liveness()`, `readiness()`, `startup()` and checks.
   * @defaultValue 3000
   */
  readonly passiveTimeoutMs?: number | undefined;
  /**
   * For how long the phase must have been `starting`, without interruption, to be `stuck`.
   * @defaultValue 300000
   */
  readonly stuckAfterMs?: number | undefined;
  /** What asks the health URL: a `fetch`. Absent: node:http. */
  readonly fetch?: HealthFetch | undefined;
  /** Absent: the system's clock. */
  readonly clock?: Clock | undefined;
  /** Where failures and changes of the phase are written, a line each. Absent: nowhere. */
  readonly logger?: Logger | undefined;
}

const HEALTH_URL = 'http://localhost:18789/health';

function readHealthUrl(given: unknown): string {
  const url =
    (typeof given === 'string' || given instanceof URL) && URL.canParse(String(given)) ? new URL(given) : undefined;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url.href;
  // Not shown: it may hold a password.
  const sentence = 'new Gateway(): option "healthUrl": expected an absolute http or https URL, got something else';
  throw new HealthControllerError('invalid_option', sentence);
}

const SHAPE: Shape = {
  healthUrl: where(() => true, 'a URL'),
  processes: callable(),
  classifyProcess: callable(),
  restoreStatus: callable(),
  ensureGateway: callable(),
  restoreIfNeeded: callable(),
  stopGateway: callable(),
  scheduleBackup: callable(),
  backupIntervalMs: duration(1),
  activeTimeoutMs: duration(1),
  passiveTimeoutMs: duration(1),
  stuckAfterMs: duration(1),
  fetch: callable(),
  clock: clockPort(),
  logger: loggerPort(),
};

/** A gateway's options with every one decided. */
export interface GatewaySettings {
  readonly healthUrl: string;
  readonly processes: Asked<unknown>;
  readonly classifyProcess: (process: ListedProcess) => unknown;
  readonly restoreStatus: Asked<unknown> | undefined;
  readonly ensureGateway: Done | undefined;
  readonly restoreIfNeeded: Done | undefined;
  readonly stopGateway: Done | undefined;
  readonly scheduleBackup: Done | undefined;
  readonly backupIntervalMs: number;
  readonly activeTimeoutMs: number;
  readonly passiveTimeoutMs: number;
  readonly stuckAfterMs: number;
  readonly fetch: HealthFetch;
  readonly clock: Clock;
  readonly logger: Logger;
}

export function resolveGateway(given: unknown): GatewaySettings {
  const options: GatewayOptions = readOptions('new Gateway()', SHAPE, given);
  const on = <Fn extends (...args: never[]) => unknown>(fn: Fn): Fn => fn.bind(given) as Fn;
  const { processes, classifyProcess, restoreStatus, ensureGateway, restoreIfNeeded } = options;
  const { stopGateway, scheduleBackup, fetch } = options;
  return Object.freeze({
    healthUrl: readHealthUrl(options.healthUrl ?? HEALTH_URL),
    processes: processes === undefined ? listProcesses : on(processes),
    classifyProcess: classifyProcess === undefined ? classifyOpenClawProcess : on(classifyProcess),
    restoreStatus: restoreStatus && on(restoreStatus),
    ensureGateway: ensureGateway && on(ensureGateway),
    restoreIfNeeded: restoreIfNeeded && on(restoreIfNeeded),
    stopGateway: stopGateway && on(stopGateway),
    scheduleBackup: scheduleBackup && on(scheduleBackup),
    backupIntervalMs: options.backupIntervalMs ?? 300_000,
    activeTimeoutMs: options.activeTimeoutMs ?? 30_000,
    passiveTimeoutMs: options.passiveTimeoutMs ?? 3000,
    stuckAfterMs: options.stuckAfterMs ?? STUCK_AFTER_MS,
    // The platform's own fetch refuses to be called on another object in some runtimes.
    fetch: fetch === undefined ? requestHealth : fetch === globalThis.fetch ? fetch : on(fetch),
    clock: options.clock ?? systemClock,
    logger: options.logger === undefined ? silentLogger : safeLogger(options.logger),
  });
}
