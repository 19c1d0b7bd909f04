import type { CheckSettings, LifecycleSettings } from '../core/settings.js';
import { STALE_INTERVALS } from '../core/staleness.js';
import { type Clock, systemClock } from '../ports/clock.js';
import { type Logger, safeLogger, silentLogger } from '../ports/logger.js';
import { type Random, systemRandom } from '../ports/random.js';
import { DEFAULTS } from './defaults.js';
import type { ControllerOptions, HealthCheck, ReportOptions, WhenReadyOptions } from './options.js';
import {
  abortSignal,
  callable,
  checkValue,
  clockPort,
  count,
  duration,
  entryName,
  flag,
  invalidOption,
  loggerPort,
  names,
  oneOf,
  onObject,
  readOptions,
  type Shape,
  share,
  where,
} from './schema.js';

/** The signals that a Node process can listen to. Another name would be listened to for ever in vain. */
const SIGNALS: ReadonlySet<string> = new Set(
  (
    'SIGABRT SIGALRM SIGBREAK SIGBUS SIGCHLD SIGCONT SIGFPE SIGHUP SIGILL SIGINFO SIGINT SIGIO SIGIOT SIGLOST SIGPIPE ' +
    'SIGPOLL SIGPROF SIGPWR SIGQUIT SIGSEGV SIGSTKFLT SIGSYS SIGTERM SIGTRAP SIGTSTP SIGTTIN SIGTTOU SIGURG SIGUSR1 ' +
    'SIGUSR2 SIGVTALRM SIGWINCH SIGXCPU SIGXFSZ'
  ).split(' '),
);

function isSignalList(value: unknown): boolean {
  return typeof value === 'boolean' || (Array.isArray(value) && value.every((name) => SIGNALS.has(name)));
}

const CONTROLLER: Shape = {
  signal: abortSignal(),
  drainDelayMs: duration(0),
  holdTimeoutMs: duration(1),
  shutdownTimeoutMs: duration(0),
  signals: where(isSignalList, "true, false, or a list of signals such as 'SIGTERM' that a process can listen to"),
  validError: callable(),
  reportRunState: flag(),
  logger: loggerPort(),
  clock: clockPort(),
  random: callable(),
};

const CHECK: Shape = {
  name: entryName(),
  check: callable(),
  type: oneOf('liveness', 'readiness', 'both'),
  critical: flag(),
  intervalMs: duration(0),
  timeoutMs: duration(1),
  maxAgeMs: duration(0),
  initialDelayMs: duration(0),
  jitter: share(),
  staleAfterMs: duration(1),
  failureThreshold: count(1),
  successThreshold: count(1),
  maxAbandoned: count(1),
};

const REPORT: Shape = { only: names(), exclude: names() };
const WHEN_READY: Shape = { signal: abortSignal(), timeoutMs: duration(1) };

/** A controller's options, resolved. */
export interface ResolvedController {
  readonly lifecycle: LifecycleSettings;
  readonly parent: AbortSignal | undefined;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly random: Random;
}

export function resolveController(given: unknown): ResolvedController {
  const options: ControllerOptions = readOptions('new Controller()', CONTROLLER, given);
  const defaults = DEFAULTS.controller;
  const signals = options.signals ?? defaults.signals;
  const { validError, random } = options;
  return Object.freeze({
    lifecycle: Object.freeze({
      drainDelayMs: options.drainDelayMs ?? defaults.drainDelayMs,
      holdTimeoutMs: options.holdTimeoutMs ?? defaults.holdTimeoutMs,
      shutdownTimeoutMs: options.shutdownTimeoutMs ?? defaults.shutdownTimeoutMs,
      signals: Object.freeze(
        typeof signals === 'boolean' ? (signals ? ['SIGINT', 'SIGTERM'] : []) : [...new Set(signals)],
      ),
      validError: validError === undefined ? undefined : onObject(validError, given),
      reportRunState: options.reportRunState ?? defaults.reportRunState,
    }),
    parent: options.signal,
    logger: options.logger === undefined ? silentLogger : safeLogger(options.logger),
    clock: options.clock ?? systemClock,
    random: random === undefined ? systemRandom : onObject(random, given),
  });
}

