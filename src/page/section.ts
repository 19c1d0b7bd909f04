import { Spell } from '../http/spell.js';
import type { Clock, Logger } from '../index.js';
import { SingleFlight, withDeadline } from '../kit.js';
import { type CleanEntry, type CleanReading, cleanChange, cleanReading } from './clean.js';
import { EntryMemory } from './entry-memory.js';
import { type PageChange, type PageSource, type PageState, worstOf } from './source.js';
import { Timeline } from './timeline.js';

/** What every section is read by. */
export interface SectionSettings {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly readTimeoutMs: number;
  /** How long one slot of a strip is. */
  readonly slotMs: number;
}

/** Why the last reading of a source came to nothing. */
export type ReadFault = 'read_timeout' | 'read_failed';

/** So many entries of one source are remembered. */
const MAX_TRACKED = 10_000;

/** One source as the page knows it: its last reading, and what is remembered of its entries. */
export class Section {
  readonly name: string;
  readonly timeline = new Timeline();
  readonly #source: PageSource;
  readonly #settings: SectionSettings;
  readonly #spell: Spell;
  readonly #watchedAt: number;
  readonly #flight = new SingleFlight<void>();
  #flying: 'all' | 'changed' | undefined;
  readonly #memories = new Map<string, EntryMemory>();
  /** Told of since it was read last. */
  readonly #changed = new Set<string>();
  #wholeChanged = false;
  #unsettled = false;
  #reading: CleanReading | undefined;
  #readAt: number | undefined;
  #fault: ReadFault | undefined;

  constructor(source: PageSource, settings: SectionSettings) {
    this.name = source.name;
    this.#source = source;
    this.#settings = settings;
    this.#watchedAt = settings.clock.now();
    this.#spell = new Spell(settings.logger, `the reading of "${source.name}" for the status page`);
  }

  /** The last reading that came to something. */
  get reading(): CleanReading | undefined {
    return this.#reading;
  }

  /** When everything was read last, by the monotonic clock. */
  get readAt(): number | undefined {
    return this.#readAt;
  }

  get fault(): ReadFault | undefined {
    return this.#fault;
  }

  /** Whether it was told of a change that no reading has shown yet. */
  get isBehind(): boolean {
    return this.#wholeChanged || this.#changed.size > 0;
  }

  /** The worst of the whole and its entries; what cannot be read now is not known to be well. */
  get state(): PageState {
    if (this.#reading === undefined) return 'unknown';
    const states = new Set(this.#reading.entries.map(({ state }) => state));
    if (this.#reading.state !== undefined) states.add(this.#reading.state);
    if (this.#fault !== undefined) states.add('unknown');
    return worstOf(states);
  }

  memoryOf(name: string): EntryMemory | undefined {
    return this.#memories.get(name);
  }

  /** Notes a change, whether or not anybody looks. Throws where it is none. */
  told(change: PageChange): void {
    const { entry, state, from, label, quiet } = cleanChange(change);
    const now = this.#settings.clock.now();
    if (label !== undefined) this.timeline.note(now, label);
    if (entry !== undefined && state !== undefined) this.#remember(entry)?.told(now, state, from);
    // The reading that is under way shows it.
    if (this.#unsettled || quiet === true) return;
    if (entry === undefined) this.#wholeChanged = true;
    else if (this.#changed.size < MAX_TRACKED) this.#changed.add(entry);
  }

  /**
   * Reads everything, or what has changed. Who asks while everything is read gets that. Never rejects, and takes
   * `readTimeoutMs` at most, twice that where only a part was being read.
   */
  async read(what: 'all' | 'changed'): Promise<void> {
    if (what === 'all' && this.#flying === 'changed') await this.#flight.run(async () => {});
    await this.#flight.run(async () => {
      this.#flying = what;
      await this.#read(what);
      this.#flying = undefined;
    });
  }

  async #read(what: 'all' | 'changed'): Promise<void> {
    // Never two at a time: nothing more is asked of one that hangs, and its section grows old.
    if (this.#unsettled) {
      this.#fault = 'read_timeout';
      return;
    }
    const { clock, readTimeoutMs } = this.#settings;
    const only = what === 'all' || this.#reading === undefined ? undefined : [...this.#changed];
    this.#changed.clear();
    this.#wholeChanged = false;
    const aborter = new AbortController();
    try {
      const answer = await withDeadline(this.#ask(aborter.signal, only), readTimeoutMs, clock, false);
      if (!answer.settled) {
        this.#fault = 'read_timeout';
        this.#spell.failed(new Error(`no answer within ${readTimeoutMs} ms`));
        return;
      }
      this.#take(cleanReading(answer.value, clock.now()), only);
      this.#fault = undefined;
      this.#spell.fine();
    } catch (error) {
      this.#fault = 'read_failed';
      this.#spell.failed(error);
    } finally {
      aborter.abort();
    }
  }

  async #ask(signal: AbortSignal, only: readonly string[] | undefined): Promise<unknown> {
    this.#unsettled = true;
    try {
      return await this.#source.read({ signal, clock: this.#settings.clock, only });
    } finally {
      this.#unsettled = false;
    }
  }

  #take(reading: CleanReading, only: readonly string[] | undefined): void {
    const now = this.#settings.clock.now();
    this.#reading = only === undefined ? reading : { ...reading, entries: merged(this.#reading, reading, only) };
    if (only === undefined) {
      this.#readAt = now;
      this.#forget(this.#reading.entries);
    }
    for (const entry of reading.entries) this.#remember(entry.name)?.read(now, entry);
    if (reading.label !== undefined) this.timeline.note(now, reading.label);
  }

  #remember(name: string): EntryMemory | undefined {
    const known = this.#memories.get(name);
    if (known !== undefined || this.#memories.size >= MAX_TRACKED) return known;
    const memory = new EntryMemory(this.#settings.slotMs, this.#watchedAt);
    this.#memories.set(name, memory);
    return memory;
  }

  #forget(entries: readonly CleanEntry[]): void {
    const names = new Set(entries.map(({ name }) => name));
    for (const name of this.#memories.keys()) if (!names.has(name)) this.#memories.delete(name);
  }
}

/** What was known, with what was read of it now: those that were asked for and are not there have gone. */
function merged(known: CleanReading | undefined, read: CleanReading, only: readonly string[]): readonly CleanEntry[] {
  const fresh = new Map(read.entries.map((entry) => [entry.name, entry]));
  const asked = new Set(only);
  const kept = (known?.entries ?? []).flatMap((entry) => {
    const now = fresh.get(entry.name);
    fresh.delete(entry.name);
    return now !== undefined ? [now] : asked.has(entry.name) ? [] : [entry];
  });
  return [...kept, ...fresh.values()];
}
