import type { ServiceSettings, StartFunction, StopFunction, ValidErrorFunction } from '../core/settings.js';
import { type Clock, systemClock } from '../ports/clock.js';
import { type Logger, safeLogger, silentLogger } from '../ports/logger.js';
import { type Random, systemRandom } from '../ports/random.js';
import { DEFAULTS } from './defaults.js';
import type { Child, DetachOptions, SupervisorOptions } from './options.js';
import { resolveRestartPolicy } from './resolve-service.js';
import {
  callable,
  clockPort,
  duration,
  entryName,
  invalidOption,
  isObject,
  loggerPort,
  onObject,
  readOptions,
  type Shape,
  where,
} from './schema.js';

const CHILD: Shape = {
  name: entryName(),
  start: callable(),
  stop: callable(),
  validError: callable(),
  restartPolicy: where(isObject, 'an object of options'),
};

const SUPERVISOR: Shape = {
  onFailure: callable(),
  stopTimeoutMs: duration(0),
  logger: loggerPort(),
  clock: clockPort(),
  random: callable(),
};

const DETACH: Shape = { timeoutMs: duration(0) };

/** A child with every option decided. */
export interface ResolvedChild {
  readonly settings: ServiceSettings;
  readonly validError: ValidErrorFunction | undefined;
}

export function resolveChild(given: unknown): ResolvedChild {
  const values = readOptions('attach()', CHILD, given, ['name', 'start']);
  const child = values as unknown as Child;
  const at = `child ${JSON.stringify(child.name)}`;
  const restartPolicy = resolveRestartPolicy(at, child.restartPolicy, undefined);
  if (restartPolicy !== undefined && restartPolicy.healthFailureThreshold > 0) {
    const got = restartPolicy.healthFailureThreshold;
    throw invalidOption(
      `${at}: option "healthFailureThreshold"`,
      '0 or absent: a child has no status probe to poll',
      got,
    );
  }
  const start: StartFunction = onObject(child.start, given);
  const stop: StopFunction | undefined = child.stop === undefined ? undefined : onObject(child.stop, given);
  const { probeTimeoutMs, restartResetIntervalMs } = DEFAULTS.service;
  return Object.freeze({
    settings: Object.freeze({
      name: child.name,
      start,
      stop,
      status: undefined,
      liveness: undefined,
      readiness: undefined,
      probeTimeoutMs,
      startTimeoutMs: 0,
      stopTimeoutMs: 0,
      // A child's resolved start means finished.
      runToCompletion: true,
      restartResetIntervalMs: restartPolicy?.restartResetIntervalMs ?? restartResetIntervalMs,
      restartPolicy,
      stopOnGiveUp: undefined,
      giveUpOn: undefined,
      dependsOn: [],
    }),
    validError: child.validError === undefined ? undefined : onObject(child.validError, given),
  });
}

/** A supervisor's options, resolved. */
export interface ResolvedSupervisor {
  readonly onFailure: SupervisorOptions['onFailure'];
  readonly stopTimeoutMs: number;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly random: Random;
}

export function resolveSupervisor(given: unknown): ResolvedSupervisor {
  const options: SupervisorOptions = readOptions('new Supervisor()', SUPERVISOR, given);
  const { onFailure, random } = options;
  return Object.freeze({
    onFailure: onFailure === undefined ? undefined : onObject(onFailure, given),
    stopTimeoutMs: options.stopTimeoutMs ?? DEFAULTS.supervisor.stopTimeoutMs,
    logger: options.logger === undefined ? silentLogger : safeLogger(options.logger),
    clock: options.clock ?? systemClock,
    random: random === undefined ? systemRandom : onObject(random, given),
  });
}

export function resolveDetach(given: unknown): number {
  const options: DetachOptions = readOptions('detach()', DETACH, given);
  return options.timeoutMs ?? DEFAULTS.supervisor.detachTimeoutMs;
}
