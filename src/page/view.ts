import { type CleanEntry, type Fact, shownError, shownFacts } from './clean.js';
import type { Since } from './entry-memory.js';
import type { ReadFault, Section } from './section.js';
import { type PageState, worstOf } from './source.js';
import type { StripRun } from './strip.js';

/** One entry as it is shown. What is withheld is absent. */
export interface EntryView {
  readonly name: string;
  readonly kind: string | undefined;
  readonly state: PageState;
  readonly label: string;
  readonly reason: string | undefined;
  readonly ageMs: number;
  readonly since: Since;
  readonly strip: readonly StripRun[];
  readonly error: string | undefined;
  readonly facts: readonly Fact[];
}

/** One stretch of a timeline. */
export interface StretchView {
  readonly label: string;
  readonly agoMs: number;
  /** How long it was; undefined: it lasts. */
  readonly forMs: number | undefined;
}

/** One section as it is shown. */
export interface SectionView {
  readonly name: string;
  readonly state: PageState;
  readonly label: string | undefined;
  readonly reason: string | undefined;
  readonly fault: ReadFault | undefined;
  /** How old its last reading is; undefined: there was none. */
  readonly ageMs: number | undefined;
  readonly facts: readonly Fact[];
  readonly timeline: readonly StretchView[];
  readonly counts: Readonly<Record<PageState, number>>;
  readonly entries: readonly EntryView[];
}

/** All that the page shows at one moment. */
export interface PageView {
  readonly state: PageState;
  readonly sections: readonly SectionView[];
}

const BY_URGENCY: readonly PageState[] = ['error', 'degraded', 'unknown', 'ok'];

/** What is known, as it may be shown now to who may or may not see details. Of many entries those that need attention. */
export function makeView(sections: readonly Section[], now: number, details: boolean, maxEntries: number): PageView {
  return {
    state: worstOf(sections.map(({ state }) => state)),
    sections: sections.map((section) => viewSection(section, now, details, maxEntries)),
  };
}

function viewSection(section: Section, now: number, details: boolean, maxEntries: number): SectionView {
  const { name, state, reading, readAt, fault, timeline } = section;
  const entries = reading?.entries ?? [];
  const counts: Record<PageState, number> = { ok: 0, degraded: 0, error: 0, unknown: 0 };
  for (const entry of entries) counts[entry.state]++;
  return {
    name,
    state,
    label: reading?.label,
    reason: reading?.reason,
    fault,
    ageMs: readAt === undefined ? undefined : now - readAt,
    facts: details ? shownFacts(reading?.facts) : [],
    timeline: timeline.stretches.map(({ label, beganAt }, index, all) => {
      const endedAt = all[index + 1]?.beganAt;
      return { label, agoMs: now - beganAt, forMs: endedAt === undefined ? undefined : endedAt - beganAt };
    }),
    counts,
    entries: mostUrgent(entries, maxEntries).map((entry) => viewEntry(entry, section, now, details)),
  };
}

/** In their own order, where there is room for all. */
function mostUrgent(entries: readonly CleanEntry[], most: number): readonly CleanEntry[] {
  if (entries.length <= most) return entries;
  return BY_URGENCY.flatMap((state) => entries.filter((entry) => entry.state === state)).slice(0, most);
}

function viewEntry(entry: CleanEntry, section: Section, now: number, details: boolean): EntryView {
  const { name, kind, state, label, reason, error, facts, ageMs = 0, changedAgeMs, readAt } = entry;
  const passedMs = now - readAt;
  const memory = section.memoryOf(name);
  const changed = changedAgeMs === undefined ? undefined : changedAgeMs + passedMs;
  return {
    name,
    kind,
    state,
    label: label ?? state,
    reason,
    ageMs: ageMs + passedMs,
    since: memory?.since(now, changed) ?? { ageMs: changed ?? passedMs, exact: changed !== undefined },
    strip: memory?.strip(now) ?? [],
    error: details ? shownError(error) : undefined,
    facts: details ? shownFacts(facts) : [],
  };
}
