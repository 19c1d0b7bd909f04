import type { HealthCheck, ProbeFunction } from '../index.js';
import { type Expecting, readOptions, resolveCheck, type Shape, where } from '../kit.js';

/** Options of every ready-made check: those of a `HealthCheck`, the name and some others being decided for you. */
export interface PresetCheckOptions extends Omit<HealthCheck, 'name' | 'check'> {
  /** Its name in reports. */
  readonly name?: string | undefined;
}

const anything = () => where(() => true, 'anything');

/** Only picked here; {@link resolveCheck} judges them. A record, so that a new option of checks is not forgotten. */
const ofChecks = (): Readonly<Record<keyof PresetCheckOptions, Expecting>> => ({
  name: anything(),
  type: anything(),
  critical: anything(),
  intervalMs: anything(),
  timeoutMs: anything(),
  maxAgeMs: anything(),
  initialDelayMs: anything(),
  jitter: anything(),
  staleAfterMs: anything(),
  failureThreshold: anything(),
  successThreshold: anything(),
  maxAbandoned: anything(),
});

/** What a preset's options have beyond those of any check. */
export type Own<Options extends PresetCheckOptions> = Omit<Options, keyof PresetCheckOptions>;

/** The options given. */
export interface TakenApart<Options extends PresetCheckOptions> {
  /** Those of the preset itself. */
  readonly own: Own<Options>;
  /** Those that any check takes. */
  readonly ofCheck: PresetCheckOptions;
}

/** Reads a preset's options: its own are checked against `shape`, those of any check by {@link presetCheck}. */
export function readPreset<Options extends PresetCheckOptions>(
  at: string,
  shape: Shape & Readonly<Record<keyof Own<Options>, Expecting>>,
  given: unknown,
  required: readonly (keyof Own<Options> & string)[] = [],
): TakenApart<Options> {
  const own: Record<string, unknown> = {};
  const ofCheck: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(readOptions(at, { ...shape, ...ofChecks() }, given, required))) {
    (key in shape ? own : ofCheck)[key] = value;
  }
  return { own: own as Own<Options>, ofCheck };
}

/** What is decided about a check, for those whose run depends on it. */
type Decided = Pick<ReturnType<typeof resolveCheck>, 'intervalMs' | 'timeoutMs' | 'jitter'>;

/** Puts the check together. What `registerCheck` would refuse is refused here, where it was written. */
export function presetCheck(
  defaults: PresetCheckOptions & { readonly name: string },
  given: PresetCheckOptions,
  makeRun: (decided: Decided) => ProbeFunction,
): HealthCheck {
  // Who lets reports reuse a result wants a sync check: the interval was a default, not a wish.
  const sync = (given.maxAgeMs ?? 0) > 0 ? { intervalMs: 0 } : undefined;
  const options = { ...defaults, ...sync, ...given, name: given.name ?? defaults.name };
  const decided = resolveCheck({ ...options, check: () => {} });
  return Object.freeze({ ...options, check: makeRun(decided) });
}
