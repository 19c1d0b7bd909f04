import { describe, expect, it } from 'vitest';
import { canTransition, type LifecycleState, TRANSITIONS } from '../../src/core/lifecycle.js';

const STATES = Object.keys(TRANSITIONS) as LifecycleState[];

const ALLOWED = [
  'never_started -> running',
  'running -> stopping',
  'running -> unable_to_start',
  'unable_to_start -> running',
  'unable_to_start -> stopping',
  'stopping -> stopped',
];

describe('the lifecycle', () => {
  it('has five states', () => {
    expect(STATES.sort()).toEqual(['never_started', 'running', 'stopped', 'stopping', 'unable_to_start']);
  });

  it.each(STATES.flatMap((from) => STATES.map((to) => [from, to] as const)))(
    '%s to %s is as in the table',
    (from, to) => {
      expect(canTransition(from, to)).toBe(ALLOWED.includes(`${from} -> ${to}`));
    },
  );
});
