import type { RestoreStatus } from '../../wire/gateway.js';
import type { Measured } from './deadline.js';
import { codeOf, type Fault, failed, type Judged, passed, thrownText } from './fault.js';
import { type HealthAnswer, MAX_BODY_BYTES } from './health-answer.js';
import type { ProcessView } from './process-view.js';

const failure = (reason: string, summary: string, detail?: string): Fault => ({
  status: 'failure',
  reason,
  summary,
  detail,
});
const unknown = (reason: string, summary: string): Fault => ({ status: 'unknown', reason, summary });

/** Is the gateway alive: 200 and a body with `ok: true`. */
export function judgeLiveness(asked: Measured<HealthAnswer>): Judged {
  const fault = livenessFault(asked);
  return fault === undefined ? passed(asked.latencyMs) : failed(asked.latencyMs, fault);
}

function livenessFault(asked: Measured<HealthAnswer>): Fault | undefined {
  if (asked.kind !== 'value') return requestFault(asked);
  const { status, html, body } = asked.value;
  if (status === 401 || status === 403)
    return unknown('unauthorized', `the health URL asks for credentials (${status})`);
  if (status === 404) return unknown('no_health_route', 'the gateway has no such health route (404)');
  if (status !== 200) return statusFault(status);
  if (html) return unknown('no_health_route', 'the health URL answers with a page, as old gateways do');
  if (body === undefined) return failure('body', `the health answer is longer than ${MAX_BODY_BYTES} bytes`);
  return saysOk(body) ? undefined : failure('body', 'the health answer does not say ok: true');
}

function saysOk(body: string): boolean {
  try {
    const answer: unknown = JSON.parse(body);
    return typeof answer === 'object' && answer !== null && 'ok' in answer && answer.ok === true;
  } catch {
    return false;
  }
}

function statusFault(status: number): Fault {
  const redirect = status >= 300 && status < 400;
  return failure(
    redirect ? 'redirect' : 'http_status',
    `the health URL answered ${redirect ? 'with a redirect ' : ''}(${status})`,
  );
}

const CONNECT_CODES: Readonly<Record<string, readonly [reason: string, summary: string]>> = {
  ECONNREFUSED: ['connect', 'nothing listens at the health URL'],
  ENOTFOUND: ['dns', 'the host of the health URL has no address'],
  EAI_AGAIN: ['dns', 'the host of the health URL could not be looked up'],
};

function requestFault(asked: Exclude<Measured<HealthAnswer>, { kind: 'value' }>): Fault {
  if (asked.kind === 'timeout') return failure('timeout', 'the health request timed out');
  const code = codeOf(asked.error) ?? '';
  const [reason, summary] = CONNECT_CODES[code] ?? ['request', 'the health request failed'];
  return failure(
    /^(ERR_TLS|CERT_|UNABLE_TO|DEPTH_ZERO|SELF_SIGNED)/.test(code) ? 'tls' : reason,
    summary,
    thrownText(asked.error),
  );
}

/** Can it serve: no start script, a gateway that runs, 200. `lastStart` is how the last start of it failed. */
export function judgeReadiness(
  processes: ProcessView,
  asked: Measured<HealthAnswer>,
  latencyMs: number,
  lastStart: Fault | undefined,
): Judged {
  const fault = readinessFault(processes, asked, lastStart);
  return fault === undefined ? passed(latencyMs) : failed(latencyMs, fault);
}

function readinessFault(
  processes: ProcessView,
  asked: Measured<HealthAnswer>,
  lastStart: Fault | undefined,
): Fault | undefined {
  if (processes.kind === 'unknown') return processes.fault;
  const { gateway, script } = processes;
  if (script !== undefined) return failure('start_script', 'the start script has not exited');
  if (gateway === undefined) return absent(lastStart);
  if (gateway.status !== 'running') return failure('process_starting', 'the gateway process is starting');
  if (asked.kind !== 'value') return requestFault(asked);
  return asked.value.status === 200 ? undefined : statusFault(asked.value.status);
}

function absent(lastStart: Fault | undefined): Fault {
  const summary = 'no gateway process is running';
  if (lastStart === undefined) return failure('no_process', summary);
  return failure(lastStart.reason, `${summary}; ${lastStart.summary}`, lastStart.detail);
}

/** Has it completed its start: both of the others, and the backup restored where there was one. */
export function judgeStartup(
  liveness: Judged,
  readiness: Judged,
  restore: Fault | undefined,
  latencyMs: number,
): Judged {
  const faults = [liveness.fault, readiness.fault, restore].filter((fault) => fault !== undefined);
  const first = faults.find(({ status }) => status === 'failure') ?? faults[0];
  return first === undefined ? passed(latencyMs) : failed(latencyMs, first);
}

/** What is known of the backup, and what about it holds up the startup. */
export interface RestoreView {
  readonly status: RestoreStatus;
  readonly fault: Fault | undefined;
}

export const NO_BACKUP: RestoreStatus = Object.freeze({ hadBackup: false, restored: false });

/** Reads what `restoreStatus` came to. `last` is what it said before, which is shown where it says nothing now. */
export function viewRestore(asked: Measured<unknown> | undefined, last: RestoreStatus): RestoreView {
  if (asked === undefined) return { status: NO_BACKUP, fault: undefined };
  if (asked.kind === 'timeout')
    return { status: last, fault: failure('restore_unknown', 'the restore status timed out') };
  if (asked.kind === 'thrown') {
    const summary = 'the restore status could not be read';
    return { status: last, fault: failure('restore_unknown', summary, thrownText(asked.error)) };
  }
  const status = readRestoreStatus(asked.value);
  if (status === undefined) {
    return { status: last, fault: failure('restore_unknown', 'the restore status is not { hadBackup, restored }') };
  }
  const open = status.hadBackup && !status.restored;
  return { status, fault: open ? failure('restoring', 'the backup has not been restored') : undefined };
}

function readRestoreStatus(value: unknown): RestoreStatus | undefined {
  try {
    const { hadBackup, restored } = value as { [Key in keyof RestoreStatus]?: unknown };
    if (typeof hadBackup !== 'boolean' || typeof restored !== 'boolean') return undefined;
    return Object.freeze({ hadBackup, restored });
  } catch {
    return undefined;
  }
}
