import type { GatewayProcessType } from '../../wire/gateway.js';
import { isPresent, type ListedProcess } from './classify.js';
import type { Measured } from './deadline.js';
import { type Fault, thrownText } from './fault.js';

/** What a listing says about the gateway. `unknown`: nobody could look, which is not the same as nobody there. */
export type ProcessView =
  | { readonly kind: 'seen'; readonly gateway: ListedProcess | undefined; readonly script: ListedProcess | undefined }
  | { readonly kind: 'unknown'; readonly fault: Fault };

const listingFault = (summary: string, detail?: string, reason = 'listing_failed'): ProcessView => ({
  kind: 'unknown',
  fault: { status: 'unknown', reason, summary, detail },
});

/** Looks for the gateway and its start script in what a listing came to. Never throws. */
export function viewProcesses(listing: Measured<unknown>, classify: (process: ListedProcess) => unknown): ProcessView {
  if (listing.kind === 'timeout') return listingFault('the process listing timed out', undefined, 'listing_timeout');
  if (listing.kind === 'thrown') return listingFault('the processes could not be listed', thrownText(listing.error));
  if (!isProcessList(listing.value)) {
    return listingFault('the process listing returned something else than a list of processes');
  }
  try {
    return look(listing.value, classify);
  } catch (error) {
    return listingFault('the listed processes could not be classified', thrownText(error));
  }
}

function look(processes: readonly ListedProcess[], classify: (process: ListedProcess) => unknown): ProcessView {
  const found: { [Type in GatewayProcessType]: ListedProcess | undefined } = { gateway: undefined, script: undefined };
  let unreadable = 0;
  for (const process of processes) {
    if (process.status === 'unreadable') unreadable++;
    if (!isPresent(process)) continue;
    const type = classify(process);
    if (type === null || type === undefined) continue;
    if (type !== 'gateway' && type !== 'script') throw new TypeError("expected 'gateway', 'script' or null");
    // Of several the first that runs: one that is starting is not ready.
    const known = found[type];
    if (known === undefined || (known.status === 'starting' && process.status === 'running')) found[type] = process;
  }
  if (unreadable > 0 && found.gateway === undefined && found.script === undefined) {
    return listingFault(
      'no gateway among the processes that may be read; others are hidden',
      undefined,
      'listing_partial',
    );
  }
  return { kind: 'seen', ...found };
}

function isProcessList(value: unknown): value is readonly ListedProcess[] {
  return Array.isArray(value) && value.every(isProcess);
}

function isProcess(value: unknown): value is ListedProcess {
  if (typeof value !== 'object' || value === null) return false;
  try {
    const { id, command, status } = value as { [Key in keyof ListedProcess]?: unknown };
    const isId = id === undefined || typeof id === 'string' || typeof id === 'number';
    return isId && typeof command === 'string' && typeof status === 'string';
  } catch {
    return false;
  }
}

/** The process that a snapshot names: the gateway, or else its script. */
export function namedProcess(view: ProcessView): { processId?: string; processType?: GatewayProcessType } {
  if (view.kind === 'unknown') return {};
  const process = view.gateway ?? view.script;
  if (process === undefined) return {};
  return {
    ...(process.id === undefined ? undefined : { processId: String(process.id) }),
    processType: view.gateway === undefined ? 'script' : 'gateway',
  };
}
