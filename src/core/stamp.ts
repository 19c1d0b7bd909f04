/** A wall-clock reading as ISO 8601. A reading that is no time gives the epoch, never an exception. */
export function isoStamp(epochMs: number): string {
  const date = new Date(epochMs);
  return Number.isNaN(date.getTime()) ? '1970-01-01T00:00:00.000Z' : date.toISOString();
}
