import { describe, expect, it } from 'vitest';
import { type CheckReturn, type ControllerOptions, degraded, type Logger, unhealthy } from '../../src/index.js';
import { type Bench, bench } from './support/bench.js';

const MINUTE = 60_000;

/** A check that is unhealthy from tick `from` until before tick `until`. */
function spell(at: Bench, from: number, until: number, answer: CheckReturn = unhealthy('gone', undefined, 'connect')) {
  let tick = -1;
  at.check({
    intervalMs: 1000,
    check: () => {
      tick += 1;
      return tick >= from && tick < until ? answer : true;
    },
  });
  at.controller.start();
  at.lines.length = 0;
}

describe('the log', () => {
  // Case 66.
  it('has no line for ten thousand healthy probes', async () => {
    const at = bench();
    spell(at, 0, 0);
    at.controller.register('late', { status: () => true });
    at.lines.length = 0;
    await at.clock.advance(10_000 * 1000);
    await at.controller.status();
    expect(at.lines).toEqual([]);
  });

  it('has one line for each transition, and says what and why', async () => {
    const at = bench();
    spell(at, 1, 5);
    await at.clock.advance(10_000);
    expect(at.lines).toEqual([
      expect.stringMatching(/^(warn|error): health check "db".*unhealthy.*gone/),
      expect.stringMatching(/^info: health check "db".*healthy/),
    ]);
  });

  // Case 66.
  it('has a reminder a minute, at most, while a check stays unhealthy', async () => {
    const at = bench();
    spell(at, 1, 501);
    await at.clock.advance(600_000);
    const reminders = at.lines.slice(1, -1);
    expect(at.lines[0]).toMatch(/unhealthy/);
    expect(at.lines.at(-1)).toMatch(/^info/);
    expect(reminders.length).toBeGreaterThanOrEqual(7);
    expect(reminders.length).toBeLessThanOrEqual(Math.floor((500 * 1000) / MINUTE));
    for (const reminder of reminders) expect(reminder).toMatch(/"db".*still/);
  });

  it('has a line when a check is degraded', async () => {
    const at = bench();
    spell(at, 1, 2, degraded('slow'));
    await at.clock.advance(3000);
    expect(at.lines).toHaveLength(2);
    expect(at.lines[0]).toMatch(/^warn: .*degraded.*slow/);
  });

  it('has a line each for the transitions of a service probe, named as such', async () => {
    const at = bench();
    const answers: CheckReturn[] = [true, false, false, true];
    at.controller.register('api', { status: () => answers.shift() });
    at.controller.start();
    at.lines.length = 0;
    while (answers.length > 0) await at.controller.status();
    expect(at.lines).toEqual([
      expect.stringMatching(/^(warn|error): .*"api".*unhealthy.*check returned false/),
      expect.stringMatching(/^info: .*"api".*healthy/),
    ]);
  });

  it('cuts a message of a megabyte', async () => {
    const at = bench();
    spell(at, 0, 5, unhealthy('x'.repeat(2 ** 20)));
    await at.clock.advance(5000);
    for (const line of at.lines) expect(line.length).toBeLessThan(3000);
  });

  it('is written to the logger that was given, each function called on it', async () => {
    // An instance with private members: a copy of it, or its functions alone, would throw.
    class Lines implements Logger {
      readonly #lines: string[] = [];
      get lines() {
        return [...this.#lines];
      }
      debug(message: string) {
        this.#lines.push(message);
      }
      info(message: string) {
        this.#lines.push(message);
      }
      warn(message: string) {
        this.#lines.push(message);
      }
      error(message: string) {
        this.#lines.push(message);
      }
    }
    const logger = new Lines();
    const options: ControllerOptions = { logger };
    const at = bench(options);
    spell(at, 0, 1);
    await at.clock.advance(0);
    expect(logger.lines.join('\n')).toMatch(/"db"/);
  });
});
