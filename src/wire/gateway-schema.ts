import * as z from 'zod/mini';
import {
  classifyPhase,
  deriveGatewayStatus,
  type GatewayPhase,
  type GatewaySnapshot,
  type ProbeResult,
} from './gateway.js';

/** One fault that a schema found. */
export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly PropertyKey[];
}

/**
 * The interface of the Standard Schema specification (version 1), as far as it is used here: what many validating
 * libraries and frameworks accept. See https://standardschema.dev.
 */
export interface StandardSchema<Input, Output> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (
      value: unknown,
    ) => { readonly value: Output; readonly issues?: undefined } | { readonly issues: readonly StandardIssue[] };
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

/** Longer texts are no snapshot of ours. */
const MAX_TEXT = 4096;
const PHASES: readonly GatewayPhase[] = [
  'cold_start',
  'starting',
  'starting_backup',
  'ready',
  'degraded',
  'dead',
  'stuck',
];

const text = () => {
  const expected = `expected a text of at most ${MAX_TEXT} characters`;
  return z.string(expected).check(z.maxLength(MAX_TEXT, expected));
};
const flag = () => z.boolean('expected true or false');
const lenient = <Value extends string>(...values: readonly Value[]) =>
  z.catch(z.optional(z.enum(values as readonly [Value, ...Value[]])), undefined);
const isTime = (value: unknown): boolean =>
  typeof value === 'string' && value.length <= 64 && !Number.isNaN(Date.parse(value));

const probe = z.object(
  {
    ok: flag(),
    status: lenient('success', 'failure', 'unknown'),
    latencyMs: z.nullish(z.number('expected a number of milliseconds').check(z.gte(0, 'expected 0 or more'))),
    error: z.nullish(text()),
  },
  'expected the result of a probe',
);

const snapshot = z.object(
  {
    ts: z.custom<string>(isTime, 'expected a time in ISO 8601'),
    startup: probe,
    readiness: probe,
    liveness: probe,
    restoreStatus: z.nullish(z.object({ hadBackup: flag(), restored: flag() }, 'expected a restore status')),
    status: lenient('running', 'starting', 'stopped'),
    processId: z.nullish(text()),
    processType: lenient('gateway', 'script'),
    phase: lenient(...PHASES),
  },
  'expected a snapshot',
);

type Parsed = z.output<typeof snapshot>;

/**
 * Validates a snapshot that came over a wire. Older and partial ones are completed: `ts` and the three probes with their
 * `ok` must be there; an absent or unknown `phase` or `status` is derived from them, as one snapshot alone allows.
 * null counts as absent. Unknown members are dropped. Texts above 4096 characters are refused. The value is frozen.
 */
export const gatewaySnapshotSchema: StandardSchema<unknown, GatewaySnapshot> = Object.freeze({
  '~standard': Object.freeze({
    version: 1,
    vendor: 'health-controller',
    validate: (value: unknown) => {
      const parsed = z.safeParse(snapshot, value);
      if (parsed.success) return { value: complete(parsed.data) };
      return { issues: parsed.error.issues.map(({ message, path }) => ({ message, path: [...path] })) };
    },
  }),
});

function complete(parsed: Parsed): GatewaySnapshot {
  const { ts, restoreStatus, status, processId, processType, phase } = parsed;
  const probes = {
    startup: completeProbe(parsed.startup),
    readiness: completeProbe(parsed.readiness),
    liveness: completeProbe(parsed.liveness),
  };
  return Object.freeze({
    ts,
    ...probes,
    restoreStatus: Object.freeze(restoreStatus ?? { hadBackup: false, restored: false }),
    status: status ?? deriveGatewayStatus(probes.readiness, processId ?? processType),
    ...(typeof processId === 'string' ? { processId } : undefined),
    ...(processType === undefined ? undefined : { processType }),
    phase: phase ?? classifyPhase(probes),
  });
}

function completeProbe(parsed: Parsed['startup']): ProbeResult {
  const { ok, status, error } = parsed;
  const latencyMs = parsed.latencyMs ?? 0;
  // `ok` decides: a status that contradicts it is not believed.
  const agreeing = status !== undefined && (status === 'success') === ok ? status : ok ? 'success' : 'failure';
  if (ok) return Object.freeze({ ok, status: agreeing, latencyMs });
  return Object.freeze({ ok, status: agreeing, latencyMs, error: error ?? 'no reason given' });
}
