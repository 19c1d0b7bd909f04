import { type GatewaySnapshot, type GatewayVerdict, readSnapshot } from '../wire/gateway.js';
import type { PollOutcome } from './poll-record.js';

/** What one try came to. Frozen. It can be given to {@link recordPoll}. */
export type PollResult =
  | { readonly ok: true; readonly snapshot: GatewaySnapshot; readonly verdict: GatewayVerdict }
  | {
      readonly ok: false;
      /** A sentence of ours, in which nothing of the answer and no credential is. */
      readonly error: string;
    };

export function resultOf(outcome: PollOutcome): PollResult {
  if (!outcome.ok) return Object.freeze({ ok: false, error: outcome.error });
  const { snapshot } = outcome;
  return Object.freeze({ ok: true, snapshot, verdict: readSnapshot(snapshot) });
}
