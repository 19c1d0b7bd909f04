import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PageEntry, PageReading } from '../../src/page/index.js';
import { TAGS } from '../../src/page/tree.js';
import { board, pageOf, TestSource } from './support/pages.js';
import { parseHtml } from './support/parse-html.js';

const hostile = fc.oneof(
  fc.constantFrom(
    '<script>alert(1)</script>',
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='x",
    '</main></script><script>',
    '&lt;b&gt;',
    '<!--',
    ']]>',
    '\u202eabc',
    '\u0000',
    'a\nb',
    '\ud800',
    'javascript:alert(1)',
    '__proto__',
  ),
  fc.string({ maxLength: 30 }),
  fc.string({ unit: 'binary', maxLength: 30 }),
);
const state = fc.constantFrom('ok', 'degraded', 'error', 'unknown');
const entry = fc.record(
  {
    name: hostile,
    kind: hostile,
    state: fc.oneof(state, hostile),
    label: hostile,
    reason: hostile,
    error: hostile,
    facts: fc.dictionary(hostile, fc.oneof(hostile, fc.jsonValue({ maxDepth: 2 })), { maxKeys: 4 }),
    ageMs: fc.oneof(fc.double(), fc.nat()),
    changedAgeMs: fc.oneof(fc.double(), fc.nat()),
  },
  { requiredKeys: ['name', 'state'] },
);
const reading = fc.record(
  {
    state,
    label: hostile,
    reason: hostile,
    facts: fc.dictionary(hostile, hostile, { maxKeys: 3 }),
    entries: fc.array(entry, { maxLength: 6 }),
  },
  { requiredKeys: ['entries'] },
);

const ATTRIBUTE = /^(?:class|id|role|scope|viewBox|preserveAspectRatio|x|y|width|height|aria-[a-z]+|data-[a-z]+)$/;

describe('whatever a source says', () => {
  it.each(['never', 'always'] as const)('comes out as text and never as markup, with details %s', async (details) => {
    await fc.assert(
      fc.asyncProperty(
        reading,
        hostile.filter((name) => name.length > 0),
        async (said, name) => {
          const { html } = pageOf([new TestSource(() => said, name)], { details, title: `t${name}`.slice(0, 256) });
          const whole = await html();
          const parsed = parseHtml(board(whole));
          const known: readonly string[] = TAGS;
          for (const { tag, attributes } of parsed.tags) {
            expect(known).toContain(tag);
            for (const attribute of Object.keys(attributes)) expect(attribute).toMatch(ATTRIBUTE);
          }
          // One script and one style, whatever the texts are.
          expect(whole.match(/<script/g)).toHaveLength(1);
          expect(whole.match(/<style/g)).toHaveLength(1);
          expect(whole.match(/<\/main>/g)).toHaveLength(1);
        },
      ),
      { numRuns: 200 },
    );
  });
});

const show = async (said: Partial<PageReading>, options = {}) => {
  const shown = pageOf([new TestSource(() => ({ entries: [], ...said }), 'Parts')], options);
  const parsed = parseHtml(board(await shown.html()));
  return {
    ...shown,
    ...parsed,
    row: (name: string) => parsed.tags.find(({ attributes }) => attributes['data-key'] === name),
  };
};

const DB: PageEntry = {
  name: 'db',
  kind: 'check',
  state: 'error',
  reason: 'timeout',
  error: 'connect ECONNREFUSED postgres://app:s3cret@10.0.0.5/db',
  facts: { url: 'http://u:p@db/', pid: 4711 },
};

describe('without details', () => {
  it('names, states, labels and reason codes are shown, and nothing else of a source', async () => {
    const { text } = await show({ label: 'running', reason: 'maintenance', facts: { host: 'h-17' }, entries: [DB] });
    expect(text).toContain('running, maintenance');
    expect(text).toContain('db');
    expect(text).toContain('Error timeout');
    for (const secret of ['ECONNREFUSED', '10.0.0.5', '4711', 'h-17', 'Details']) expect(text).not.toContain(secret);
  });

  it('a reason or label that is no code is not shown', async () => {
    const { text } = await show({
      label: 'At 10.0.0.5',
      entries: [{ ...DB, reason: 'no 10.0.0.5', label: 'is /etc' }],
    });
    expect(text).not.toContain('10.0.0.5');
    expect(text).not.toContain('/etc');
  });
});

