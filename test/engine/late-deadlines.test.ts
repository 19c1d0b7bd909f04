import { describe, expect, it } from 'vitest';
import { type CheckReturn, healthy } from '../../src/index.js';
import { bench, entryOf } from './support/bench.js';
import { deferred, turns } from './support/deferred.js';

/**
 * A run of 1000 ms at most whose answer is there as soon as the loop turns again after 1001 ms: as a socket that is
 * read after the timers have fired.
 */
function answersJustAfter() {
  const at = bench();
  const answer = deferred<CheckReturn>();
  at.check({ timeoutMs: 1000, check: () => answer.promise });
  at.controller.start();
  const entry = entryOf(at.controller);
  const answers = () => at.clock.setTimeout(() => answer.resolve(healthy('just in time')), 1001, { keepAlive: false });
  return { ...at, entry, answers };
}

describe('a deadline', () => {
  it('that fires late, because the loop was blocked, gives the run one more turn of the loop', async () => {
    const { clock, entry, answers } = answersJustAfter();
    answers();
    await turns();
    clock.freeze(3000);
    await clock.advance(0);
    expect(await entry).toMatchObject({ status: 'OK' });
    expect(clock.turnsAsked).toBeGreaterThan(0);
  });

  it('that fires on time gives none', async () => {
    const { clock, entry, answers } = answersJustAfter();
    answers();
    await clock.advance(2000);
    expect(await entry).toMatchObject({ status: 'ERROR', reason: 'timeout', durationMs: 1000 });
  });

  it('that fires late ends the run after that one turn', async () => {
    const { clock, entry } = answersJustAfter();
    await turns();
    clock.freeze(3000);
    await clock.advance(0);
    expect(await entry).toMatchObject({ status: 'ERROR', reason: 'timeout' });
    expect(clock.pending).toBe(0);
  });

  it('that fires late for a run that a poll began gives one more turn as well', async () => {
    const { controller, clock, check } = bench();
    const answer = deferred<CheckReturn>();
    check({ timeoutMs: 1000, intervalMs: 60_000, check: () => answer.promise });
    controller.start();
    await turns();
    clock.setTimeout(() => answer.resolve(true), 1001, { keepAlive: false });
    clock.freeze(3000);
    await clock.advance(0);
    expect(controller.checkResult('db')).toMatchObject({ status: 'healthy' });
  });

  it('of one run does not wait for another that is due later', async () => {
    const { controller, clock, check } = bench();
    const never = () => new Promise<CheckReturn>(() => {});
    check({ name: 'soon', timeoutMs: 1000, check: never });
    check({ name: 'later', timeoutMs: 5000, check: never });
    controller.start();
    const report = controller.status();
    await turns();
    clock.freeze(2000);
    await clock.advance(0);
    expect(controller.checkResult('soon')?.reason).toBe('timeout');
    expect(controller.checkResult('later')).toBeUndefined();
    await clock.advance(2999);
    expect(controller.checkResult('later')).toBeUndefined();
    await clock.advance(1);
    expect((await report).services.map(({ reason }) => reason)).toEqual(['timeout', 'timeout']);
  });
});
