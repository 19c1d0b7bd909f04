// Compiled by tsc, never run: a line after `@ts-expect-error` that compiles fails the type check.
import {
  type CheckResult,
  Controller,
  degraded,
  type HealthCheck,
  healthy,
  Supervisor,
  unhealthy,
  withDependsOn,
  withLiveness,
  withProbeTimeout,
  withReadiness,
  withRestartPolicy,
  withStart,
  withStatus,
  withStop,
  withStopOnGiveUp,
} from '../../src/index.js';
import { FakeClock } from '../../src/testing/index.js';

const controller = new Controller();
const check = () => true;

// A check
// @ts-expect-error a misspelt type
controller.registerCheck({ name: 'db', check, type: 'readyness' });
// @ts-expect-error a type of another case
controller.registerCheck({ name: 'db', check, type: 'Liveness' });
// @ts-expect-error a string for an interval
controller.registerCheck({ name: 'db', check, intervalMs: '5000' });
// @ts-expect-error a BigInt for an interval
controller.registerCheck({ name: 'db', check, intervalMs: 5000n });
// @ts-expect-error a Date for a timeout
controller.registerCheck({ name: 'db', check, timeoutMs: new Date() });
// @ts-expect-error null for a timeout
controller.registerCheck({ name: 'db', check, timeoutMs: null });
// @ts-expect-error no check
controller.registerCheck({ name: 'db' });
// @ts-expect-error no name
controller.registerCheck({ check });
// @ts-expect-error a promise for a check
controller.registerCheck({ name: 'db', check: Promise.resolve(true) });
// @ts-expect-error an option that there is not
controller.registerCheck({ name: 'db', check, timeout: 5000 });
// @ts-expect-error another that there is not
controller.registerCheck({ name: 'db', check, interval: 5000 });
// @ts-expect-error a text for a flag
controller.registerCheck({ name: 'db', check, critical: 'no' });
// @ts-expect-error a check that returns a text
controller.registerCheck({ name: 'db', check: () => 'healthy' });
// @ts-expect-error a check that resolves to a number
controller.registerCheck({ name: 'db', check: async () => 1 });
// @ts-expect-error a check that returns null
controller.registerCheck({ name: 'db', check: () => null });
// @ts-expect-error a check that returns an object without a status
controller.registerCheck({ name: 'db', check: () => ({ ok: true }) });
// @ts-expect-error a check that returns a status that there is not
controller.registerCheck({ name: 'db', check: () => ({ status: 'up' }) });
// @ts-expect-error a check that wants more than its context
controller.registerCheck({ name: 'db', check: (_context: object, _more: number) => true });

// A result
// @ts-expect-error a misspelt status
const misspelt: CheckResult = { status: 'healty' };
// @ts-expect-error degraded says why
degraded();
// @ts-expect-error unhealthy says why
unhealthy();
// @ts-expect-error an Error for a message
unhealthy(new Error('gone'));
// @ts-expect-error a text for data
healthy('fine', 'data');
// @ts-expect-error a number for a reason
unhealthy('gone', {}, 503);
const result = healthy();
// @ts-expect-error results are not changed
result.status = 'unhealthy';

// A controller
// @ts-expect-error a string for a delay
new Controller({ drainDelayMs: '5s' });
// @ts-expect-error an option that there is not
new Controller({ drainDelay: 5000 });
// @ts-expect-error one signal that is no list
new Controller({ signals: 'SIGTERM' });
// @ts-expect-error an AbortController for a signal
new Controller({ signal: new AbortController() });
// @ts-expect-error a logger without its methods
new Controller({ logger: { info() {} } });
// @ts-expect-error Date for a clock
new Controller({ clock: Date });
// @ts-expect-error a number for chance
new Controller({ random: 0.5 });
// @ts-expect-error the state is read only
controller.state = 'running';
// @ts-expect-error a state that there is not
if (controller.state === 'started') controller.start();
// @ts-expect-error an event that there is not
controller.on('health', () => {});
// @ts-expect-error a payload of another event
controller.on('check', (event: { service: string }) => event.service);
// @ts-expect-error a name instead of a list
controller.status({ only: 'db' });
// @ts-expect-error a misspelt option
controller.readiness({ exlude: ['db'] });
// @ts-expect-error a number instead of options
controller.whenReady(5000);
// @ts-expect-error a kind that there is not
controller.names('startup');
// @ts-expect-error a hold has a name
controller.hold();

// A service
// @ts-expect-error a misspelt function
controller.register('api', { strat: () => {} });
// @ts-expect-error no name
controller.register({ start: () => {} });
// @ts-expect-error a string for a timeout
controller.register('api', { probeTimeoutMs: '5000' });
// @ts-expect-error a probe that returns a text
withStatus(() => 'ok');
// @ts-expect-error a probe that returns a number
withLiveness(() => 1);
// @ts-expect-error a probe that is no function
withReadiness(true);
// @ts-expect-error a start that is no function
withStart('start');
// @ts-expect-error a stop that is no function
withStop(5);
// @ts-expect-error a string for a timeout
withProbeTimeout('5000');
// @ts-expect-error a jitter that there is not
withRestartPolicy({ jitter: 'random' });
// @ts-expect-error an option that there is not
withRestartPolicy({ maxRetries: 3 });
// @ts-expect-error a string for a count
withRestartPolicy({ maxRestarts: '3' });
// @ts-expect-error an option that there is not
withStopOnGiveUp({ threshold: 3 });
// @ts-expect-error a name that is none
withDependsOn(5);
controller.register('api', {
  // @ts-expect-error a context has no such thing
  start: ({ abort }) => abort(),
});

// A supervisor
const supervisor = new Supervisor();
// @ts-expect-error a child without a name
supervisor.attach({ start: () => {} });
// @ts-expect-error a child without a start
supervisor.attach({ name: 'job' });
// @ts-expect-error a child has no status probe to poll
supervisor.attach({ name: 'job', start: () => {}, restartPolicy: { healthFailureThreshold: 3 } });

// What the test kit takes
// @ts-expect-error a string for a time
new FakeClock({ nowMs: '5' });

// What may be written, so that the lines above fail for their own reason.
const whole: HealthCheck = { name: 'db', check, type: 'both', intervalMs: 5000, timeoutMs: undefined };
controller.registerCheck(whole);
controller.registerCheck({ name: 'a', check: ({ signal }) => void signal.aborted });
controller.registerCheck({ name: 'b', check: async () => degraded('slow', { ms: 900 }, 'latency') });
controller.registerCheck({ name: 'c', check: () => (Math.random() > 0.5 ? healthy() : false) });
controller.registerCheck({ name: 'd', check: () => ({ status: 'healthy' }) });
controller.register(
  'api',
  withStart(async ({ ready }) => ready()),
  withStatus(check),
  { stop: ({ deadlineMs }) => deadlineMs },
);
controller.register('later', {
  start: () => 5,
  dependsOn: 'api',
  restartPolicy: { maxRestarts: Number.POSITIVE_INFINITY },
});

export { misspelt };
