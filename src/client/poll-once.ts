import type { PollOnceOptions } from './options.js';
import { type PollResult, resultOf } from './poll-result.js';
import { SnapshotRequest } from './request.js';
import { resolveOnce } from './resolve.js';

/**
 * One try by HTTP, for a job of a queue or a scheduled function: it keeps nothing. What it comes to goes into
 * {@link recordPoll}, whose record any worker can go on with. Never rejects for what the instance does.
 * @throws HealthControllerError `invalid_option`, as a rejection
 */
export async function pollOnce(options: PollOnceOptions): Promise<PollResult> {
  const { instance, clock } = resolveOnce(options);
  const { target, headers, poll } = instance;
  const { fetch, timeoutMs } = poll;
  // Nobody could be told of a call that is left behind: each stands alone.
  const leave = () => () => {};
  const request = new SnapshotRequest({ clock, fetch, url: target.httpUrl, headers, timeoutMs, leave });
  return resultOf(await new Promise((resolve) => request.begin(resolve, true)));
}
