import { classifyPhase, type GatewayPhase } from '../../wire/gateway.js';
import { type Judged, passed } from './fault.js';

/** What a gateway remembers from one snapshot to the next. */
export interface Memory {
  /** Startup succeeded, and readiness has held since. */
  readonly latched: boolean;
  /** Startup succeeded once. Kept for good. */
  readonly wasReady: boolean;
  /** The phase that was seen last, `stuck` counting as `starting`, and since when, by the monotonic clock. */
  readonly held: { readonly phase: GatewayPhase; readonly since: number } | undefined;
}

export const NO_MEMORY: Memory = { latched: false, wasReady: false, held: undefined };

/** The probes of one observation. */
export interface Probed {
  readonly liveness: Judged;
  readonly readiness: Judged;
  /** As measured now, whatever is remembered. */
  readonly startup: Judged;
}

export interface Remembered {
  readonly memory: Memory;
  /** As it is to be shown: a latched success while readiness holds. */
  readonly startup: Judged;
  readonly phase: GatewayPhase;
  /** For how long the phase has been that, `stuck` counting as `starting`. */
  readonly heldForMs: number;
}

const LATCHED = passed(0);

/** One step: what is shown of an observation, and what is remembered of it. Pure. */
export function remember(memory: Memory, probed: Probed, now: number, stuckAfterMs: number): Remembered {
  const { liveness, readiness } = probed;
  const startup = memory.latched && readiness.result.ok ? LATCHED : probed.startup;
  const snapshot = { startup: startup.result, readiness: readiness.result, liveness: liveness.result };
  const { wasReady, held } = memory;
  const heldFor = (phase: GatewayPhase): number => (held?.phase === phase ? Math.max(0, now - held.since) : 0);
  const phase = classifyPhase(snapshot, { heldForMs: heldFor('starting'), wasReady, stuckAfterMs });
  const kept = phase === 'stuck' ? 'starting' : phase;
  return {
    memory: {
      latched: startup.result.ok,
      wasReady: wasReady || startup.result.ok,
      held: held?.phase === kept ? held : { phase: kept, since: now },
    },
    startup,
    phase,
    heldForMs: heldFor(kept),
  };
}

/** The latch is dropped: readiness failed. */
export const unlatched = (memory: Memory): Memory => ({ ...memory, latched: false });

/** What a restart leaves: a new life is not judged by the old one, but that it was ready before stays true. */
export const restarted = ({ wasReady }: Memory): Memory => ({ ...NO_MEMORY, wasReady });
