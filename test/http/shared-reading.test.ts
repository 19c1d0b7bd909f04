import { describe, expect, it } from 'vitest';
import { type Reading, SharedReading } from '../../src/http/shared-reading.js';
import { Controller, type HealthReport, unhealthy } from '../../src/index.js';
import { FakeClock } from '../../src/testing/index.js';
import { reporterOf, reportOf } from './support/asking.js';

function reading(reporter: Parameters<typeof reporterOf>[0] | Controller, clock = new FakeClock()) {
  const from = typeof reporter === 'function' ? reporterOf(reporter) : reporter;
  const shared = new SharedReading(from, 'readiness', clock);
  const read = () =>
    new Promise<Reading>((take, failed) => {
      shared.read({ take, failed });
    });
  return { read, clock };
}

describe('a report that is made anew each time', () => {
  function counting() {
    let calls = 0;
    const controller = new Controller();
    controller.registerCheck({ name: 'db', check: async () => void calls++ });
    controller.start();
    return { controller, calls: () => calls };
  }

  it('is shared by all who ask within one turn, and begun when all of them have asked', async () => {
    const { controller, calls } = counting();
    const { read, clock } = reading(controller);
    await read();
    await read();
    const before = calls();
    const asked = [read(), read(), read()];
    expect(calls()).toBe(before);
    await clock.advance(0);
    const [first, ...others] = await Promise.all(asked);
    expect(calls()).toBe(before + 1);
    for (const other of others) expect(other?.report).toBe(first?.report);
    await controller.stop();
  });

  it('is another one in the next turn', async () => {
    const { controller, calls } = counting();
    const { read, clock } = reading(controller);
    await read();
    await read();
    for (let turn = 0; turn < 3; turn++) {
      const before = calls();
      const asked = read();
      await clock.advance(0);
      await asked;
      expect(calls()).toBe(before + 1);
    }
    await controller.stop();
  });

  it('waits for a turn one time in eight where nobody else asks, and each time once somebody does', async () => {
    const { controller } = counting();
    let turns = 0;
    class Counting extends FakeClock {
      override nextTurn(callback: () => void): void {
        turns++;
        super.nextTurn(callback);
      }
    }
    const { read, clock } = reading(controller, new Counting());
    const ask = async (callers: number) => {
      const asked = Array.from({ length: callers }, read);
      await clock.advance(0);
      await Promise.all(asked);
    };
    await ask(1);
    for (let i = 0; i < 32; i++) await ask(1);
    expect(turns).toBe(4);
    for (let i = 0; i < 9; i++) await ask(3);
    const before = turns;
    for (let i = 0; i < 5; i++) await ask(3);
    expect(turns).toBe(before + 5);
    await controller.stop();
  });

  it('says the same while names, states and reasons stay, and something else when one changes', async () => {
    let result: undefined | ReturnType<typeof unhealthy>;
    const controller = new Controller();
    controller.registerCheck({ name: 'db', check: async () => result });
    controller.start();
    const { read, clock } = reading(controller);
    const next = async () => {
      const asked = read();
      await clock.advance(0);
      return (await asked).says;
    };
    const fine = await next();
    expect(await next()).toBe(fine);
    result = unhealthy('gone at 12:00', undefined, 'gone');
    const gone = await next();
    expect(gone).not.toBe(fine);
    result = unhealthy('gone at 12:01', undefined, 'gone');
    expect(await next()).toBe(gone);
    result = unhealthy('lost', undefined, 'lost');
    const lost = await next();
    expect(lost).not.toBe(gone);
    controller.registerCheck({ name: 'cache', check: async () => undefined, critical: false });
    const both = await next();
    expect(both).not.toBe(lost);
    controller.setMaintenance('upgrade');
    const closed = await next();
    expect(closed).not.toBe(both);
    expect(await next()).toBe(closed);
    const stopped = controller.stop();
    expect(await next()).not.toBe(closed);
    await stopped;
  });

  it('fails for all who asked, where the reporter fails', async () => {
    let made = 0;
    const { read, clock } = reading(() => {
      made++;
      if (made > 2) throw new Error('no report');
      return reportOf({ name: 'db' });
    });
    await read();
    await read();
    const asked = Promise.allSettled([read(), read()]);
    await clock.advance(0);
    expect((await asked).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(made).toBe(3);
  });
});

describe('a report that is handed out again', () => {
  it('is read at once, without a turn', async () => {
    const clock = new FakeClock();
    const controller = new Controller({ clock });
    controller.registerCheck({ name: 'db', check: async () => {}, intervalMs: 1000 });
    controller.start();
    await clock.advance(0);
    const { read } = reading(controller, clock);
    const first = await read();
    expect(first.report.overallHealthy).toBe(true);
    expect((await read()).report).toBe(first.report);
    const stopped = controller.stop();
    expect((await read()).report.state).toBe('stopping');
    await clock.advance(0);
    await stopped;
  });
});

describe('a controller whose method was replaced', () => {
  it('answers as that method says', async () => {
    class Closed extends Controller {
      override readiness(): Promise<HealthReport> {
        return Promise.resolve(reportOf({ name: 'closed', status: 'ERROR' }) as unknown as HealthReport);
      }
    }
    const { read } = reading(new Closed());
    expect((await read()).report.services[0]?.name).toBe('closed');
  });
});
