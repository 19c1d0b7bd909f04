import type { Clock } from '../index.js';
import type { Board } from './board.js';
import { renderPage, STATE_WORDS, SYMBOLS } from './render.js';
import { toHtml } from './tree.js';
import { makeView } from './view.js';

/** How what is known is shown. */
export interface RenderSettings {
  readonly clock: Clock;
  readonly title: string;
  readonly maxEntries: number;
  readonly historyMs: number;
}

/** One reading, as it is sent to all who may see as much. */
class Rendering {
  readonly version: number;
  readonly title: string;
  readonly html: string;
  readonly #tree: string;
  readonly #madeAt: number;

  constructor(board: Board, details: boolean, { clock, title, maxEntries, historyMs }: RenderSettings) {
    this.version = board.version;
    this.#madeAt = clock.now();
    const view = makeView(board.sections, this.#madeAt, details, maxEntries);
    const tree = renderPage(view, historyMs);
    this.title = `${SYMBOLS[view.state]} ${STATE_WORDS[view.state]} – ${title}`;
    this.html = toHtml(tree);
    this.#tree = JSON.stringify(tree);
  }

  ageMs(now: number): number {
    return now - this.#madeAt;
  }

  /** Ages in the tree are as of when it was made: how old it is goes before it. */
  json(now: number): string {
    return `{"ageMs":${Math.round(this.ageMs(now))},"title":${JSON.stringify(this.title)},"tree":${this.#tree}}`;
  }
}

export type { Rendering };

/** Makes each reading into what is sent, once for those who may see details and once for those who may not. */
export class Renderings {
  readonly #board: Board;
  readonly #settings: RenderSettings;
  readonly #last: { -readonly [Details in 'with' | 'without']?: Rendering } = {};

  constructor(board: Board, settings: RenderSettings) {
    this.#board = board;
    this.#settings = settings;
  }

  of(details: boolean): Rendering {
    const key = details ? 'with' : 'without';
    const last = this.#last[key];
    if (last?.version === this.#board.version) return last;
    const made = new Rendering(this.#board, details, this.#settings);
    this.#last[key] = made;
    return made;
  }
}
