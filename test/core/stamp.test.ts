import { describe, expect, it } from 'vitest';
import { isoStamp } from '../../src/core/stamp.js';

describe('isoStamp', () => {
  it.each([
    [0, '1970-01-01T00:00:00.000Z'],
    [1_704_067_200_123, '2024-01-01T00:00:00.123Z'],
    [1_704_067_200_123.9, '2024-01-01T00:00:00.123Z'],
    [-1, '1969-12-31T23:59:59.999Z'],
  ])('writes %d as %s', (epochMs, stamp) => {
    expect(isoStamp(epochMs)).toBe(stamp);
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, 8.64e15 + 1])(
    'gives the epoch for %d, which is no time',
    (epochMs) => {
      expect(isoStamp(epochMs)).toBe('1970-01-01T00:00:00.000Z');
    },
  );
});
