import type { CheckContext, Clock, HealthCheck, ProbeFunction, RecordedResult } from '../index.js';
import {
  callable,
  checkValue,
  clockPort,
  DEFAULTS,
  duration,
  EngineScope,
  RunBatch,
  Runner,
  type RunnerSettings,
  readOptions,
  recorded,
  resolveCheck,
  silentLogger,
  systemClock,
  systemRandom,
} from '../kit.js';

/** How {@link runCheck} runs. */
export interface RunCheckOptions {
  /** Absent: the system's clock. */
  readonly clock?: Clock | undefined;
}

/** How {@link runProbe} runs. */
export interface RunProbeOptions extends RunCheckOptions {
  /**
   * Bounds the run, as `probeTimeoutMs` of the service does. Counted from the call of the probe; at least 1.
   * @defaultValue 5000
   */
  readonly timeoutMs?: number | undefined;
}

const CHECK_OPTIONS = { clock: clockPort() };
const PROBE_OPTIONS = { ...CHECK_OPTIONS, timeoutMs: duration(1) };

/**
 * Runs a probe of a service once, alone, with a context of its own, and resolves to what a controller would record:
 * also where the probe throws, panics, returns nonsense, or outlives its timeout and ignores its signal. Rejects for
 * wrong options only.
 * @throws HealthControllerError `invalid_option`
 *
 * @example
 * ```ts
 * const result = await runProbe(() => unhealthy('no connection', undefined, 'connect'));
 * console.assert(result.reason === 'connect');
 * ```
 */
export async function runProbe(probe: ProbeFunction, options: RunProbeOptions = {}): Promise<RecordedResult> {
  checkValue('runProbe(): the probe', callable(), probe);
  const given: RunProbeOptions = readOptions('runProbe()', PROBE_OPTIONS, options);
  const timeoutMs = given.timeoutMs ?? DEFAULTS.service.probeTimeoutMs;
  return runOnce('probe', probe, timeoutMs, given.clock ?? systemClock);
}

/**
 * Runs a check once, alone, as {@link runProbe} does a probe: bounded by the check's `timeoutMs`, whatever its interval
 * and thresholds, which are about many runs. Takes what `registerCheck` takes and refuses what it refuses.
 * @throws HealthControllerError `invalid_option`
 */
export async function runCheck(check: HealthCheck, options: RunCheckOptions = {}): Promise<RecordedResult> {
  const settings = resolveCheck(check);
  const given: RunCheckOptions = readOptions('runCheck()', CHECK_OPTIONS, options);
  return runOnce('health check', settings.run, settings.timeoutMs, given.clock ?? systemClock);
}

function runOnce(
  label: RunnerSettings['label'],
  run: (context: CheckContext) => unknown,
  timeoutMs: number,
  clock: Clock,
): Promise<RecordedResult> {
  const scope = new EngineScope(clock, systemRandom, silentLogger);
  return new Promise((resolve) => {
    const runner = new Runner(
      scope,
      { label, run, timeoutMs, maxAbandoned: 1 },
      {
        record: (verdict, startedAt, endedAt) =>
          resolve(recorded({ verdict, durationMs: endedAt - startedAt, timestamp: scope.stamp() })),
      },
    );
    const batch = new RunBatch(scope, true, () => {});
    runner.begin(batch);
    batch.seal();
  });
}
