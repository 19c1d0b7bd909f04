import type { LookupAddress } from 'node:dns';
import { expect, it } from 'vitest';
import { lookupWithin } from '../../src/cli/lookup.js';

it('localhost is both loopback addresses, and nobody is asked', () => {
  const found: LookupAddress[] = [];
  lookupWithin(new AbortController().signal)('localhost', { all: true }, (error, addresses) => {
    expect(error).toBeNull();
    if (Array.isArray(addresses)) found.push(...addresses);
  });
  expect(found).toEqual([
    { address: '127.0.0.1', family: 4 },
    { address: '::1', family: 6 },
  ]);
});
