import { describe, expect, it } from 'vitest';
import { classifyRun, type RunEnd, type RunFacts } from '../../src/core/run-outcome.js';
import vectors from '../vectors/restarts.json' with { type: 'json' };

const PLAIN: RunFacts = { runToCompletion: false, aborted: false, valid: false };
const boom = new Error('boom');
const rejected = (error: unknown): RunEnd => ({ how: 'rejected', error });

const STARTS: Readonly<Record<string, readonly [RunEnd, Partial<RunFacts>]>> = {
  resolves: [{ how: 'resolved' }, {}],
  'rejects after the controller aborted its signal': [rejected(boom), { aborted: true }],
  'rejects with an error accepted by validError': [rejected(boom), { valid: true }],
  'rejects with an AbortError while its signal is live': [rejected(new DOMException('x', 'AbortError')), {}],
  'rejects with any other error': [rejected(boom), {}],
  'throws synchronously': [rejected(boom), {}],
  'throws or rejects a value that is no Error': [rejected('odd'), {}],
  'does not settle by startTimeoutMs': [{ how: 'start_timeout', timeoutMs: 300 }, {}],
};

describe('vectors/restarts.json, classification', () => {
  it.each(vectors.classification)('a start that $start, $outcome', (row) => {
    const [end, facts] = STARTS[row.start] ?? [];
    if (end === undefined) throw new Error(`no such start is known: ${row.start}`);
    const outcome = classifyRun(end, { ...PLAIN, ...facts, runToCompletion: row.runToCompletion === true });
    expect(outcome.kind).toBe(row.outcome);
    if (row.reason !== undefined) expect(outcome).toMatchObject({ reason: row.reason });
    if (row.message !== undefined) expect(outcome).toMatchObject({ message: row.message.replace('<value>', 'odd') });
  });
});

describe('classifyRun', () => {
  it('keeps the error as it was thrown, with its message', () => {
    expect(classifyRun(rejected(boom), PLAIN)).toEqual({
      kind: 'error',
      error: boom,
      message: 'boom',
      reason: 'failed',
    });
  });

  it('keeps also a value that is no Error as it was thrown', () => {
    expect(classifyRun(rejected(null), PLAIN)).toEqual({
      kind: 'error',
      error: null,
      message: 'start panicked: null',
      reason: 'panicked',
    });
  });

  it('says of a start that took too long how long it had', () => {
    const outcome = classifyRun({ how: 'start_timeout', timeoutMs: 307 }, PLAIN);
    expect(outcome).toMatchObject({ kind: 'error', reason: 'start_timeout', message: expect.stringContaining('307') });
  });

  it('a start timeout is an error although its signal was aborted for it', () => {
    expect(classifyRun({ how: 'start_timeout', timeoutMs: 1 }, { ...PLAIN, aborted: true }).kind).toBe('error');
  });

  it.each([null, undefined, 'text', Symbol('s'), Object.freeze({}), { toString: () => ({}) }])(
    'never throws: %o',
    (error) => {
      expect(classifyRun(rejected(error), PLAIN)).toMatchObject({ kind: 'error', reason: 'panicked' });
    },
  );
});
