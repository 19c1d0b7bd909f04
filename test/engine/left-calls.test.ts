import { describe, expect, it } from 'vitest';
import { LeftCalls } from '../../src/engine/left-calls.js';

describe('LeftCalls', () => {
  it('allow a further call while fewer than two hang, or the oldest is ten timeouts old', () => {
    const calls = new LeftCalls();
    calls.leave(0);
    expect(calls.allow(1, 100)).toBe(true);
    const settled = calls.leave(10);
    expect([calls.allow(999, 100), calls.allow(1000, 100)]).toEqual([false, true]);
    calls.leave(500);
    expect(calls.allow(1001, 100)).toBe(false);
    settled();
    settled();
    expect(calls.allow(1001, 100)).toBe(true);
  });
});
