/**
 * The consumer contract of seed 000, written down a second time: as questions to the whole list of what was seen, with
 * none of the library's code. The property tests compare the two.
 */
export interface Sighting {
  readonly atMs: number;
  /** Undefined: no snapshot came. */
  readonly probes?: {
    readonly startup: boolean;
    readonly readiness: boolean;
    readonly liveness: boolean;
    readonly phase?: string | undefined;
  };
}

export interface Judged {
  readonly status: 'provisioning' | 'running';
  readonly reachable: boolean;
  readonly lost: boolean;
  readonly verdict: string | undefined;
  readonly events: readonly string[];
}

const isHealthy = ({ probes }: Sighting): boolean => probes?.startup === true && probes.readiness;

function verdictOf(seen: readonly Sighting[]): string | undefined {
  const probes = seen.findLast((sighting) => sighting.probes !== undefined)?.probes;
  if (probes === undefined) return undefined;
  if (probes.startup && probes.readiness) return 'healthy';
  const wasReady = probes.startup || probes.phase === 'degraded' || probes.phase === 'dead';
  return wasReady ? 'degraded' : 'provisioning';
}

/** Lost: the newest sighting is not of life, and the last life, or the beginning, lies so far back, at it or before it. */
function isLost(seen: readonly Sighting[], beganAtMs: number, lostAfterMs: number): boolean {
  const lastLife = seen.findLastIndex(({ probes }) => probes?.liveness === true);
  const since = seen[lastLife]?.atMs ?? beganAtMs;
  return seen.slice(lastLife + 1).some(({ atMs }) => atMs - since >= lostAfterMs);
}

function isDegraded(seen: readonly Sighting[]): boolean {
  const answered = seen.filter(({ probes }) => probes !== undefined);
  const newest = answered.at(-1);
  return newest !== undefined && answered.some(isHealthy) && !isHealthy(newest);
}

/** What is the case after all of `seen`, and what the last one of them has changed. */
export function judge(seen: readonly Sighting[], beganAtMs: number, lostAfterMs: number): Judged {
  const before = seen.slice(0, -1);
  const running = seen.some(isHealthy);
  const lost = isLost(seen, beganAtMs, lostAfterMs);
  const wasLost = isLost(before, beganAtMs, lostAfterMs);
  const events: string[] = [];
  if (wasLost && !lost) events.push('found');
  if (running && !before.some(isHealthy)) events.push('running');
  if (isDegraded(before) && !isDegraded(seen)) events.push('recovered');
  if (!isDegraded(before) && isDegraded(seen)) events.push('degraded');
  if (lost && !wasLost) events.push('lost');
  return {
    status: running ? 'running' : 'provisioning',
    reachable: seen.at(-1)?.probes !== undefined,
    lost,
    verdict: verdictOf(seen),
    events,
  };
}