export function resolveCheck(given: unknown): CheckSettings {
  const values = readOptions(checkPlace(given), CHECK, given, ['name', 'check']);
  const options = values as unknown as HealthCheck;
  const defaults = DEFAULTS.check;
  const intervalMs = options.intervalMs ?? defaults.intervalMs;
  refuseOtherMode(options, intervalMs);
  return Object.freeze({
    name: options.name,
    label: 'health check',
    run: onObject(options.check, given),
    type: options.type ?? defaults.type,
    critical: options.critical ?? defaults.critical,
    timeoutMs: options.timeoutMs ?? defaults.timeoutMs,
    maxAbandoned: options.maxAbandoned ?? defaults.maxAbandoned,
    intervalMs,
    maxAgeMs: options.maxAgeMs ?? defaults.maxAgeMs,
    initialDelayMs: options.initialDelayMs ?? defaults.initialDelayMs,
    jitter: options.jitter ?? defaults.jitter,
    staleAfterMs: options.staleAfterMs ?? STALE_INTERVALS * intervalMs,
    failureThreshold: options.failureThreshold ?? defaults.failureThreshold,
    successThreshold: options.successThreshold ?? defaults.successThreshold,
  });
}

// An option that the other kind of check has would be ignored: better said than silent.
function refuseOtherMode(options: HealthCheck, intervalMs: number): void {
  const at = `check ${JSON.stringify(options.name)}: option`;
  if (intervalMs > 0) {
    if ((options.maxAgeMs ?? 0) > 0) {
      throw invalidOption(
        `${at} "maxAgeMs"`,
        '0 or absent, since the check is polled (intervalMs is set)',
        options.maxAgeMs,
      );
    }
    return;
  }
  const ofPolled: readonly [keyof HealthCheck, unknown][] = [
    ['initialDelayMs', 0],
    ['jitter', 0],
    ['staleAfterMs', undefined],
    ['failureThreshold', 1],
    ['successThreshold', 1],
  ];
  for (const [key, neutral] of ofPolled) {
    const value = options[key];
    if (value === undefined || value === neutral) continue;
    throw invalidOption(`${at} "${key}"`, 'it only together with an intervalMs above 0: it is of polled checks', value);
  }
}

function checkPlace(given: unknown): string {
  try {
    const name: unknown = (given as { name?: unknown } | null | undefined)?.name;
    return typeof name === 'string' ? `check ${JSON.stringify(name.slice(0, 256))}` : 'registerCheck()';
  } catch {
    return 'registerCheck()';
  }
}

/** Which names a report takes; undefined for all. */
export function resolveReport(at: string, given: unknown): ((name: string) => boolean) | undefined {
  const options: ReportOptions = readOptions(at, REPORT, given);
  if (options.only === undefined && (options.exclude === undefined || options.exclude.length === 0)) return undefined;
  const only = options.only === undefined ? undefined : new Set(options.only);
  const exclude = new Set(options.exclude);
  return (name) => (only === undefined || only.has(name)) && !exclude.has(name);
}

export function resolveWhenReady(given: unknown): { signal: AbortSignal | undefined; timeoutMs: number } {
  const options: WhenReadyOptions = readOptions('whenReady()', WHEN_READY, given);
  return { signal: options.signal, timeoutMs: options.timeoutMs ?? 0 };
}

export function resolveHold(name: unknown): string {
  checkValue('hold(): the name', entryName(), name);
  return name as string;
}

/** The text of the maintenance, or undefined for none. */
export function resolveMaintenance(given: unknown): string | undefined {
  const isText = (value: unknown): boolean => typeof value === 'boolean' || (typeof value === 'string' && value !== '');
  checkValue('setMaintenance()', where(isText, 'a text that says why, true, or false'), given);
  return typeof given === 'string' ? given : given === true ? 'maintenance' : undefined;
}

/** An event's name and its listener. */
export function checkListener(name: unknown, listener: unknown): void {
  checkValue('on(): the event', oneOf('state', 'check', 'service'), name);
  checkValue(`on(): the listener of "${String(name)}"`, callable(), listener);
}
