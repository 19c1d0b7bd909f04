import type { Clock } from '../index.js';

/** How something is, in the words of the page. `unknown`: not known, which is neither good nor bad. */
export type PageState = 'ok' | 'degraded' | 'error' | 'unknown';

/** One line of a table on the page. Names, states and codes are shown to everybody, the rest where details may be seen. */
export interface PageEntry {
  /** Unique within its source. At most 256 characters are shown. */
  readonly name: string;
  /** What it is, as a code: `service`, `check`, `probe`, … */
  readonly kind?: string | undefined;
  readonly state: PageState;
  /** The source's own word for the state, as a code: `running`, `not_ready`. Absent: the state is shown. */
  readonly label?: string | undefined;
  /** Why, as a code that is safe to publish: `/^[a-z][a-z0-9_]{0,39}$/`. Anything else is not shown. */
  readonly reason?: string | undefined;
  /** Why, for people. A detail. */
  readonly error?: string | undefined;
  /** More about it. Details, at most twenty. */
  readonly facts?: Readonly<Record<string, unknown>> | undefined;
  /** How old what it shows was when it was read, by a monotonic clock. Absent: it was measured by the reading. */
  readonly ageMs?: number | undefined;
  /** For how long it has been in this state. Absent: the page takes it from what it has seen itself. */
  readonly changedAgeMs?: number | undefined;
  /**
   * Whether `watch` tells of every change of its state, so that it is known between two readings too.
   * @defaultValue false
   */
  readonly followed?: boolean | undefined;
}

/** What a source says at one moment. */
export interface PageReading {
  /** How the whole is, beside its entries: the worst of both is shown. Absent: as its entries are. */
  readonly state?: PageState | undefined;
  /** The source's own word for its state, as a code: `running`, `starting_backup`. Its changes make the timeline. */
  readonly label?: string | undefined;
  /** Why, as a code that is safe to publish. */
  readonly reason?: string | undefined;
  /** More about the whole. Details, at most twenty. */
  readonly facts?: Readonly<Record<string, unknown>> | undefined;
  readonly entries: readonly PageEntry[];
}

/** Something that may have changed, as a source tells it. Whatever is known of it is noted without a reading. */
export interface PageChange {
  /** The entry. Absent: the whole. */
  readonly entry?: string | undefined;
  /** What its state is now. */
  readonly state?: PageState | undefined;
  /** What its state was until now, as long as the source has been watched at least. */
  readonly from?: PageState | undefined;
  /** Of the whole: its word for the state. */
  readonly label?: string | undefined;
  /** True: it is noted, and shown by the next reading. Absent: it brings that reading forward. */
  readonly quiet?: boolean | undefined;
}

/** What a reading is given. */
export interface PageReadContext {
  /** Aborted when the page no longer waits. */
  readonly signal: AbortSignal;
  /** For ages. */
  readonly clock: Clock;
  /**
   * The entries that are wanted, since only they have changed; none: only the whole is. Absent: everything. A source
   * may always give everything.
   */
  readonly only?: readonly string[] | undefined;
}

/**
 * Something that the page shows. Each has a section of its own.
 *
 * - `read` is asked once per refresh, however many look, and not at all while nobody does. It is never called while an
 *   earlier call has not settled, and not waited for longer than `readTimeoutMs`; then, and when it throws, the page goes
 *   on showing what it knew, with its age, and says that it could not be read. It should look and start nothing.
 * - `watch` is called once, when the page is made, and what it returns when the page ends. `changed` may be called at any
 *   time; while somebody looks, it brings the next reading forward.
 *
 * @example
 * ```ts
 * const queue: PageSource = {
 *   name: 'Queue',
 *   read: async () => ({ entries: [{ name: 'mail', state: (await waiting()) < 100 ? 'ok' : 'degraded' }] }),
 * };
 * ```
 */
export interface PageSource {
  /** The heading of its section. Unique within the page. */
  readonly name: string;
  read(context: PageReadContext): PageReading | PromiseLike<PageReading>;
  watch?(changed: (change: PageChange) => void): () => void;
  /** Aborted: what it shows is coming to its end, and so do the streams of the page. */
  readonly signal?: AbortSignal | undefined;
}

const WORST: readonly PageState[] = ['error', 'degraded', 'unknown'];

/** The worst of some states; of none it is `ok`. */
export function worstOf(states: Iterable<PageState>): PageState {
  const found = new Set(states);
  return WORST.find((state) => found.has(state)) ?? 'ok';
}
