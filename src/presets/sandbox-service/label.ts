import type { ServiceHealth } from '../../wire/service-health.js';

/** What a {@link label} is made of: an exposed service has it. */
export interface Labelled {
  readonly endpoint: { readonly readinessCheck?: unknown };
  readonly health: Pick<ServiceHealth, 'state'>;
}

export type ServiceLabel = 'Ready' | 'Not ready' | 'Responsive' | 'Unresponsive' | 'Unknown';

/**
 * The state in words that promise no more than was checked (seed 001): `Ready` or `Not ready` for a service with a
 * readiness check, `Responsive` or `Unresponsive` for one without, `Unknown` for either.
 */
export function label(service: Labelled): ServiceLabel {
  const { state } = service.health;
  if (state === 'unknown') return 'Unknown';
  const checked = service.endpoint.readinessCheck !== undefined;
  if (state === 'healthy') return checked ? 'Ready' : 'Responsive';
  return checked ? 'Not ready' : 'Unresponsive';
}
