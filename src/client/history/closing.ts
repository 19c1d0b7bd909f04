import type { Clock, Logger } from '../../index.js';
import { withDeadline } from '../../kit.js';
import type { Losses } from './losses.js';
import type { StoreAccess } from './store-access.js';
import type { Writer } from './writer.js';

/** How a history is closed. */
export interface CloseOptions {
  /**
   * How long rows that are held are still tried to be written, from the call on. 0: they are dropped.
   * @defaultValue 5000
   */
  readonly timeoutMs?: number | undefined;
}

/** What the end of a history came to. */
export interface CloseOutcome {
  /** Rows that could not be written any more: they count as dropped. */
  readonly dropped: number;
  /** How many of those may be in the store nonetheless, since a write of them was not answered. */
  readonly uncertain: number;
}

interface Closing {
  readonly writer: Writer;
  readonly losses: Losses;
  readonly access: StoreAccess;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Writes what is held as long as there is time, then gives up the rest. Never rejects. */
export async function closeWriting(
  { writer, losses, access, clock, logger }: Closing,
  timeoutMs: number,
): Promise<CloseOutcome> {
  const until = clock.now() + timeoutMs;
  const leftMs = (): number => until - clock.now();
  while (writer.queued > 0 && leftMs() > 0) {
    const flushed = await withDeadline(writer.flush(), leftMs(), clock);
    if (flushed.settled && !flushed.value) await pause(Math.min(writer.retryAfterMs, leftMs()), clock);
  }
  const { uncertain } = writer;
  const dropped = writer.close();
  if (dropped > 0) losses.add('closed', dropped);
  losses.close();
  try {
    await withDeadline(access.close(), leftMs(), clock);
  } catch (error) {
    logger.warn('history: the store could not be closed', { error });
  }
  return Object.freeze({ dropped, uncertain });
}

/** Somebody waits for it. */
function pause(delayMs: number, clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    clock.setTimeout(resolve, Math.max(0, delayMs), { keepAlive: true });
  });
}
