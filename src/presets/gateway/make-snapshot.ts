import {
  deriveGatewayStatus,
  type GatewayPhase,
  type GatewaySnapshot,
  type RestoreStatus,
} from '../../wire/gateway.js';
import type { Judged } from './fault.js';
import type { Probed } from './memory.js';
import { namedProcess, type ProcessView } from './process-view.js';

/** Makes the snapshot, whole or without any text from outside. */
export function makeSnapshot(
  ts: string,
  probed: Probed,
  view: ProcessView,
  restoreStatus: RestoreStatus,
  phase: GatewayPhase,
  what: 'result' | 'published',
): GatewaySnapshot {
  const process = namedProcess(view);
  const found = view.kind === 'unknown' ? 'unknown' : process.processType;
  const show = (probe: Judged): Judged['result'] => probe[what];
  return Object.freeze({
    ts,
    startup: show(probed.startup),
    readiness: show(probed.readiness),
    liveness: show(probed.liveness),
    restoreStatus,
    status: deriveGatewayStatus(probed.readiness.result, found),
    ...process,
    phase,
  });
}
