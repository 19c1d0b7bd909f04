/** One polled check, as a list of runs: how long each takes (0: it answers at once) and whether it passes. */
export interface Scenario {
  readonly intervalMs: number;
  readonly timeoutMs: number;
  readonly staleAfterMs: number;
  readonly initialDelayMs: number;
  readonly failureThreshold: number;
  readonly successThreshold: number;
  readonly maxAbandoned: number;
  /** Used in turn, over and over. */
  readonly runs: readonly { readonly tookMs: number; readonly passes: boolean }[];
  readonly untilMs: number;
}

export interface Expected {
  readonly starts: number[];
  readonly events: string[];
  readonly skipped: number;
}

interface Result {
  readonly at: number;
  readonly passes: boolean;
}

/**
 * What the specification says of such a check, worked out without timers: first when it runs and what each tick comes
 * to, then what is shown of it. Written for moments that never coincide, so that no order among them is decided here.
 */
export function expectedOf(scenario: Scenario): Expected {
  const { starts, skipped, results } = schedule(scenario);
  return { starts, skipped, events: shown(scenario, results) };
}

function schedule({ intervalMs, timeoutMs, initialDelayMs, maxAbandoned, runs, untilMs }: Scenario) {
  const starts: number[] = [];
  const results: Result[] = [];
  /** Runs that were left behind: when they began and when they settle. */
  let left: { began: number; settles: number }[] = [];
  let busyUntil = -1;
  let skipped = 0;
  for (let tick = initialDelayMs; tick <= untilMs; tick += intervalMs) {
    if (tick < busyUntil) {
      skipped += 1;
      continue;
    }
    left = left.filter(({ settles }) => settles > tick);
    if (left.length >= maxAbandoned) {
      const [oldest] = left;
      if (oldest === undefined || tick - oldest.began < 10 * timeoutMs) {
        results.push({ at: tick, passes: false });
        continue;
      }
      left.shift();
    }
    const run = runs[starts.length % runs.length];
    if (run === undefined) throw new Error('a scenario has runs');
    starts.push(tick);
    if (run.tookMs > timeoutMs) left.push({ began: tick, settles: tick + run.tookMs });
    busyUntil = tick + Math.min(run.tookMs, timeoutMs);
    results.push({ at: busyUntil, passes: run.passes && run.tookMs <= timeoutMs });
  }
  return { starts, skipped, results: results.filter(({ at }) => at <= untilMs) };
}

function shown({ staleAfterMs, failureThreshold, successThreshold, untilMs }: Scenario, results: readonly Result[]) {
  const events: string[] = [];
  let state = 'pending';
  let row = 0;
  let last: boolean | undefined;
  let wasHealthy = false;
  let freshUntil = Number.POSITIVE_INFINITY;
  const to = (at: number, next: string) => {
    if (next !== state) events.push(`${at} db ${state}->${next}`);
    state = next;
  };
  const growStale = (before: number) => {
    if (freshUntil >= before) return;
    // Told a millisecond later, when it is older than that.
    to(freshUntil + 1, 'stale');
    [row, last, wasHealthy, freshUntil] = [0, undefined, false, Number.POSITIVE_INFINITY];
  };
  for (const { at, passes } of results) {
    growStale(at);
    row = passes === last ? row + 1 : 1;
    last = passes;
    freshUntil = at + staleAfterMs;
    const enough: boolean = !wasHealthy || row >= (passes ? successThreshold : failureThreshold);
    if (enough) to(at, passes ? 'healthy' : 'unhealthy');
    wasHealthy ||= passes && enough;
  }
  growStale(untilMs);
  return events;
}
