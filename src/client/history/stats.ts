/** What a history has done so far. `recorded` is `queued`, `written` and `dropped` together. */
export interface HistoryStats {
  /** Rows that were given to it. */
  readonly recorded: number;
  /** Rows that are held and not in the store yet, as far as is known. */
  readonly queued: number;
  /** Rows that the store has taken. */
  readonly written: number;
  /** Rows that were dropped, for whatever reason. */
  readonly dropped: number;
  /** Rows that were removed because of their age. */
  readonly pruned: number;
  /** Calls of the store that failed or were late; reads are not counted. */
  readonly failures: number;
}
