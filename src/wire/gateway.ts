/** How a probe came out. `unknown`: it could not look, which is neither of the other two. */
export type ProbeStatus = 'success' | 'failure' | 'unknown';

/** One answer of one probe of a gateway (seed 000). Frozen. */
export interface ProbeResult {
  /** Whether `status` is `success`. */
  readonly ok: boolean;
  readonly status: ProbeStatus;
  /** How long it took, in milliseconds of the monotonic clock; 0 where a cached success was served. */
  readonly latencyMs: number;
  /** Why not; present when not ok. Over HTTP and WebSocket only what is safe to publish, unless the details policy allows more. */
  readonly error?: string;
}

/** What is known of the backup that is restored when a gateway starts on an empty disk (seed 000). */
export interface RestoreStatus {
  /** Whether there was a backup that could be restored. */
  readonly hadBackup: boolean;
  /** Whether the most recent one was restored. */
  readonly restored: boolean;
}

/** `running`: ready. `starting`: not ready, and a process is there, or it is not known whether. `stopped`: not ready, no process. */
export type GatewayStatus = 'running' | 'starting' | 'stopped';

/** Which process was found: the gateway itself, or the script that starts it. */
export type GatewayProcessType = 'gateway' | 'script';

/**
 * What the three probes together mean (seed 000, "State Transitions").
 *
 * - `cold_start`: nothing runs yet
 * - `starting`: the gateway is alive, but not ready
 * - `starting_backup`: ready, but the backup is not confirmed restored
 * - `ready`: normal operation
 * - `degraded`: it was ready before and is alive, but not ready now: a restart
 * - `dead`: it was ready before and is not alive
 * - `stuck`: `starting` for five minutes (`stuckAfterMs`) without interruption
 */
export type GatewayPhase = 'cold_start' | 'starting' | 'starting_backup' | 'ready' | 'degraded' | 'dead' | 'stuck';

/** The health of a gateway at one moment: what `GET /api/health` answers (seed 000). Frozen. */
export interface GatewaySnapshot {
  /** When it was taken, ISO 8601 (wall clock). */
  readonly ts: string;
  readonly startup: ProbeResult;
  readonly readiness: ProbeResult;
  readonly liveness: ProbeResult;
  readonly restoreStatus: RestoreStatus;
  readonly status: GatewayStatus;
  /** The process that was found: the gateway, or else its start script. */
  readonly processId?: string;
  readonly processType?: GatewayProcessType;
  readonly phase: GatewayPhase;
}

/** How a consumer reads a snapshot (seed 000, "Consumer Contract"): only to a `healthy` one is traffic sent. */
export type GatewayVerdict = 'healthy' | 'degraded' | 'provisioning';

type Answered = Pick<ProbeResult, 'ok'>;

/**
 * The canonical status. `process` is whatever was found, if anything; `'unknown'` where nobody could look, which counts
 * as there.
 */
export function deriveGatewayStatus(readiness: Answered, process: unknown): GatewayStatus {
  if (readiness.ok) return 'running';
  return process ? 'starting' : 'stopped';
}

/** What {@link classifyPhase} reads of a snapshot. */
export interface PhaseInput {
  readonly startup: Answered;
  readonly readiness: Answered;
  readonly liveness: Answered & Partial<Pick<ProbeResult, 'status'>>;
}

/** What {@link classifyPhase} cannot see in one snapshot. */
export interface PhaseHistory {
  /**
   * For how long the phase has been `starting`, without interruption.
   * @defaultValue 0
   */
  readonly heldForMs?: number | undefined;
  /**
   * Whether startup had succeeded before. Where readiness fails, startup is then read as true: the caching rule drops
   * its success together with readiness, and without this nothing would ever be `degraded` or `dead`.
   * @defaultValue false
   */
  readonly wasReady?: boolean | undefined;
  /**
   * From when on `starting` is `stuck`; exactly that long is.
   * @defaultValue 300000
   */
  readonly stuckAfterMs?: number | undefined;
}

/** When `starting` becomes `stuck`, unless told otherwise. */
export const STUCK_AFTER_MS = 300_000;

/** The phase of a snapshot. A liveness of status `unknown` (reachable, but unreadable) is not dead. */
export function classifyPhase(snapshot: PhaseInput, history: PhaseHistory = {}): GatewayPhase {
  const { heldForMs = 0, wasReady = false, stuckAfterMs = STUCK_AFTER_MS } = history;
  const ready = snapshot.readiness.ok;
  const started = snapshot.startup.ok || (wasReady && !ready);
  const alive = snapshot.liveness.ok;
  const unreadable = snapshot.liveness.status === 'unknown';
  if (started && ready) return alive ? 'ready' : 'degraded';
  if (started) return alive || unreadable ? 'degraded' : 'dead';
  if (ready) return alive ? 'starting_backup' : 'starting';
  if (!alive && !unreadable) return 'cold_start';
  return heldForMs >= stuckAfterMs ? 'stuck' : 'starting';
}

/** What {@link readSnapshot} reads. Older gateways send no phase. */
export interface VerdictInput {
  readonly startup: Answered;
  readonly readiness: Answered;
  readonly phase?: GatewayPhase | undefined;
}

/**
 * The consumer's reading. `healthy`: send traffic. `degraded`: it was ready and is not now; send no new traffic and wait.
 * `provisioning`: never ready yet; go on asking.
 */
export function readSnapshot(snapshot: VerdictInput): GatewayVerdict {
  const { startup, readiness, phase } = snapshot;
  if (startup.ok && readiness.ok) return 'healthy';
  return startup.ok || phase === 'degraded' || phase === 'dead' ? 'degraded' : 'provisioning';
}
