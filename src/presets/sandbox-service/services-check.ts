import { type CheckResult, degraded, healthy, unhealthy } from '../../index.js';
import type { ServiceHealthState } from '../../wire/service-health.js';
import type { ExposedService } from './options.js';

/** So many services are named in a report, those that need attention first. */
const MAX_NAMED = 100;
const FIRST: readonly ServiceHealthState[] = ['unhealthy', 'unknown', 'healthy'];

/** How all services together stand in a report. `gate`: whether one that is not healthy fails it. */
export function judgeServices(services: readonly ExposedService[], gate: boolean): CheckResult {
  const of: Record<ServiceHealthState, ExposedService[]> = { unhealthy: [], unknown: [], healthy: [] };
  for (const service of services) of[service.health.state].push(service);
  const named = FIRST.flatMap((state) => of[state]).slice(0, MAX_NAMED);
  const data = {
    healthy: of.healthy.length,
    unhealthy: of.unhealthy.length,
    unknown: of.unknown.length,
    services: named.map(({ endpoint: { workspace, sandbox, service }, health: { state } }) => ({
      workspace,
      sandbox,
      service,
      state,
    })),
  };
  if (of.healthy.length === services.length) return healthy(undefined, data);
  const message = `of ${services.length} services ${of.unhealthy.length} are unhealthy, ${of.unknown.length} unknown`;
  const reason = of.unhealthy.length > 0 ? 'service_unhealthy' : 'service_unknown';
  return gate ? unhealthy(message, data, reason) : degraded(message, data, reason);
}
