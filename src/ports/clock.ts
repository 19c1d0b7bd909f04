/** A timer as the clock made it; only handed back to `clearTimeout`. */
export type TimerHandle = unknown;

export interface TimerOptions {
  /** Whether the timer keeps the process alive. True for what somebody waits for, false for what only observes. */
  readonly keepAlive: boolean;
}

/** What the engine asks of time. Tests pass `FakeClock` of `health-controller/testing`. */
export interface Clock {
  /** Monotonic milliseconds, for ages, deadlines and durations. Its zero means nothing. */
  now(): number;
  /** Wall-clock milliseconds since 1970, only for stamps that are shown to people. */
  wall(): number;
  /** Calls back once after `delayMs`, 0 or more. Delays above 2 147 483 647 are waited in steps. */
  setTimeout(callback: () => void, delayMs: number, options: TimerOptions): TimerHandle;
  clearTimeout(handle: TimerHandle): void;
  /** Calls back once after one turn of the event loop, in which sockets that are ready have been read. */
  nextTurn(callback: () => void): void;
}

const MAX_DELAY_MS = 2_147_483_647;

class LongTimer {
  current: ReturnType<typeof setTimeout> | undefined;
}

/** The system's clock. Stateless, so one serves every controller. */
export const systemClock: Clock = Object.freeze({
  now: () => performance.now(),
  wall: () => Date.now(),
  setTimeout(callback: () => void, delayMs: number, options: TimerOptions): TimerHandle {
    // Node fires a delay above 2^31-1 ms at once.
    if (!(delayMs <= MAX_DELAY_MS)) return longTimer(callback, delayMs, options);
    const handle = setTimeout(callback, delayMs);
    if (!options.keepAlive) unref(handle);
    return handle;
  },
  clearTimeout(handle: TimerHandle): void {
    clearTimeout((handle instanceof LongTimer ? handle.current : handle) as ReturnType<typeof setTimeout>);
  },
  nextTurn(callback: () => void): void {
    if (typeof setImmediate === 'function') setImmediate(callback);
    else setTimeout(callback, 0);
  },
});

function longTimer(callback: () => void, delayMs: number, options: TimerOptions): LongTimer {
  const timer = new LongTimer();
  const wait = (left: number): void => {
    const step = Math.min(left, MAX_DELAY_MS);
    timer.current = setTimeout(() => (left > step ? wait(left - step) : callback()), step);
    if (!options.keepAlive) unref(timer.current);
  };
  wait(Number.isNaN(delayMs) ? 0 : delayMs);
  return timer;
}

// Browsers and Workers return a number.
function unref(handle: unknown): void {
  if (typeof handle === 'object' && handle !== null && 'unref' in handle) (handle as { unref(): void }).unref();
}
