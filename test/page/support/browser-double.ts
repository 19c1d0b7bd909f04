import { runInNewContext } from 'node:vm';
import { SCRIPT } from '../../../src/page/script.js';

/** What the script sets and reads of an element outside of the tree. */
class Part {
  textContent = '';
  readonly childNodes: readonly unknown[] = [];
  readonly firstChild = null;
  readonly dataset: Record<string, string> = {};

  querySelectorAll(): readonly unknown[] {
    return [];
  }
}

interface Timer {
  readonly at: number;
  readonly run: () => void;
  readonly everyMs: number | undefined;
}

/** A stream that a test opens, fills and breaks. */
export class SourceDouble {
  readonly url: string;
  closed = false;
  readonly #listeners = new Map<string, (event: { data: string }) => void>();

  constructor(url: string) {
    this.url = url;
  }

  addEventListener(name: string, listener: (event: { data: string }) => void): void {
    this.#listeners.set(name, listener);
  }

  close(): void {
    this.closed = true;
  }

  emit(name: string, data = ''): void {
    this.#listeners.get(name)?.({ data });
  }
}

const EMPTY = '{"ageMs":0,"title":"t","tree":[]}';

/** A browser with the page in it, whose tree is empty: time, streams and polls are the test's. */
export class BrowserDouble {
  readonly parts = { board: new Part(), link: new Part(), age: new Part(), voice: new Part() };
  readonly sources: SourceDouble[] = [];
  readonly polls: string[] = [];
  /** What a poll gets. Undefined: nothing answers. */
  answer: { readonly ok: boolean; readonly text: string } | undefined = { ok: true, text: EMPTY };
  /** Of the page's own random numbers. */
  random = 0.5;
  #now = 1000;
  readonly #timers = new Set<Timer>();

  constructor({ refreshMs = 5000, ageMs = 0 } = {}) {
    const { parts, sources } = this;
    const body = new Part();
    Object.assign(body.dataset, { refresh: String(refreshMs), age: String(ageMs) });
    class EventSource extends SourceDouble {
      constructor(url: string) {
        super(url);
        sources.push(this);
      }
    }
    const later = (run: () => void, ms: number, everyMs?: number) =>
      this.#timers.add({ at: this.#now + ms, run, everyMs });
    runInNewContext(SCRIPT, {
      document: { body, title: '', getElementById: (id: keyof typeof parts) => parts[id] },
      Element: class {},
      EventSource,
      performance: { now: () => this.#now },
      AbortSignal,
      Math: Object.assign(Object.create(Math), { random: () => this.random }),
      fetch: async (url: string) => {
        this.polls.push(url);
        const { answer } = this;
        if (answer === undefined) throw new TypeError('Failed to fetch');
        return { ok: answer.ok, status: 500, text: async () => answer.text };
      },
      setTimeout: (run: () => void, ms: number) => later(run, ms),
      setInterval: (run: () => void, ms: number) => later(run, ms, ms),
    });
  }

  get source(): SourceDouble {
    const last = this.sources.at(-1);
    if (last === undefined) throw new Error('there was no stream yet');
    return last;
  }

  /** What the page says of its connection and of the age of its data. */
  get says(): string {
    return `${this.parts.link.textContent} ${this.parts.age.textContent}`;
  }

  show(ageMs = 0): void {
    this.source.emit('state', JSON.stringify({ ageMs, title: 't', tree: [] }));
  }

  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    await rest();
    for (;;) {
      const [next] = [...this.#timers].sort((a, b) => a.at - b.at);
      if (next === undefined || next.at > end) break;
      this.#now = next.at;
      this.#timers.delete(next);
      if (next.everyMs !== undefined) this.#timers.add({ ...next, at: next.at + next.everyMs });
      next.run();
      await rest();
    }
    this.#now = end;
  }
}

const rest = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
