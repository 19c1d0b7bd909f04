import type { SnapshotRow } from './row.js';
import type { KnownTime, UptimeWindow } from './store.js';

type Standing = Pick<SnapshotRow, 'insertedAt' | 'startupOk' | 'readinessOk'>;

/** What {@link SnapshotStore} says of `uptime`, over rows in their order. Pure. */
export function knownTime(rows: readonly Standing[], { from, to, maxGapMs }: UptimeWindow): KnownTime {
  let upMs = 0;
  let downMs = 0;
  for (const [index, row] of rows.entries()) {
    const next = rows[index + 1]?.insertedAt ?? Number.POSITIVE_INFINITY;
    const until = Math.min(next, row.insertedAt + maxGapMs, to);
    const stands = Math.max(0, until - Math.max(row.insertedAt, from));
    if (row.startupOk && row.readinessOk) upMs += stands;
    else downMs += stands;
  }
  return { upMs, downMs };
}
