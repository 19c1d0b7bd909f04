import { describe, expect, it } from 'vitest';
import { type CheckContext, Controller, type Logger, type TimerHandle, type TimerOptions } from '../../src/index.js';
import { FakeClock } from '../../src/testing/index.js';

/**
 * Instances of classes with private members: whoever copies them, or calls a function of theirs on something else,
 * gets a TypeError.
 */
class Pool {
  readonly name = 'pool';
  readonly timeoutMs = 700;
  readonly calls: string[] = [];
  #open = false;

  start() {
    this.#open = true;
    this.calls.push('start');
  }
  stop() {
    this.#open = false;
    this.calls.push('stop');
  }
  status() {
    return this.#open;
  }
  liveness() {
    return this.#open;
  }
  readiness() {
    return this.#open;
  }
}

class Ping {
  readonly name: string;
  readonly intervalMs: number;
  #count = 0;

  constructor(name: string, intervalMs: number) {
    this.name = name;
    this.intervalMs = intervalMs;
  }
  get count() {
    return this.#count;
  }
  check(context: CheckContext) {
    this.#count += 1;
    return context.signal instanceof AbortSignal;
  }
}

class Journal implements Logger {
  readonly #lines: string[] = [];
  get length() {
    return this.#lines.length;
  }
  #add(message: string) {
    this.#lines.push(message);
  }
  debug(message: string) {
    this.#add(message);
  }
  info(message: string) {
    this.#add(message);
  }
  warn(message: string) {
    this.#add(message);
  }
  error(message: string) {
    this.#add(message);
  }
}

describe('an instance of a class', () => {
  it('may be a service: its functions are called on it, and what else it has is left alone', async () => {
    const pool = new Pool();
    const controller = new Controller();
    controller.register('pool', pool);
    controller.start();
    await controller.whenReady();
    for (const kind of ['status', 'liveness', 'readiness'] as const) {
      expect((await controller[kind]()).services).toMatchObject([{ status: 'OK' }]);
    }
    await controller.stop();
    expect(pool.calls).toEqual(['start', 'stop']);
  });

  it('may be one fragment of a service among others, each keeping its own functions', async () => {
    const pool = new Pool();
    const ping = new Ping('unused', 0);
    const controller = new Controller();
    controller.register('pool', pool, { readiness: () => false }, { liveness: (context) => ping.check(context) });
    controller.start();
    await new Promise((resolve) => setImmediate(resolve));
    expect((await controller.status()).services).toMatchObject([{ status: 'OK' }]);
    expect((await controller.readiness()).services).toMatchObject([{ status: 'ERROR' }]);
    expect((await controller.liveness()).services).toMatchObject([{ status: 'OK' }]);
    expect(ping.count).toBe(1);
    await controller.stop();
  });

  it.each([0, 1000])('may be a check (intervalMs %i)', async (intervalMs) => {
    const clock = new FakeClock();
    const ping = new Ping('ping', intervalMs);
    const controller = new Controller({ clock });
    controller.registerCheck(ping);
    controller.start();
    await controller.status();
    expect(ping.count).toBe(1);
    expect(controller.checkResult('ping')?.status).toBe('healthy');
    await controller.stop();
  });

  it('may be the logger', async () => {
    const journal = new Journal();
    const controller = new Controller({ logger: journal });
    controller.start();
    controller.start();
    await controller.stop();
    expect(journal.length).toBeGreaterThan(0);
  });

  it('may be the clock', async () => {
    class Counting extends FakeClock {
      #asked = 0;
      get asked() {
        return this.#asked;
      }
      override setTimeout(callback: () => void, delayMs: number, options: TimerOptions): TimerHandle {
        this.#asked += 1;
        return super.setTimeout(callback, delayMs, options);
      }
    }
    const clock = new Counting();
    const controller = new Controller({ clock });
    controller.registerCheck({ name: 'db', check: () => true, intervalMs: 100 });
    controller.start();
    await clock.advance(250);
    await controller.stop();
    expect(clock.asked).toBeGreaterThan(0);
    expect(clock.pending).toBe(0);
  });

  it('may be the options, whose random and validError are called on them', async () => {
    class Options {
      readonly drainDelayMs = 0;
      readonly clock = new FakeClock();
      #asked: string[] = [];
      get asked() {
        return this.#asked;
      }
      random() {
        this.#asked.push('random');
        return 0.5;
      }
      validError(error: unknown) {
        this.#asked.push(`validError ${String(error)}`);
        return true;
      }
    }
    const options = new Options();
    const controller = new Controller(options);
    controller.register('api', { start: () => Promise.reject('done') });
    controller.registerCheck({ name: 'db', check: () => true, intervalMs: 100, jitter: 0.5 });
    controller.start();
    await options.clock.advance(200);
    expect(new Set(options.asked)).toEqual(new Set(['random', 'validError done']));
    await controller.stop();
  });
});

describe('what is given', () => {
  it('is read once, when it is given: what becomes of it later makes no difference', async () => {
    const clock = new FakeClock();
    const controller = new Controller({ clock });
    const check = { name: 'db', check: () => true, intervalMs: 100, critical: true };
    const service = { status: () => true };
    controller.registerCheck(check);
    controller.register('api', service);
    Object.assign(check, { name: 'other', check: () => false, intervalMs: 1, critical: 'no' });
    Object.assign(service, { status: () => false });
    controller.start();
    await clock.advance(1000);
    expect(controller.names('status')).toEqual(['api', 'db']);
    expect((await controller.status()).overallHealthy).toBe(true);
    await controller.stop();
  });

  it('may be frozen, and is never changed', async () => {
    const check = Object.freeze({ name: 'db', check: () => true, intervalMs: 100 });
    const service = Object.freeze({ status: () => true, dependsOn: Object.freeze([]) });
    const options = Object.freeze({ drainDelayMs: 0, signals: Object.freeze([]) });
    const controller = new Controller(options);
    controller.register('api', service);
    controller.registerCheck(check);
    controller.start();
    expect((await controller.status(Object.freeze({ only: Object.freeze(['db']) }))).services).toHaveLength(1);
    await controller.stop();
  });
});
