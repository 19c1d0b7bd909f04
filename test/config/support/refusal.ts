import { expect } from 'vitest';
import { isHealthControllerError } from '../../../src/index.js';

export function thrownBy(call: () => unknown): unknown {
  try {
    call();
  } catch (error) {
    return error;
  }
  return undefined;
}

/** Expects an error of code invalid_option whose sentence has all these parts. */
export function expectRefusal(call: () => unknown, ...sentence: readonly (string | RegExp)[]): void {
  const error = thrownBy(call);
  if (!isHealthControllerError(error, 'invalid_option'))
    throw new Error(`was not refused as it ought: ${String(error)}`);
  for (const part of sentence) {
    if (typeof part === 'string') expect(error.message).toContain(part);
    else expect(error.message).toMatch(part);
  }
  expect(error.message.length).toBeLessThan(1000);
}
