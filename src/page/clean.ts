import { maskCredentials, maskValue } from '../http/masking.js';
import { code } from '../http/publish.js';
import { clip, copyData, printable } from '../kit.js';
import type { PageChange, PageEntry, PageReading, PageState } from './source.js';

/** An entry in which everything is what its type says. */
export interface CleanEntry extends PageEntry {
  /** When it was read, by the monotonic clock. */
  readonly readAt: number;
}

/** A reading in which everything is what its type says. */
export interface CleanReading extends PageReading {
  readonly entries: readonly CleanEntry[];
}

/** One thing that is known about an entry or a section, as it is shown. */
export interface Fact {
  readonly name: string;
  readonly value: string;
}

const STATES: readonly unknown[] = ['ok', 'degraded', 'error', 'unknown'] satisfies readonly PageState[];
const MAX_NAME = 256;
const MAX_ERROR = 500;
const MAX_FACTS = 20;
const MAX_FACT = 200;

const stateOf = (value: unknown): PageState => (STATES.includes(value) ? (value as PageState) : 'unknown');
const span = (value: unknown): number | undefined =>
  typeof value === 'number' && value >= 0 && Number.isFinite(value) ? value : undefined;
const record = (value: unknown): Readonly<Record<string, unknown>> => {
  if (typeof value !== 'object' || value === null) throw new TypeError('readings, entries and changes are objects');
  return value as Readonly<Record<string, unknown>>;
};

/** What a source gave. It may be anything, so nothing in it is trusted. Throws where it is no reading. */
export function cleanReading(given: unknown, now: number): CleanReading {
  const { state, label, reason, facts, entries } = record(given);
  if (!Array.isArray(entries)) throw new TypeError('a reading has a list of entries');
  const names = new Map<string, number>();
  return {
    state: state === undefined ? undefined : stateOf(state),
    label: code(label),
    reason: code(reason),
    facts: facts as PageReading['facts'],
    entries: entries.map((entry) => cleanEntry(record(entry), names, now)),
  };
}

function cleanEntry(entry: Readonly<Record<string, unknown>>, names: Map<string, number>, readAt: number): CleanEntry {
  const { name, kind, state, label, reason, error, facts, ageMs, changedAgeMs, followed } = entry;
  if (typeof name !== 'string') throw new TypeError('an entry has a name');
  const short = clip(name, MAX_NAME);
  const before = names.get(short) ?? 0;
  names.set(short, before + 1);
  return {
    // A second one of a name is still shown: hiding it could hide a failure.
    name: before === 0 ? short : `${short} (${before + 1})`,
    kind: code(kind),
    state: stateOf(state),
    label: code(label),
    reason: code(reason),
    error: typeof error === 'string' ? error : undefined,
    facts: facts as PageEntry['facts'],
    ageMs: span(ageMs),
    changedAgeMs: span(changedAgeMs),
    followed: followed === true,
    readAt,
  };
}

/** What a source told of, in which everything is what its type says. Throws where it is no change. */
export function cleanChange(given: unknown): PageChange {
  const { entry, state, from, label, quiet } = record(given);
  if (entry !== undefined && typeof entry !== 'string') throw new TypeError('the entry of a change is a name');
  return {
    entry: entry === undefined ? undefined : clip(entry, MAX_NAME),
    state: state === undefined ? undefined : stateOf(state),
    from: from === undefined ? undefined : stateOf(from),
    label: code(label),
    quiet: quiet === true,
  };
}

/** An error text as it may be shown to who may see details. */
export function shownError(error: string | undefined): string | undefined {
  return error === undefined || error === '' ? undefined : maskCredentials(clip(error, MAX_ERROR));
}

/** Facts as they may be shown to who may see details: texts, and JSON of what is none. Never throws. */
export function shownFacts(facts: unknown): readonly Fact[] {
  const copy = copyData(facts);
  if (typeof copy !== 'object' || copy === null || Array.isArray(copy)) return [];
  return Object.entries(copy)
    .slice(0, MAX_FACTS)
    .map(([name, value]) => ({
      name: maskCredentials(clip(name, 64)),
      value: clip(printable(maskValue(value)), MAX_FACT),
    }));
}
