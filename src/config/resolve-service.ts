import type { RestartPolicySettings } from '../core/restart-policy.js';
import type { HealthWatchSettings, ProbeFunction, ServiceSettings } from '../core/settings.js';
import { DEFAULTS } from './defaults.js';
import type { RestartPolicy, ServiceDescription, StopOnGiveUp } from './options.js';
import {
  callable,
  checkValue,
  count,
  duration,
  entryName,
  factor,
  flag,
  invalidOption,
  isName,
  isObject,
  oneOf,
  onObject,
  readOptions,
  type Shape,
  where,
} from './schema.js';

const SERVICE: Shape = {
  start: callable(),
  stop: callable(),
  status: callable(),
  liveness: callable(),
  readiness: callable(),
  probeTimeoutMs: duration(1),
  startTimeoutMs: duration(1),
  stopTimeoutMs: duration(1),
  runToCompletion: flag(),
  restartPolicy: where(isObject, 'an object of options'),
  restartResetIntervalMs: duration(1),
  stopOnGiveUp: where((value) => typeof value === 'boolean' || isObject(value), 'true, false or options'),
  giveUpOn: callable(),
  dependsOn: where(isDependencies, 'the name of a service, or a list of names'),
};

const POLICY: Shape = {
  maxRestarts: where(isRestarts, 'a whole number of at least 0, or Infinity'),
  initialBackoffMs: duration(1),
  maxBackoffMs: duration(1),
  multiplier: factor(1),
  jitter: oneOf('none', 'full', 'equal', 'decorrelated'),
  healthFailureThreshold: count(0),
  healthCheckIntervalMs: duration(1),
  restartResetIntervalMs: duration(1),
  restartWindowMs: duration(0),
};

const WATCH: Shape = { healthFailureThreshold: count(1), healthCheckIntervalMs: duration(1) };

function isRestarts(value: unknown): boolean {
  return value === Number.POSITIVE_INFINITY || (Number.isInteger(value) && (value as number) >= 0);
}

function isDependencies(value: unknown): boolean {
  return isName(value) || (Array.isArray(value) && value.every(isName));
}

/** Merges the fragments of a service's description, later ones winning. Functions stay on the object they came with. */
export function resolveService(name: unknown, fragments: readonly unknown[]): ServiceSettings {
  checkValue('register(): the name', entryName(), name);
  const at = `register(${JSON.stringify(name)})`;
  const merged: Record<string, unknown> = {};
  for (const fragment of fragments) {
    for (const [key, value] of Object.entries(readOptions(at, SERVICE, fragment))) {
      merged[key] = typeof value === 'function' ? onObject(value as ProbeFunction, fragment) : value;
    }
  }
  const description: ServiceDescription = merged;
  const defaults = DEFAULTS.service;
  const restartPolicy = resolveRestartPolicy(at, description.restartPolicy, description.restartResetIntervalMs);
  const { dependsOn = [] } = description;
  return Object.freeze({
    name: name as string,
    start: description.start,
    stop: description.stop,
    status: description.status,
    liveness: description.liveness,
    readiness: description.readiness,
    probeTimeoutMs: description.probeTimeoutMs ?? defaults.probeTimeoutMs,
    startTimeoutMs: description.startTimeoutMs ?? 0,
    stopTimeoutMs: description.stopTimeoutMs ?? 0,
    runToCompletion: description.runToCompletion ?? defaults.runToCompletion,
    restartResetIntervalMs: restartPolicy?.restartResetIntervalMs ?? defaults.restartResetIntervalMs,
    restartPolicy,
    stopOnGiveUp: resolveStopOnGiveUp(at, description, restartPolicy),
    giveUpOn: description.giveUpOn,
    dependsOn: Object.freeze([...new Set(typeof dependsOn === 'string' ? [dependsOn] : dependsOn)]),
  });
}

/** A restart policy with every figure decided; undefined where none is given. */
export function resolveRestartPolicy(
  at: string,
  given: unknown,
  resetIntervalMs: number | undefined,
): RestartPolicySettings | undefined {
  if (given === undefined && resetIntervalMs === undefined) return undefined;
  const policy: RestartPolicy = readOptions(`${at}: restartPolicy`, POLICY, given ?? {});
  const defaults = DEFAULTS.restartPolicy;
  return Object.freeze({
    maxRestarts: policy.maxRestarts ?? defaults.maxRestarts,
    initialBackoffMs: policy.initialBackoffMs ?? defaults.initialBackoffMs,
    maxBackoffMs: policy.maxBackoffMs ?? defaults.maxBackoffMs,
    multiplier: policy.multiplier ?? defaults.multiplier,
    jitter: policy.jitter ?? defaults.jitter,
    healthFailureThreshold: policy.healthFailureThreshold ?? defaults.healthFailureThreshold,
    healthCheckIntervalMs: policy.healthCheckIntervalMs ?? defaults.healthCheckIntervalMs,
    restartResetIntervalMs: resetIntervalMs ?? policy.restartResetIntervalMs ?? DEFAULTS.service.restartResetIntervalMs,
    restartWindowMs: policy.restartWindowMs ?? defaults.restartWindowMs,
  });
}

function resolveStopOnGiveUp(
  at: string,
  description: ServiceDescription,
  policy: RestartPolicySettings | undefined,
): HealthWatchSettings | undefined {
  const given = description.stopOnGiveUp ?? DEFAULTS.service.stopOnGiveUp;
  if (given === false) return undefined;
  const watch: StopOnGiveUp = given === true ? {} : readOptions(`${at}: stopOnGiveUp`, WATCH, given);
  if (policy !== undefined && (watch.healthFailureThreshold ?? watch.healthCheckIntervalMs) !== undefined) {
    // They would be ignored: with a policy it is the policy that polls.
    throw invalidOption(`${at}: option "stopOnGiveUp"`, 'true: polling is said by its restartPolicy', watch);
  }
  const defaults = DEFAULTS.stopOnGiveUp;
  return Object.freeze({
    healthFailureThreshold: watch.healthFailureThreshold ?? defaults.healthFailureThreshold,
    healthCheckIntervalMs: watch.healthCheckIntervalMs ?? defaults.healthCheckIntervalMs,
  });
}
