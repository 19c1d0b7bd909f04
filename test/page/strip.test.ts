import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PageState } from '../../src/page/index.js';
import { SLOTS, Strip } from '../../src/page/strip.js';

/** One letter a slot, `-` for one in which nothing was seen. */
const letters = (strip: Strip, now: number, held = false): string =>
  strip
    .runs(now, held)
    .map(({ state, slots }) => (state?.charAt(0) ?? '-').repeat(slots))
    .join('');

describe('a strip', () => {
  it('shows nothing before anything was seen', () => {
    expect(letters(new Strip(1000), 5000)).toBe('-'.repeat(SLOTS));
  });

  it('shows the worst of each slot', () => {
    const strip = new Strip(1000);
    strip.note(0, 'ok', false);
    strip.note(400, 'error', false);
    strip.note(900, 'ok', false);
    strip.note(1000, 'ok', false);
    strip.note(1500, 'unknown', false);
    strip.note(2000, 'degraded', false);
    strip.note(2500, 'unknown', false);
    expect(letters(strip, 2999).slice(-3)).toBe('eud');
  });

  it('leaves gaps where nothing was seen, and fills them with what is known to have held', () => {
    const gaps = new Strip(1000);
    gaps.note(0, 'ok', false);
    gaps.note(3000, 'error', false);
    expect(letters(gaps, 5000).slice(-6)).toBe('o--e--');
    const held = new Strip(1000);
    held.note(0, 'ok', false);
    held.note(3000, 'error', true);
    expect(letters(held, 5000, true).slice(-6)).toBe('oooeee');
  });

  it('forgets what is older than the whole of it', () => {
    const strip = new Strip(1000);
    strip.note(0, 'error', false);
    strip.note(1000, 'ok', false);
    expect(letters(strip, 1000 * SLOTS)).toBe(`o${'-'.repeat(SLOTS - 1)}`);
    expect(letters(strip, 1_000_000)).toBe('-'.repeat(SLOTS));
  });

  it('agrees with a list of everything that was ever seen', () => {
    const states = fc.constantFrom<PageState>('ok', 'degraded', 'error', 'unknown');
    const rank: readonly PageState[] = ['ok', 'unknown', 'degraded', 'error'];
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(9000), states)), fc.nat(50_000), (steps, rest) => {
        const strip = new Strip(1000);
        const seen = new Map<number, PageState>();
        let now = 0;
        for (const [gapMs, state] of steps) {
          now += gapMs;
          strip.note(now, state, false);
          const slot = Math.floor(now / 1000);
          const before = seen.get(slot);
          if (before === undefined || rank.indexOf(state) > rank.indexOf(before)) seen.set(slot, state);
        }
        const last = Math.floor((now + rest) / 1000);
        const expected = Array.from({ length: SLOTS }, (_, i) => seen.get(last - SLOTS + 1 + i)?.charAt(0) ?? '-').join(
          '',
        );
        expect(letters(strip, now + rest)).toBe(expected);
      }),
    );
  });
});
