import { type CheckHandle, type Controller, degraded, type HealthCheck, healthy, unhealthy } from '../../index.js';
import { checkValue, flag, having, readOptions, resolveCheck, where } from '../../kit.js';
import { type Fault, faultText } from './fault.js';
import type { Observer } from './observer.js';

/** Options of {@link Gateway.checks} and {@link Gateway.attach}. */
export interface GatewayCheckOptions {
  /**
   * Also `gateway-liveness`: when the gateway is dead, this process counts as dead. Only where restarting this process
   * restarts the gateway.
   * @defaultValue false
   */
  readonly liveness?: boolean | undefined;
  /** How often they are polled. 0 or absent: run inline per report. */
  readonly intervalMs?: number | undefined;
}

/** What `attach` needs of a controller, from whichever copy of the package. */
export type GatewayHost = Pick<Controller, 'registerCheck' | 'on'>;

const OPTIONS = { liveness: flag(), intervalMs: where(() => true, 'anything') };
/** How much later than the probe its check times out: the probe's own answer says more. */
const MARGIN_MS = 1000;
const MAX_MS = 2_147_483_647;

/** The checks of a gateway. They never start anything. */
export function gatewayChecks(observer: Observer, at: string, given: unknown): readonly HealthCheck[] {
  const options: GatewayCheckOptions = readOptions(at, OPTIONS, given);
  const { passiveTimeoutMs } = observer.settings;
  const shared = {
    timeoutMs: Math.min(MAX_MS, passiveTimeoutMs + MARGIN_MS),
    ...(options.intervalMs === undefined ? undefined : { intervalMs: options.intervalMs }),
  };
  const checks: HealthCheck[] = [
    { name: 'gateway-readiness', type: 'readiness', ...shared, check: () => checkReadiness(observer) },
  ];
  if (options.liveness === true) {
    checks.push({ name: 'gateway-liveness', type: 'liveness', ...shared, check: () => checkLiveness(observer) });
  }
  // What registerCheck would refuse is refused here, where it was written.
  for (const check of checks) resolveCheck(check);
  return Object.freeze(checks);
}

async function checkReadiness(observer: Observer) {
  const { snapshot, readiness, restoring } = await observer.observe('passive');
  const { status, phase } = snapshot;
  const data = { status, phase };
  if (readiness.fault !== undefined) return failing(readiness.fault, data);
  if (restoring === undefined) return healthy(undefined, data);
  // Ready, but with the state of yesterday, or none: traffic has to wait.
  const { fault, forMs } = restoring;
  const stuck = fault.reason === 'restoring' && forMs >= observer.settings.stuckAfterMs;
  return failing(stuck ? { ...fault, reason: 'restore_stuck' } : fault, data);
}

async function checkLiveness(observer: Observer) {
  const { fault } = await observer.liveness();
  if (fault === undefined) return healthy();
  // Reachable but unreadable is not dead: nobody must restart it for that.
  return fault.status === 'unknown' ? degraded(faultText(fault), undefined, fault.reason) : failing(fault);
}

const failing = (fault: Fault, data?: Readonly<Record<string, unknown>>) =>
  unhealthy(faultText(fault), data, fault.reason);

/** Registers the checks; from the controller's shutdown on the gateway is neither started nor backed up. */
export function attachGateway(observer: Observer, controller: GatewayHost, given: unknown): readonly CheckHandle[] {
  checkValue('attach(): the controller', having('registerCheck', 'on'), controller);
  const checks = gatewayChecks(observer, 'attach()', given);
  const handles: CheckHandle[] = [];
  try {
    for (const check of checks) handles.push(controller.registerCheck(check));
  } catch (error) {
    // All or none.
    for (const handle of handles) handle.unregister();
    throw error;
  }
  observer.follow(controller);
  return Object.freeze(handles);
}
