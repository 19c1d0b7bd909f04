import { gatewaySnapshotSchema } from '../wire/gateway-schema.js';
import { discardBody, readBody } from '../wire/read-body.js';
import type { SnapshotFetchResponse } from './fetch.js';
import type { PollOutcome } from './poll-record.js';

/** More than this is no snapshot. Also as characters, which in UTF-8 are never fewer bytes. */
export const MAX_SNAPSHOT_BYTES = 64 * 1024;

const TOO_LONG = `longer than ${MAX_SNAPSHOT_BYTES} bytes`;

/** A text that is said to be a snapshot. What is refused is not repeated in the error: it may hold anything. */
export function readSnapshotText(what: string, text: string): PollOutcome {
  if (text.length > MAX_SNAPSHOT_BYTES) return refused(what, TOO_LONG);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return refused(what, text === '' ? 'empty' : 'no JSON');
  }
  return validated(what, value);
}

/** Whatever its status: with `statusCode: 'reflect'` a gateway that is not ready says so with 503. */
export async function readAnswer(response: SnapshotFetchResponse): Promise<PollOutcome> {
  const { status, type, headers } = response;
  // A browser hides the status of a redirect that is not followed.
  const hidden = type === 'opaqueredirect';
  const what = hidden ? 'the answer' : `the answer (HTTP ${Number(status)})`;
  if (hidden || (status >= 300 && status < 400)) {
    await discardBody(response);
    return refused(what, 'a redirect, and none is followed');
  }
  if (Number(headers?.get('content-length') ?? 0) > MAX_SNAPSHOT_BYTES) {
    await discardBody(response);
    return refused(what, TOO_LONG);
  }
  const text = await readBody(response, MAX_SNAPSHOT_BYTES);
  return text === undefined ? refused(what, TOO_LONG) : readSnapshotText(what, text);
}

function validated(what: string, value: unknown): PollOutcome {
  const result = gatewaySnapshotSchema['~standard'].validate(value);
  if (result.issues === undefined) return { ok: true, snapshot: result.value };
  const [issue] = result.issues;
  // The path is of members that the schema knows, the message one of its own.
  const at = issue?.path?.map(String).join('.') ?? '';
  return refused(what, `no snapshot: ${at === '' ? '' : `${at}: `}${issue?.message ?? 'invalid'}`);
}

function refused(what: string, why: string): PollOutcome {
  return { ok: false, error: `${what} is ${why}` };
}
