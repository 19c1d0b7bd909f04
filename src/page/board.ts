import type { Clock, Logger, TimerHandle } from '../index.js';
import { printable, SingleFlight } from '../kit.js';
import { Section, type SectionSettings } from './section.js';
import type { PageSource } from './source.js';

/** Somebody who looks. */
export interface Viewer {
  /** There is a new reading. Must not throw. */
  show(): void;
}

export interface BoardSettings extends SectionSettings {
  readonly refreshIntervalMs: number;
}

/** Changes that come together are read together. */
const GATHER_MS = 250;

/**
 * All sections, and when they are read: once per interval for all who look, and what a source says has changed a moment
 * later. Nothing is read and no timer set while nobody looks.
 */
export class Board {
  readonly sections: readonly Section[];
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #intervalMs: number;
  readonly #viewers = new Set<Viewer>();
  readonly #flight = new SingleFlight<void>();
  readonly #unwatch: (() => void)[] = [];
  #version = 0;
  /** When the last whole reading began and ended. */
  #beganAt = Number.NEGATIVE_INFINITY;
  #readAt = Number.NEGATIVE_INFINITY;
  #tick: TimerHandle | undefined;
  #soon: TimerHandle | undefined;

  constructor(sources: readonly PageSource[], settings: BoardSettings) {
    this.#clock = settings.clock;
    this.#logger = settings.logger;
    this.#intervalMs = settings.refreshIntervalMs;
    this.sections = sources.map((source) => new Section(source, settings));
    for (const [index, source] of sources.entries()) this.#watch(source, this.sections[index]);
  }

  /** Counts readings: whatever is made of one version stays as it is. */
  get version(): number {
    return this.#version;
  }

  /** Makes sure that what is known is no older than an interval. Never rejects. */
  async refresh(): Promise<void> {
    if (this.#clock.now() - this.#readAt >= this.#intervalMs) await this.#readAll();
    else if (this.sections.some(({ isBehind }) => isBehind)) await this.#readChanged();
  }

  add(viewer: Viewer): void {
    this.#viewers.add(viewer);
    if (this.#tick === undefined) this.#begin();
    if (this.#version > 0) viewer.show();
  }

  remove(viewer: Viewer): void {
    this.#viewers.delete(viewer);
    if (this.#viewers.size === 0) this.#rest();
  }

  /** Nothing is watched any more; a reading is made only when it is asked for. */
  end(): void {
    this.#viewers.clear();
    this.#rest();
    for (const unwatch of this.#unwatch.splice(0)) this.#leave(unwatch);
  }

  /** One source that cannot be left must not keep the others. */
  #leave(unwatch: () => void): void {
    try {
      unwatch();
    } catch (error) {
      this.#logger.error(`a source of the status page cannot be left: ${printable(error)}`, { error });
    }
  }

  #watch(source: PageSource, section: Section | undefined): void {
    const unwatch = source.watch?.((change) => {
      section?.told(change);
      if (this.#viewers.size > 0 && section?.isBehind === true) this.#gather();
    });
    if (unwatch !== undefined) this.#unwatch.push(unwatch);
  }

  /** The first reading of a loop is as soon as what is known is an interval old. */
  #begin(): void {
    this.#schedule(Math.max(0, this.#intervalMs - (this.#clock.now() - this.#beganAt)));
  }

  #schedule(delayMs: number): void {
    const fire = async (): Promise<void> => {
      await this.#readAll();
      // The loop may have ended meanwhile, and another one begun.
      if (this.#tick !== tick) return;
      // Counted from when this one began. Those that a slow one took are skipped.
      const passedMs = Math.max(0, this.#clock.now() - this.#beganAt);
      this.#schedule(this.#intervalMs - (passedMs % this.#intervalMs));
    };
    const tick = this.#clock.setTimeout(() => void fire(), delayMs, { keepAlive: false });
    this.#tick = tick;
  }

  #gather(): void {
    this.#soon ??= this.#clock.setTimeout(
      () => {
        this.#soon = undefined;
        void this.#readChanged();
      },
      GATHER_MS,
      { keepAlive: false },
    );
  }

  #readAll(): Promise<void> {
    return this.#flight.run(async () => {
      this.#beganAt = this.#clock.now();
      await Promise.all(this.sections.map((section) => section.read('all')));
      this.#readAt = this.#clock.now();
      this.#tell();
    });
  }

  /** Not shared with a whole reading: one source that hangs must not hold up what another one tells. */
  async #readChanged(): Promise<void> {
    const behind = this.sections.filter(({ isBehind }) => isBehind);
    await Promise.all(behind.map((section) => section.read('changed')));
    this.#tell();
  }

  #tell(): void {
    this.#version++;
    for (const viewer of [...this.#viewers]) viewer.show();
  }

  #rest(): void {
    for (const timer of [this.#tick, this.#soon]) if (timer !== undefined) this.#clock.clearTimeout(timer);
    this.#tick = undefined;
    this.#soon = undefined;
  }
}
