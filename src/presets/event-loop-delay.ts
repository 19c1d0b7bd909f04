import { performance } from 'node:perf_hooks';
import { type Clock, degraded, type HealthCheck, healthy, unhealthy } from '../index.js';
import { clockPort, duration, invalidOption, isoStamp, systemClock } from '../kit.js';
import { type PresetCheckOptions, presetCheck, readPreset } from './preset-check.js';

/** Options of {@link eventLoopDelay}. */
export interface EventLoopDelayOptions extends PresetCheckOptions {
  /**
   * A delay above this is degraded.
   * @defaultValue 100
   */
  readonly degradedAboveMs?: number | undefined;
  /**
   * A delay above this is unhealthy; at least `degradedAboveMs`. Absent: none is, since taking a busy instance out of
   * rotation leaves its load to the others.
   */
  readonly unhealthyAboveMs?: number | undefined;
  /**
   * For how long each run measures, counted from its begin. Shorter than `timeoutMs` and, where there is one, than
   * `intervalMs`. What happens between two windows is seen only where it makes the next run late.
   * @defaultValue 980, or `intervalMs` less `resolutionMs` where that is shorter
   */
  readonly windowMs?: number | undefined;
  /**
   * How often is looked within a window. Delays shorter than this may go unseen. At least 1.
   * @defaultValue 20
   */
  readonly resolutionMs?: number | undefined;
  /** Absent: the system's clock. */
  readonly clock?: Clock | undefined;
}

const ownShape = () => ({
  degradedAboveMs: duration(0),
  unhealthyAboveMs: duration(0),
  windowMs: duration(1),
  resolutionMs: duration(1),
  clock: clockPort(),
});

const AT = 'eventLoopDelay()';
const LONGEST_DEFAULT_WINDOW_MS = 980;

/**
 * A check of how late timers are because something blocks the event loop of this thread. Each run measures a window of
 * its own and knows nothing of earlier ones, so the first clean window is healthy. Nothing measures between runs or
 * after the controller has stopped; but a run that is late itself because the loop was busy says so at once.
 *
 * `data`: `windowMs`, `windowEndedAt` (ISO 8601), `maxMs`, `meanMs`, `samples`. Judged by `maxMs`, the longest delay of
 * the window; reason `event_loop_delay`. A process that was paused, by a debugger say, was late too.
 *
 * As a check: name `event-loop-delay`, `intervalMs` 1000, else the defaults of checks. Where `intervalMs` is 0, a report
 * waits for a whole window.
 * @throws HealthControllerError `invalid_option`
 */
export function eventLoopDelay(options: EventLoopDelayOptions = {}): HealthCheck {
  // Not every runtime has it.
  return eventLoopDelayBy(() => performance.eventLoopUtilization?.().active ?? 0, options);
}

/** The same with another reading of how long the loop has been busy, for tests. */
export function eventLoopDelayBy(busyMs: () => number, options: EventLoopDelayOptions): HealthCheck {
  const { own, ofCheck } = readPreset<EventLoopDelayOptions>(AT, ownShape(), options);
  const { degradedAboveMs = 100, unhealthyAboveMs = Number.POSITIVE_INFINITY } = own;
  const { resolutionMs = 20, clock = systemClock } = own;
  if (unhealthyAboveMs < degradedAboveMs) {
    throw invalidOption(
      `${AT}: option "unhealthyAboveMs"`,
      `at least degradedAboveMs, ${degradedAboveMs}`,
      unhealthyAboveMs,
    );
  }
  return presetCheck({ name: 'event-loop-delay', intervalMs: 1000 }, ofCheck, ({ intervalMs, timeoutMs, jitter }) => {
    const between = intervalMs > 0 ? intervalMs : Number.POSITIVE_INFINITY;
    const windowMs = fittingWindow(own.windowMs, resolutionMs, between, timeoutMs);
    const begins = new Begins(clock, busyMs, between * (1 + jitter));
    return async ({ signal }) => {
      const lateBegin = begins.late();
      const window =
        lateBegin !== undefined && lateBegin.maxMs > degradedAboveMs
          ? lateBegin
          : await measure(clock, windowMs, resolutionMs, signal);
      begins.ended();
      const { maxMs } = window;
      const data = { ...window, windowEndedAt: isoStamp(clock.wall()) };
      const limitMs = maxMs > unhealthyAboveMs ? unhealthyAboveMs : degradedAboveMs;
      if (maxMs <= limitMs) return healthy(undefined, data);
      const judge = limitMs === unhealthyAboveMs ? unhealthy : degraded;
      return judge(`the event loop was ${maxMs} ms late, more than ${limitMs} ms`, data, 'event_loop_delay');
    };
  });
}