describe('with details', () => {
  it('errors and facts are shown, and credentials in URLs masked', async () => {
    const { text } = await show({ facts: { host: 'h-17' }, entries: [DB] }, { details: 'always' });
    expect(text).toContain('connect ECONNREFUSED postgres://***@10.0.0.5/db');
    expect(text).toContain('urlhttp://***@db/pid4711');
    expect(text).toContain('hosth-17');
    expect(text).not.toContain('s3cret');
  });

  it('an error is cut after 500 characters, a fact after 200, and twenty facts are shown', async () => {
    const facts = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`f${i}`, 'x'.repeat(300)]));
    const { text, tags } = await show({ entries: [{ ...DB, error: 'e'.repeat(600), facts }] }, { details: 'always' });
    expect(text).toContain(`${'e'.repeat(500)}…`);
    expect(text).toContain(`${'x'.repeat(200)}…`);
    expect(tags.filter(({ tag }) => tag === 'dt')).toHaveLength(20);
  });
});

describe('a section', () => {
  it('says how many there are of each state, and leaves the least urgent out', async () => {
    const entries = Array.from(
      { length: 10 },
      (_, i): PageEntry => ({ name: `e${i}`, state: i === 7 ? 'error' : 'ok' }),
    );
    const { text, tags } = await show({ entries }, { maxEntries: 3 });
    expect(text).toContain('1 Error, 9 OK; 7 more are not shown: those that need attention come first');
    expect(tags.flatMap(({ tag, attributes }) => (tag === 'tr' ? [attributes['data-key']] : []))).toEqual([
      undefined,
      'e7',
      'e0',
      'e1',
    ]);
  });

  it('keeps the order of its source where all are shown', async () => {
    const { tags } = await show({ entries: [{ name: 'a', state: 'ok' }, DB] });
    expect(tags.flatMap(({ attributes }) => attributes['data-key'] ?? [])).toEqual(['Parts', 'a', 'db']);
  });

  it('says that it could not be read, and how old what it shows is', async () => {
    const source = new TestSource(() => ({ entries: [DB] }));
    const { clock, html } = pageOf([source]);
    await html();
    source.says = () => {
      throw new Error('secret cause');
    };
    await clock.advance(180_000);
    const { text } = parseHtml(board(await html()));
    expect(text).toContain('Could not be read (read failed): what is known is 3 min old');
    expect(text).toContain('Checked 3 min ago');
    expect(text).not.toContain('secret cause');
  });

  it('shows how it went, with times', async () => {
    const source = new TestSource(() => ({ label: 'ready', entries: [] }));
    const { clock, html } = pageOf([source]);
    source.changed({ label: 'starting' });
    await clock.advance(60_000);
    await html();
    await clock.advance(5000);
    expect(parseHtml(board(await html())).text).toContain('starting for 1 minready for 5 s');
  });
});

describe('an entry', () => {
  it('tells its state by symbol and word, and its own word beside it', async () => {
    const shown = await show({
      entries: [{ name: 'a', state: 'ok', label: 'ready' }, { name: 'b', state: 'degraded' }, DB],
    });
    expect(shown.text).toContain('✔ OK ready');
    expect(shown.text).toContain('▲ Degraded');
    expect(shown.text).toContain('✖ Error timeout');
    expect(shown.row('db')?.attributes).toMatchObject({
      'data-state': 'error',
      'data-watch': 'Parts: db',
      'data-word': 'Error timeout',
    });
  });

  it('shows its ages, and since when it has been so for sure or at least', async () => {
    const given = [{ name: 'a', state: 'ok', ageMs: 61_000, changedAgeMs: 7_200_000 } as const];
    expect((await show({ entries: given })).text).toContain('Checked 1 min agoUnchanged for 2 h');
    const source = new TestSource(() => ({ entries: [{ name: 'a', state: 'ok' }] }));
    const { clock, html } = pageOf([source]);
    await html();
    await clock.advance(30_000);
    expect(parseHtml(board(await html())).text).toContain('Unchanged for over 30 s');
    source.says = () => ({ entries: [{ name: 'a', state: 'error' }] });
    await clock.advance(5000);
    await html();
    await clock.advance(5000);
    expect(parseHtml(board(await html())).text).toContain('Unchanged for 5 s');
  });

  it('has a strip that says in words what it shows', async () => {
    const source = new TestSource(() => ({ entries: [{ name: 'a', state: 'ok' }] }));
    const { clock, html } = pageOf([source], { historyMs: 30_000 });
    await html();
    source.changed({ entry: 'a', state: 'error' });
    await clock.advance(5000);
    await html();
    await clock.advance(5000);
    const { tags } = parseHtml(board(await html()));
    const strip = tags.find(({ tag }) => tag === 'svg');
    expect(strip?.attributes['aria-label']).toBe('error 6 s, ok 1 s');
    expect(tags.filter(({ tag }) => tag === 'rect').map(({ attributes }) => attributes.class)).toEqual([
      'none',
      'error',
      'none',
      'ok',
    ]);
  });
});
