/** Every default of the controller, its services and its checks: the one place where they are written. */
export const DEFAULTS = Object.freeze({
  controller: Object.freeze({
    drainDelayMs: 0,
    holdTimeoutMs: 5000,
    shutdownTimeoutMs: 5000,
    signals: false,
    reportRunState: false,
  }),
  service: Object.freeze({
    probeTimeoutMs: 5000,
    runToCompletion: false,
    stopOnGiveUp: false,
    /** Also how long a foreground run must be pending to count as up, policy or not. */
    restartResetIntervalMs: 30_000,
  }),
  restartPolicy: Object.freeze({
    maxRestarts: Number.POSITIVE_INFINITY,
    initialBackoffMs: 1000,
    maxBackoffMs: 30_000,
    multiplier: 2,
    jitter: 'none',
    healthFailureThreshold: 0,
    healthCheckIntervalMs: 10_000,
    restartWindowMs: 0,
  }),
  stopOnGiveUp: Object.freeze({ healthFailureThreshold: 3, healthCheckIntervalMs: 10_000 }),
  supervisor: Object.freeze({ stopTimeoutMs: 5000, detachTimeoutMs: 5000 }),
  check: Object.freeze({
    type: 'readiness',
    critical: true,
    intervalMs: 0,
    timeoutMs: 5000,
    maxAgeMs: 0,
    initialDelayMs: 0,
    jitter: 0,
    failureThreshold: 1,
    successThreshold: 1,
    maxAbandoned: 2,
  }),
});
