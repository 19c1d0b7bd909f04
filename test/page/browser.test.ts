import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ageText } from '../../src/page/age.js';
import { BrowserDouble } from './support/browser-double.js';

describe('the script', () => {
  it('writes ages as the server does', () => {
    fc.assert(
      fc.property(fc.oneof(fc.nat(200_000), fc.nat(10_000_000), fc.nat(1_000_000_000)), (ageMs) => {
        expect(new BrowserDouble({ ageMs }).parts.age.textContent).toBe(ageText(ageMs));
      }),
    );
  });

  it('asks for a stream at once, relative to where it is, and is live with its first state', async () => {
    const browser = new BrowserDouble();
    expect(browser.sources.map(({ url }) => url)).toEqual(['?format=events']);
    browser.show();
    expect(browser.says).toBe('Live 0 s');
    expect(browser.parts.voice.textContent).toBe('');
    await browser.advance(40_000);
    expect(browser.polls).toEqual([]);
  });

  it('counts the age of its data on from what the server says, by its own monotonic clock', async () => {
    const browser = new BrowserDouble();
    browser.show(4000);
    await browser.advance(3000);
    expect(browser.says).toBe('Live 7 s');
    browser.show();
    expect(browser.says).toBe('Live 0 s');
  });

  it.each(['error', 'end'])('polls when its stream comes to an %s', async (how) => {
    const browser = new BrowserDouble();
    browser.show();
    browser.source.emit(how);
    await browser.advance(0);
    expect(browser.source.closed).toBe(true);
    expect(browser.polls).toEqual(['?format=state']);
    expect(browser.says).toBe('Polling 0 s');
    await browser.advance(5000);
    expect(browser.polls).toHaveLength(2);
  });

  it('polls at the interval of the server, a fifth of it more or less', async () => {
    for (const [random, delayMs] of [
      [0, 8000],
      [1, 12_000],
    ] as const) {
      const browser = new BrowserDouble({ refreshMs: 10_000 });
      browser.random = random;
      browser.source.emit('error');
      await browser.advance(delayMs - 1);
      expect(browser.polls).toHaveLength(1);
      await browser.advance(2);
      expect(browser.polls).toHaveLength(2);
    }
  });

  it('tries a stream again after six polls', async () => {
    const browser = new BrowserDouble();
    browser.source.emit('error');
    await browser.advance(24_000);
    expect([browser.polls.length, browser.sources.length]).toEqual([5, 1]);
    await browser.advance(5000);
    expect([browser.polls.length, browser.sources.length]).toEqual([6, 2]);
    browser.source.emit('error');
    await browser.advance(0);
    expect(browser.polls).toHaveLength(7);
    browser.show();
    expect(browser.says).toBe('Polling 0 s');
  });

  it.each([
    ['nothing answers', undefined],
    ['an error is answered', { ok: false, text: '{}' }],
    ['something else is answered', { ok: true, text: '<html>' }],
  ])('says that it is disconnected when %s, once aloud, and goes on counting', async (_, answer) => {
    const browser = new BrowserDouble();
    browser.show();
    browser.answer = answer;
    browser.source.emit('error');
    await browser.advance(0);
    expect([browser.says, browser.parts.voice.textContent]).toEqual(['Disconnected 0 s', 'Disconnected']);
    browser.parts.voice.textContent = '';
    await browser.advance(60_000);
    expect([browser.says, browser.parts.voice.textContent]).toEqual(['Disconnected 1 min', '']);
    expect([browser.polls.length, browser.sources.length]).toEqual([13, 1]);
  });

  it('takes to a stream as soon as something answers again', async () => {
    const browser = new BrowserDouble();
    browser.show();
    browser.answer = undefined;
    browser.source.emit('error');
    await browser.advance(20_000);
    browser.answer = { ok: true, text: '{"ageMs":0,"title":"t","tree":[]}' };
    await browser.advance(5000);
    expect([browser.says, browser.sources.length]).toEqual(['Polling 0 s', 2]);
    browser.show();
    expect(browser.says).toBe('Live 0 s');
  });

  it('connects anew at once where the server asks for it, and says nothing of it', async () => {
    const browser = new BrowserDouble();
    browser.show();
    const first = browser.source;
    first.emit('again');
    expect([first.closed, browser.sources.length, browser.says]).toEqual([true, 2, 'Live 0 s']);
    // What comes of the old one is late.
    first.emit('error');
    await browser.advance(0);
    expect(browser.polls).toEqual([]);
  });

  it('leaves a stream in which nothing was heard for long, and not one that beats', async () => {
    const browser = new BrowserDouble();
    browser.show();
    for (let i = 0; i < 10; i++) {
      await browser.advance(15_000);
      browser.source.emit('beat');
    }
    expect(browser.polls).toEqual([]);
    await browser.advance(45_000);
    expect(browser.source.closed).toBe(false);
    await browser.advance(1000);
    expect([browser.source.closed, browser.polls.length]).toEqual([true, 1]);
  });

  it('takes a state that cannot be read for a broken stream', async () => {
    const browser = new BrowserDouble();
    browser.source.emit('state', '{"tree');
    await browser.advance(0);
    expect([browser.source.closed, browser.polls.length]).toEqual([true, 1]);
  });
});
