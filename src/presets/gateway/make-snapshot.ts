import {
  deriveGatewayStatus,
  type GatewayPhase,
  type GatewaySnapshot,
  type RestoreStatus,
} from '../../wire/gateway.js';
import type { Judged } from './fault.js';
import type { Probed } from './memory.js';
import { namedProcess, type ProcessView } from './process-view.js';

/** One snapshot, as it is kept and as it may be published: without any text from outside. */
export interface Snapshots {
  readonly snapshot: GatewaySnapshot;
  readonly published: GatewaySnapshot;
}

export function makeSnapshots(
  ts: string,
  probed: Probed,
  view: ProcessView,
  restoreStatus: RestoreStatus,
  phase: GatewayPhase,
): Snapshots {
  const process = namedProcess(view);
  const found = view.kind === 'unknown' ? 'unknown' : process.processType;
  const status = deriveGatewayStatus(probed.readiness.result, found);
  const make = (show: (probe: Judged) => Judged['result']): GatewaySnapshot =>
    Object.freeze({
      ts,
      startup: show(probed.startup),
      readiness: show(probed.readiness),
      liveness: show(probed.liveness),
      restoreStatus,
      status,
      ...process,
      phase,
    });
  return { snapshot: make(({ result }) => result), published: make(({ published }) => published) };
}
