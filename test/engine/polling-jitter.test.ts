import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../src/testing/index.js';
import { bench } from './support/bench.js';
import { grid, polled } from './support/polled.js';

describe('jitter', () => {
  it('0, the default, leaves every tick on its grid', async () => {
    const at = bench({
      random: () => {
        throw new Error('no chance was asked for');
      },
    });
    const { starts } = polled(at, { intervalMs: 100 });
    at.controller.start();
    await at.clock.advance(1000);
    expect(starts).toEqual(grid(0, 100, 11));
  });

  const startsWith = async (seed: number, jitter: number) => {
    const at = bench({ random: seededRandom(seed) });
    const { starts } = polled(at, { intervalMs: 100, jitter });
    at.controller.start();
    await at.clock.advance(20_100);
    return starts;
  };

  it.each([0.1, 0.5, 1])(
    '%d spreads the ticks over that share of the interval after the grid, never before',
    async (jitter) => {
      const starts = await startsWith(7, jitter);
      expect(starts[0]).toBe(0);
      expect(starts.length).toBeGreaterThanOrEqual(200);
      const late = starts.slice(1, 201).map((start, index) => start - (index + 1) * 100);
      for (const by of late) {
        expect(by).toBeGreaterThanOrEqual(0);
        expect(by).toBeLessThan(jitter * 100);
      }
      // Over all of it, not at one end.
      expect(Math.min(...late)).toBeLessThan(jitter * 20);
      expect(Math.max(...late)).toBeGreaterThan(jitter * 80);
    },
  );

  it('is the same for the same chance, and another for another', async () => {
    expect(await startsWith(1, 0.5)).toEqual(await startsWith(1, 0.5));
    expect(await startsWith(1, 0.5)).not.toEqual(await startsWith(2, 0.5));
  });

  it('survives a port of chance that throws or returns nonsense', async () => {
    for (const random of [() => Number.NaN, () => 1, () => -1, brokenRandom]) {
      const at = bench({ random });
      const { starts } = polled(at, { intervalMs: 100, jitter: 0.5 });
      at.controller.start();
      await at.clock.advance(300);
      expect(starts).toEqual(grid(0, 100, 4));
    }
  });
});

function brokenRandom(): number {
  throw new Error('no');
}
