import {
  createStatusPage,
  type PageReading,
  type PageSource,
  type StatusPageOptions,
} from '../../../src/page/index.js';
import { FakeClock } from '../../../src/testing/index.js';

/** A source that says what it is told to, and counts how often it was asked. */
export class TestSource implements PageSource {
  readonly name: string;
  reads: (readonly string[] | undefined)[] = [];
  says: () => unknown;
  changed: Parameters<NonNullable<PageSource['watch']>>[0] = () => {};
  watched = 0;

  constructor(says: () => unknown = () => ({ entries: [] }), name = 'Source') {
    this.says = says;
    this.name = name;
  }

  read({ only }: { only?: readonly string[] | undefined }): PageReading | PromiseLike<PageReading> {
    this.reads.push(only);
    return this.says() as PageReading;
  }

  watch(changed: Parameters<NonNullable<PageSource['watch']>>[0]): () => void {
    this.changed = changed;
    this.watched++;
    return () => {
      this.watched--;
    };
  }
}

export interface StateAnswer {
  readonly ageMs: number;
  readonly title: string;
  readonly tree: unknown;
}

/** A page over a fake clock, asked by `fetch`. */
export function pageOf(sources: readonly PageSource[], options: Partial<StatusPageOptions> = {}) {
  const clock = new FakeClock();
  const page = createStatusPage({ sources, clock, ...options });
  const ask = async (path: string, init?: RequestInit): Promise<Response> => {
    const answer = page.fetch(new Request(`http://host${path}`, init));
    if (answer === undefined) throw new Error(`${path} is not the page's`);
    return answer;
  };
  const html = async (): Promise<string> => (await ask('/status-page')).text();
  const state = async (): Promise<StateAnswer> => (await ask('/status-page/state')).json() as Promise<StateAnswer>;
  return { clock, page, ask, html, state };
}

/** What is on the page between `<main>` and `</main>`. */
export function board(html: string): string {
  return /<main id="board">([\s\S]*)<\/main>/.exec(html)?.[1] ?? '';
}
