import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { ageText } from '../../src/page/age.js';
import { SCRIPT, SCRIPT_HASH } from '../../src/page/script.js';
import { STYLE, STYLE_HASH } from '../../src/page/style.js';
import { pageOf, TestSource } from './support/pages.js';

const hashOf = (text: string): string => `sha256-${createHash('sha256').update(text).digest('base64')}`;

describe('the document', () => {
  it('has the script and the style that its policy names, and no other', async () => {
    const { ask } = pageOf([new TestSource()]);
    const answer = await ask('/status-page');
    const html = await answer.text();
    const script = /<script>([\s\S]*?)<\/script>/.exec(html)?.[1];
    const style = /<style>([\s\S]*?)<\/style>/.exec(html)?.[1];
    expect([script, style]).toEqual([SCRIPT, STYLE]);
    // When one of these fails, the text was changed: put its hash beside it.
    expect(SCRIPT_HASH).toBe(hashOf(SCRIPT));
    expect(STYLE_HASH).toBe(hashOf(STYLE));
    expect(answer.headers.get('content-security-policy')).toBe(
      `default-src 'none'; script-src '${hashOf(SCRIPT)}'; style-src '${hashOf(STYLE)}'; connect-src 'self'; ` +
        "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
  });

  it('is never stored, sniffed, framed or told of to others', async () => {
    const { ask } = pageOf([new TestSource()]);
    const { headers } = await ask('/status-page');
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-resource-policy': 'same-origin',
      vary: 'Accept',
    });
  });

  it('asks nothing of anybody else: no link, image or font leads outside', async () => {
    const html = await pageOf([new TestSource()]).html();
    expect(html.match(/(?:src|href)="[^"]*"/g)).toEqual(['href="data:,"']);
    expect(STYLE).not.toMatch(/url\(|@import/);
  });

  it('names the state first in the title of the window', async () => {
    const { html } = pageOf([new TestSource(() => ({ state: 'degraded', entries: [] }))], { title: 'Shop <1>' });
    const text = await html();
    expect(text).toContain('<title>▲ Degraded – Shop &lt;1&gt;</title>');
    expect(text).toContain('<h1>Shop &lt;1&gt;</h1>');
  });

  it('tells its script how often to ask and how old it is', async () => {
    const { html, clock } = pageOf([new TestSource()], { refreshIntervalMs: 7000 });
    await html();
    await clock.advance(2500);
    const text = await html();
    expect(text).toContain('<body data-refresh="7000" data-age="2500">');
    expect(text).toContain('data <span id="age">2 s</span> old');
  });
});

it.each([
  [-5, '0 s'],
  [0, '0 s'],
  [59_999, '59 s'],
  [60_000, '1 min'],
  [3_599_999, '59 min'],
  [3_600_000, '1 h'],
  [172_799_999, '47 h'],
  [172_800_000, '2 d'],
])('%d ms is %s', (ms, text) => {
  expect(ageText(ms)).toBe(text);
});
