import { afterEach, beforeEach, expect } from 'vitest';
import { turns } from './deferred.js';

/** Fails the test during which a rejection stayed unhandled, or an exception went uncaught. */
export function expectNothingUnhandled(): void {
  const seen: unknown[] = [];
  const see = (error: unknown) => void seen.push(error);
  beforeEach(() => {
    seen.length = 0;
    process.on('unhandledRejection', see);
  });
  afterEach(async () => {
    await turns();
    process.off('unhandledRejection', see);
    expect(seen).toEqual([]);
  });
}
