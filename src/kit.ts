// What presets, handlers and the test kit may use of the inside. Not exported from the package.
export { DEFAULTS } from './config/defaults.js';
export { resolveCheck } from './config/resolve.js';
export {
  abortSignal,
  callable,
  checkValue,
  clockPort,
  count,
  duration,
  type Expecting,
  entryName,
  flag,
  having,
  invalidOption,
  loggerPort,
  oneOf,
  readOptions,
  type Shape,
  share,
  where,
} from './config/schema.js';
export { observeReport } from './controller/controller.js';
export { type BackoffRule, backoffDelay } from './core/backoff.js';
export { jitteredTick } from './core/jitter.js';
export { clip, errorText, isErrorLike, printable } from './core/printable.js';
export { copyData } from './core/safe-data.js';
export { isoStamp } from './core/stamp.js';
export { isStale } from './core/staleness.js';
export { THRESHOLD_START, type ThresholdCount, type ThresholdRule, thresholdStep } from './core/threshold.js';
export { recorded } from './engine/attempt.js';
export { withDeadline } from './engine/deadline.js';
export { Emitter } from './engine/emitter.js';
export { LeftCalls } from './engine/left-calls.js';
export { RunBatch } from './engine/run-batch.js';
export { Runner, type RunnerSettings } from './engine/run-check.js';
export { EngineScope } from './engine/scope.js';
export { SingleFlight } from './engine/single-flight.js';
export { Slots, type Waiting } from './engine/slots.js';
export { isThenable, onSettled } from './engine/thenable.js';
export { Wheel, WheelTask } from './engine/wheel.js';
export { systemClock } from './ports/clock.js';
export { safeLogger, silentLogger } from './ports/logger.js';
export { systemRandom } from './ports/random.js';
