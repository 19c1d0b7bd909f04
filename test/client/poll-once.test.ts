import { describe, expect, it } from 'vitest';
import { pollOnce, recordPoll, startRecord } from '../../src/client/index.js';
import { FakeClock } from '../../src/testing/index.js';
import { REFUSED, world } from './support/stage.js';

describe('pollOnce()', () => {
  it('asks once, and says what came, ready for the record', async () => {
    const clock = new FakeClock();
    const { fetch, asked } = world(clock);
    const result = await pollOnce({
      url: 'http://user:pw@w.test',
      fetch,
      clock,
      passive: true,
      headers: { 'x-job': '7' },
    });
    expect(result).toMatchObject({ ok: true, verdict: 'healthy', snapshot: { phase: 'ready' } });
    expect(asked.map(({ url, init }) => [url, init.headers])).toEqual([
      [
        'http://w.test/api/health?passive=1',
        { accept: 'application/json', authorization: `Basic ${btoa('user:pw')}`, 'x-job': '7' },
      ],
    ]);
    expect(recordPoll(startRecord(0), result, 1)[1]).toEqual(['running']);
    expect(clock.pending).toBe(0);
  });

  it('says why there is none', async () => {
    const clock = new FakeClock();
    const result = await pollOnce({ url: 'http://w.test', fetch: world(clock, REFUSED).fetch, clock });
    expect(result).toEqual({ ok: false, error: 'the request failed (ECONNREFUSED)' });
    expect(recordPoll(startRecord(0), result, 300_000)[1]).toEqual(['lost']);
  });

  it.each([
    [{}, 35_000],
    [{ passive: true }, 5000],
    [{ timeoutMs: 20 }, 20],
  ])('with %j ends after %i ms, which keep the process alive', async (options, timeoutMs) => {
    const clock = new FakeClock();
    const polled = pollOnce({ url: 'http://w.test', fetch: world(clock, 'hangs').fetch, clock, ...options });
    expect(clock.timers).toEqual([{ delayMs: timeoutMs, dueAt: timeoutMs, keepAlive: true }]);
    await clock.advance(timeoutMs);
    expect(await polled).toEqual({ ok: false, error: `no answer within ${timeoutMs} ms` });
    expect(clock.pending).toBe(0);
  });

  it('rejects wrong options only', async () => {
    for (const options of [
      {},
      { url: 'x' },
      { url: 'http://w.test', intervalMs: 5 },
      { url: 'http://w.test', clock: 1 },
    ]) {
      await expect(pollOnce(options as never)).rejects.toMatchObject({ code: 'invalid_option' });
    }
  });
});
