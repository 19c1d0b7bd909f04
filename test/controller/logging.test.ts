import { describe, expect, it } from 'vitest';
import { Controller, type Logger, unhealthy } from '../../src/index.js';
import { FakeClock } from '../../src/testing/index.js';
import { Deferred } from './support/deferred.js';
import { foreground, Stage } from './support/stage.js';

describe('the log', () => {
  it('has one line for each transition of one life', async () => {
    const stage = new Stage({ drainDelayMs: 1000 });
    const run = new Deferred();
    stage.service('api', { start: foreground(run.promise) });
    stage.service('broken', { start: () => Promise.reject(new Error('no port')) });
    stage.controller.registerCheck({ name: 'db', check: () => stage.atMs < 500, intervalMs: 1000 });
    const counted = async (what: () => unknown) => {
      const from = stage.lines.length;
      await what();
      await stage.settle();
      return stage.lines.slice(from).map(({ level, message }) => `${level} ${message}`);
    };

    const started = await counted(() => stage.controller.start());
    expect(started.filter((line) => line.includes('"api"'))).toHaveLength(1);
    expect(started.filter((line) => /^error .*"broken".*no port/.test(line))).toHaveLength(1);
    // Of the controller: running, unable_to_start.
    expect(started.filter((line) => !/"(api|broken)"/.test(line))).toHaveLength(2);

    const unhealthyLines = await counted(() => stage.clock.advance(1000));
    expect(unhealthyLines).toHaveLength(1);
    expect(unhealthyLines[0]).toMatch(/^(warn|error) .*"db"/);

    const failed = await counted(() => run.reject(new Error('lost')));
    expect(failed).toHaveLength(1);
    expect(failed[0]).toMatch(/^error .*"api".*lost/);

    const stopping = await counted(() => void stage.controller.stop());
    expect(stopping).toHaveLength(1);
    const stopped = await counted(() => stage.clock.advance(1000));
    expect(stopped).toHaveLength(1);
  });

  it('carries the error of a service as a field', async () => {
    const stage = new Stage();
    const error = new Error('no port');
    stage.service('api', { start: () => Promise.reject(error) });
    await stage.start();
    expect(stage.lines.filter(({ fields }) => fields?.error === error)).toHaveLength(1);
    await stage.close();
  });

  it('says nothing for ten thousand healthy polls', { timeout: 30_000 }, async () => {
    // Case 66: a line per probe.
    const stage = new Stage();
    stage.controller.registerCheck({ name: 'db', check: () => true, intervalMs: 1000 });
    await stage.start();
    const from = stage.lines.length;
    await stage.clock.advance(10_000_000);
    expect(stage.lines.slice(from)).toEqual([]);
    await stage.close();
  });

  it('says nothing for ten thousand healthy reports', { timeout: 30_000 }, async () => {
    // Case 66.
    const stage = new Stage();
    stage.service('api', { status: () => true });
    stage.controller.registerCheck({ name: 'db', type: 'both', check: () => true });
    await stage.start();
    const from = stage.lines.length;
    for (let i = 0; i < 3334; i++) {
      await Promise.all([stage.controller.readiness(), stage.controller.liveness(), stage.controller.status()]);
    }
    expect(stage.lines.slice(from)).toEqual([]);
    await stage.close();
  });

  it('has one line for becoming unhealthy, a reminder at most once a minute, and one for the recovery', async () => {
    // Case 66: a failing spell of 500 probes.
    const stage = new Stage();
    stage.controller.registerCheck({
      name: 'db',
      check: () => (stage.atMs >= 1000 && stage.atMs < 501_000 ? unhealthy('down') : true),
      intervalMs: 1000,
    });
    await stage.start();
    const from = stage.lines.length;
    const times: number[] = [];
    for (let seen = from; stage.atMs < 600_000; await stage.clock.advance(1000)) {
      for (; seen < stage.lines.length; seen++) times.push(stage.atMs);
    }
    const spell = times.filter((at) => at < 501_000);
    expect(spell[0]).toBe(1000);
    expect(spell.length).toBeGreaterThan(1);
    for (const [i, at] of spell.entries()) if (i > 0) expect(at - (spell[i - 1] ?? 0)).toBeGreaterThanOrEqual(60_000);
    expect(times.filter((at) => at >= 501_000)).toEqual([501_000]);
    const about = stage.lines.slice(from).filter(({ message }) => message.includes('"db"'));
    expect(about).toHaveLength(times.length);
    expect(about[0]?.message).toContain('down');
    await stage.close();
  });

  it('has one line for a failing spell that is seen by many reports within a minute', async () => {
    const stage = new Stage();
    let ok = true;
    stage.service('api', { status: () => ok });
    stage.controller.registerCheck({ name: 'db', check: () => ok });
    await stage.start();
    await stage.promptly(stage.controller.readiness());
    const from = stage.lines.length;
    ok = false;
    for (let i = 0; i < 500; i++) {
      await stage.promptly(stage.controller.readiness());
      await stage.clock.advance(100);
    }
    ok = true;
    await stage.promptly(stage.controller.readiness());
    const lines = stage.lines.slice(from).map(({ message }) => message);
    expect(lines.filter((line) => line.includes('"db"'))).toHaveLength(2);
    expect(lines.filter((line) => line.includes('"api"')).length).toBeLessThanOrEqual(2);
    await stage.close();
  });

  it('names what did not finish and which stop failed', async () => {
    const stage = new Stage({ shutdownTimeoutMs: 100, holdTimeoutMs: 100 });
    const error = new Error('stuck');
    stage.service('hung', { stop: () => new Promise(() => {}) });
    stage.service('sick', { stop: () => Promise.reject(error) });
    await stage.start();
    stage.controller.hold('upload');
    const from = stage.lines.length;
    await stage.within(200, stage.controller.stop());
    const lines = stage.lines.slice(from);
    expect(lines.filter(({ message }) => message.includes('hung'))).toHaveLength(1);
    expect(lines.filter(({ message }) => message.includes('hold:upload'))).toHaveLength(1);
    expect(lines.filter(({ message }) => message.includes('sick')).map(({ fields }) => fields?.error)).toEqual([error]);
  });

  it('is silent by default, and a logger that throws harms nobody', async () => {
    const refuse = () => {
      throw new Error('disk full');
    };
    const logger: Logger = { debug: refuse, info: refuse, warn: refuse, error: refuse };
    for (const options of [{}, { logger }]) {
      const clock = new FakeClock();
      const controller = new Controller({ clock, ...options });
      controller.register('api', { start: () => Promise.reject(new Error('no port')) });
      controller.registerCheck({ name: 'db', check: () => false, intervalMs: 1000 });
      controller.start();
      controller.start();
      await clock.advance(5000);
      expect(controller.checkResult('db')?.status).toBe('unhealthy');
      expect((await controller.stop()).exitCode).toBe(0);
    }
  });

  it('calls a logger of a class on its instance', async () => {
    class Lines implements Logger {
      readonly #lines: string[] = [];
      debug(message: string) {
        this.#lines.push(message);
      }
      info = this.debug;
      warn = this.debug;
      error = this.debug;
      get count() {
        return this.#lines.length;
      }
    }
    const logger = new Lines();
    const controller = new Controller({ clock: new FakeClock(), logger });
    controller.start();
    await controller.stop();
    expect(logger.count).toBe(3);
  });
});
