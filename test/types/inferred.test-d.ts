// Compiled by tsc, never run: what a caller is given has the types that he is told.
import {
  type CheckEvent,
  type CheckHandle,
  type CheckSnapshot,
  Controller,
  type HealthControllerErrorCode,
  type HealthReport,
  isHealthControllerError,
  type LifecycleState,
  type Outcome,
  type ServiceEvent,
  type StateEvent,
} from '../../src/index.js';

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** Compiles where both types are the same. */
function same<A, B>(_same: Same<A, B>): void {}

const controller = new Controller();

same<Controller['state'], LifecycleState>(true);
same<LifecycleState, 'never_started' | 'running' | 'unable_to_start' | 'stopping' | 'stopped'>(true);
same<ReturnType<Controller['stop']>, Promise<Outcome>>(true);
same<ReturnType<Controller['wait']>, Promise<Outcome>>(true);
same<ReturnType<Controller['whenReady']>, Promise<boolean>>(true);
same<ReturnType<Controller['readiness']>, Promise<HealthReport>>(true);
same<ReturnType<Controller['checkResult']>, CheckSnapshot | undefined>(true);
same<ReturnType<Controller['registerCheck']>, CheckHandle>(true);
same<ReturnType<Controller['hold']>, () => void>(true);
same<Outcome['exitCode'], 0 | 1>(true);
same<Outcome['cause'], 'stop' | 'signal' | 'parent' | 'gave_up' | 'not_started'>(true);
same<CheckEvent['to'], 'healthy' | 'degraded' | 'unhealthy' | 'pending' | 'stale'>(true);
same<HealthReport['services'][number]['status'], 'OK' | 'DEGRADED' | 'ERROR'>(true);

// Each event brings its own payload.
controller.on('state', (event) => same<typeof event, StateEvent>(true));
controller.on('check', (event) => same<typeof event, CheckEvent>(true));
controller.once('service', (event) => same<typeof event, ServiceEvent>(true));

// An exit code may be handed to the process as it is.
process.exitCode = (await controller.wait()).exitCode;

// What was thrown is narrowed by its code.
try {
  controller.register('');
} catch (error) {
  if (isHealthControllerError(error, 'invalid_option')) same<typeof error.code, HealthControllerErrorCode>(true);
}

// A switch over the states is complete.
export function inWords(state: LifecycleState): string {
  switch (state) {
    case 'never_started':
      return 'not yet';
    case 'running':
      return 'yes';
    case 'unable_to_start':
      return 'no';
    case 'stopping':
    case 'stopped':
      return 'no more';
  }
}

// Reports are read only, down to their entries.
const report = await controller.status();
// @ts-expect-error the verdict cannot be written
report.overallHealthy = true;
// @ts-expect-error nor can entries be added
report.services.push({ name: 'x', kind: 'check', status: 'OK' });
// @ts-expect-error nor can the data of one be changed
if (report.services[0]?.data) report.services[0].data.a = 1;
