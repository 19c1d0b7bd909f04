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
    restartResetIntervalMs: 30_000,
  }),
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
