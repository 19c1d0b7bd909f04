import type { KnownTime, SnapshotRow, UptimeWindow } from '../../../../src/client/index.js';

/**
 * Uptime by looking at every millisecond: the newest row that is not later than it says what it was, unless that row is
 * `maxGapMs` old. Of rows of one time the one that was up counts.
 */
export function uptimeByMilliseconds(rows: readonly SnapshotRow[], { from, to, maxGapMs }: UptimeWindow): KnownTime {
  let upMs = 0;
  let downMs = 0;
  for (let at = from; at < to; at++) {
    const before = rows.filter(({ insertedAt }) => insertedAt <= at);
    const newest = Math.max(...before.map(({ insertedAt }) => insertedAt));
    if (!(at - newest < maxGapMs)) continue;
    const standing = before.filter(({ insertedAt }) => insertedAt === newest);
    if (standing.some(({ startupOk, readinessOk }) => startupOk && readinessOk)) upMs++;
    else downMs++;
  }
  return { upMs, downMs };
}
