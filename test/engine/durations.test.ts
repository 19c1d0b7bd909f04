import { describe, expect, it } from 'vitest';
import { bench } from './support/bench.js';
import { turns } from './support/deferred.js';
import { never } from './support/polled.js';
import { TracedClock } from './support/traced-clock.js';

// Case 5: every duration drives its own timer, and no other.
describe('each duration option', () => {
  it('is the delay of its own timer', async () => {
    const at = bench();
    at.check({ name: 'first', intervalMs: 211, initialDelayMs: 307, timeoutMs: 401, check: never });
    at.controller.start();
    await turns();
    expect(at.clock.delays()).toEqual([307]);
    await at.clock.advance(307);
    // The run begins: its deadline, and the next tick.
    expect(at.clock.delays().sort()).toEqual([211, 401]);
  });

  it('of a service is the delay of its own timer', async () => {
    const clock = new TracedClock();
    const at = bench({ clock, drainDelayMs: 503, holdTimeoutMs: 601, shutdownTimeoutMs: 1009 });
    at.controller.register('api', { status: never, probeTimeoutMs: 701, start: never, startTimeoutMs: 809 });
    at.controller.start();
    await turns();
    expect(clock.delays()).toEqual([809]);
    const report = at.controller.status();
    await turns();
    expect(clock.delays()).toEqual([701]);
    at.controller.hold('upload');
    const stopped = at.controller.stop();
    await turns();
    expect(clock.delays()).toEqual([503]);
    await clock.advance(503);
    // What is left of the hold's time.
    expect(clock.delays()).toEqual([601 - 503]);
    await clock.advance(2000);
    await report;
    expect(await stopped).toMatchObject({ unfinished: ['hold:upload', 'api'], durationMs: 601 + 1009 });
  });
});