function fittingWindow(given: number | undefined, resolutionMs: number, intervalMs: number, timeoutMs: number): number {
  const windowMs = given ?? Math.min(LONGEST_DEFAULT_WINDOW_MS, intervalMs - resolutionMs);
  if (windowMs < resolutionMs) {
    throw invalidOption(
      `${AT}: the window`,
      `at least one resolutionMs of ${resolutionMs}, within the interval`,
      windowMs,
    );
  }
  // A run that is still under way at the next tick makes it skip: half of the windows would be missing.
  const below = Math.min(intervalMs, timeoutMs);
  if (windowMs >= below)
    throw invalidOption(`${AT}: option "windowMs"`, `less than intervalMs and timeoutMs, ${below}`, windowMs);
  return windowMs;
}

/** What one window showed. Times are rounded to 0.1 ms. */
interface Window {
  readonly windowMs: number;
  readonly maxMs: number;
  readonly meanMs: number;
  readonly samples: number;
}

/**
 * Watches when runs begin. A block between two windows is seen by nobody but by the run that it delays. That the loop
 * was busy all the while tells it from a check that was simply not run, in a controller that came later, say.
 */
class Begins {
  readonly #clock: Clock;
  readonly #busyMs: () => number;
  readonly #longestMs: number;
  #begunAt = Number.POSITIVE_INFINITY;
  #endedAt = 0;
  #busyAtEnd = 0;

  /** `longestMs`: between the begin of one run and that of the next, if nothing is late. */
  constructor(clock: Clock, busyMs: () => number, longestMs: number) {
    this.#clock = clock;
    this.#busyMs = busyMs;
    this.#longestMs = longestMs;
  }

  /** A run begins: what the time since the last one shows, where it took too long. */
  late(): Window | undefined {
    const now = this.#clock.now();
    const lateMs = Math.min(now - this.#begunAt - this.#longestMs, this.#busyMs() - this.#busyAtEnd);
    this.#begunAt = now;
    if (!(lateMs > 0)) return undefined;
    const maxMs = rounded(lateMs);
    return { windowMs: rounded(now - this.#endedAt), maxMs, meanMs: maxMs, samples: 1 };
  }

  ended(): void {
    this.#endedAt = this.#clock.now();
    this.#busyAtEnd = this.#busyMs();
  }
}

async function measure(clock: Clock, windowMs: number, resolutionMs: number, signal: AbortSignal): Promise<Window> {
  const startedAt = clock.now();
  const endsAt = startedAt + windowMs;
  let now = startedAt;
  let maxMs = 0;
  let totalMs = 0;
  let samples = 0;
  while (now < endsAt && !signal.aborted) {
    const dueAt = Math.min(now + resolutionMs, endsAt);
    await pause(clock, dueAt - now, signal);
    now = clock.now();
    const lateMs = Math.max(0, now - dueAt);
    maxMs = Math.max(maxMs, lateMs);
    totalMs += lateMs;
    samples++;
  }
  return { windowMs: rounded(now - startedAt), maxMs: rounded(maxMs), meanMs: rounded(totalMs / samples), samples };
}

/** Ends early when the signal aborts: the timer goes with the run. */
function pause(clock: Clock, delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clock.clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = clock.setTimeout(end, delayMs, { keepAlive: false });
    signal.addEventListener('abort', end);
  });
}

const rounded = (ms: number): number => Math.round(ms * 10) / 10;
