import type { ServicePhase } from '../core/service-phase.js';
import type { RunState } from './service-entry.js';

const STARTING: RunState = { reason: 'starting', error: 'service is not up yet', outranksProbe: false };
const BACKING_OFF: RunState = {
  reason: 'backing_off',
  error: 'service has failed and is being restarted',
  outranksProbe: true,
};
const GAVE_UP: RunState = { reason: 'gave_up', error: 'service has failed and is not restarted', outranksProbe: true };

/** How a service's phase shows in reports, where that is asked for; undefined: not at all. */
export function runStateOf(phase: ServicePhase, missing: readonly string[]): RunState | undefined {
  switch (phase) {
    case 'idle':
    case 'starting':
      return STARTING;
    case 'waiting': {
      const names = missing.map((name) => JSON.stringify(name)).join(', ');
      return { reason: 'waiting', error: `service waits for ${names}`, outranksProbe: false };
    }
    case 'halting':
    case 'backoff':
      return BACKING_OFF;
    case 'gave_up':
      return GAVE_UP;
    default:
      return undefined;
  }
}
