import { describe, expect, it } from 'vitest';
import { makeOutcome, NOT_STARTED } from '../../src/core/outcome.js';

describe('makeOutcome', () => {
  it('is clean when everything settled without an error', () => {
    expect(makeOutcome({ cause: 'stop', reason: 'deploy' }, [], [], 12)).toEqual({
      cause: 'stop',
      reason: 'deploy',
      unfinished: [],
      stopErrors: [],
      exitCode: 0,
      durationMs: 12,
    });
    expect(makeOutcome({ cause: 'signal', signal: 'SIGTERM' }, [], [], 0)).toMatchObject({
      cause: 'signal',
      signal: 'SIGTERM',
      exitCode: 0,
    });
  });

  const failure = { service: 'api', error: new Error('x') };

  it.each([
    ['something is unfinished', makeOutcome({ cause: 'stop' }, ['api'], [], 1)],
    ['a hold is unfinished', makeOutcome({ cause: 'stop' }, ['hold:upload'], [], 1)],
    ['a stop failed', makeOutcome({ cause: 'signal', signal: 'SIGINT' }, [], [failure], 1)],
    ['a service gave up', makeOutcome({ cause: 'gave_up', service: 'api', error: failure.error }, [], [], 1)],
  ])('has exit code 1 when %s', (_what, outcome) => {
    expect(outcome.exitCode).toBe(1);
  });

  it('names the service that gave up, with its error', () => {
    const { error } = failure;
    expect(makeOutcome({ cause: 'gave_up', service: 'api', error }, [], [], 1)).toMatchObject({
      service: 'api',
      error,
    });
  });

  it('keeps no list that its maker may go on to change', () => {
    const unfinished = ['api'];
    const outcome = makeOutcome({ cause: 'stop' }, unfinished, [], 1);
    unfinished.push('later');
    expect(outcome.unfinished).toEqual(['api']);
  });
});

describe('a stop before the start', () => {
  it('is its own cause, with nothing to complain of', () => {
    expect(NOT_STARTED).toEqual({ cause: 'not_started', unfinished: [], stopErrors: [], exitCode: 0, durationMs: 0 });
    expect(Object.isFrozen(NOT_STARTED)).toBe(true);
  });
});
