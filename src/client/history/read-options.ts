import { duration, invalidOption, oneOf, readOptions, where } from '../../kit.js';
import type { RowRange, UptimeWindow } from './store.js';

/** Which rows of an instance are read. Times are milliseconds since 1970, as `Date.now()` gives them. */
export interface RangeOptions {
  /**
   * Rows at or after this time.
   * @defaultValue 0
   */
  readonly from?: number | undefined;
  /** Rows before this time. Absent: all after `from`. */
  readonly to?: number | undefined;
  /**
   * At most so many rows, up to 10 000.
   * @defaultValue 1000
   */
  readonly limit?: number | undefined;
  /**
   * `asc`: the oldest first. `desc`: the newest first, so that `limit` keeps the newest.
   * @defaultValue 'asc'
   */
  readonly order?: 'asc' | 'desc' | undefined;
}

/** Over what uptime is asked for. Times are milliseconds since 1970, as `Date.now()` gives them. */
export interface UptimeOptions {
  /** The begin of the window. */
  readonly from: number;
  /** The end of the window, after `from`. Absent: now. */
  readonly to?: number | undefined;
  /** For how long a row stands that no other one follows. Absent: as the history was told. */
  readonly maxGapMs?: number | undefined;
}

/** The last moment that a `Date` can tell. */
const LAST_TIME = 8_640_000_000_000_000;

const time = () =>
  where(
    (value) => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= LAST_TIME,
    'a time in whole milliseconds since 1970',
  );
const limit = () =>
  where(
    (value) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 10_000,
    'a whole number from 1 to 10000',
  );

const RANGE = { from: time(), to: time(), limit: limit(), order: oneOf('asc', 'desc') };
const UPTIME = { from: time(), to: time(), maxGapMs: duration(1) };

export function resolveRange(given: RangeOptions): RowRange {
  const options: RangeOptions = readOptions('range()', RANGE, given);
  const { from = 0, to = LAST_TIME } = options;
  return { from, to, limit: options.limit ?? 1000, order: options.order ?? 'asc' };
}

export function resolveWindow(given: UptimeOptions, now: number, maxGapMs: number): UptimeWindow {
  const options = readOptions('uptime()', UPTIME, given, ['from']) as unknown as UptimeOptions;
  const { from, to = now } = options;
  if (to <= from) throw invalidOption('uptime(): option "from"', `a time before the end, which is ${to}`, from);
  return { from, to, maxGapMs: options.maxGapMs ?? maxGapMs };
}
