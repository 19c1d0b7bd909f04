import { afterEach, describe, expect, it } from 'vitest';
import { Controller } from '../../src/index.js';
import { FakeClock } from '../../src/testing/index.js';
import { Stage } from './support/stage.js';

/** As the process does when it gets one; the test runner does not listen to these. */
const raise = (signal: 'SIGUSR2' | 'SIGWINCH') => process.emit(signal, signal);

describe('process signals', () => {
  const before = { SIGTERM: process.listenerCount('SIGTERM'), SIGINT: process.listenerCount('SIGINT') };
  const extra = (signal: 'SIGTERM' | 'SIGINT') => process.listenerCount(signal) - before[signal];
  afterEach(() => {
    expect([extra('SIGTERM'), extra('SIGINT'), process.listenerCount('SIGUSR2')]).toEqual([0, 0, 0]);
  });

  it('are not listened to by default', async () => {
    for (const options of [{}, { signals: false }, { signals: [] }]) {
      const stage = new Stage(options);
      await stage.start();
      expect([extra('SIGTERM'), extra('SIGINT')]).toEqual([0, 0]);
      await stage.close();
    }
  });

  it('true means SIGINT and SIGTERM, from start() until stopped', async () => {
    const stage = new Stage({ signals: true, drainDelayMs: 1000 });
    expect([extra('SIGTERM'), extra('SIGINT')]).toEqual([0, 0]);
    await stage.start();
    expect([extra('SIGTERM'), extra('SIGINT')]).toEqual([1, 1]);
    stage.controller.stop();
    await stage.clock.advance(999);
    expect([extra('SIGTERM'), extra('SIGINT')]).toEqual([1, 1]);
    await stage.clock.advance(1);
    expect([extra('SIGTERM'), extra('SIGINT')]).toEqual([0, 0]);
  });

  it('start the ordinary shutdown', async () => {
    const stage = new Stage({ signals: ['SIGUSR2', 'SIGWINCH'], drainDelayMs: 1000 });
    stage.service('api');
    await stage.start();
    raise('SIGUSR2');
    expect(stage.controller.state).toBe('stopping');
    const outcome = await stage.within(1000, stage.controller.wait());
    expect(outcome).toMatchObject({ cause: 'signal', signal: 'SIGUSR2', exitCode: 0, durationMs: 1000 });
    expect(stage.timeline(/stop api/)).toEqual(['1000 stop api']);
  });

  it('during the shutdown are logged and change nothing', async () => {
    // Case 92: a second signal disarmed the deadline or cut the shutdown short.
    const stage = new Stage({ signals: ['SIGUSR2', 'SIGWINCH'], drainDelayMs: 1000, shutdownTimeoutMs: 2000 });
    stage.service('api', { stop: () => new Promise(() => {}) });
    await stage.start();
    raise('SIGUSR2');
    await stage.clock.advance(5);
    for (const signal of ['SIGUSR2', 'SIGWINCH'] as const) {
      const lines = stage.lines.length;
      raise(signal);
      expect(stage.lines.slice(lines).filter(({ message }) => message.includes(signal))).toHaveLength(1);
    }
    const first = stage.controller.stop('also');
    expect(stage.controller.stop('again')).toBe(first);
    await stage.clock.advance(2000);
    raise('SIGUSR2');
    await stage.clock.advance(995);
    const outcome = await stage.promptly(first);
    expect(outcome).toMatchObject({ cause: 'signal', signal: 'SIGUSR2', unfinished: ['api'], durationMs: 3000 });
    expect(outcome).not.toHaveProperty('reason');
    expect(stage.trace(/^stop/)).toEqual(['stop api']);
  });

  it('after a shutdown begun by stop() change nothing either', async () => {
    const stage = new Stage({ signals: ['SIGUSR2'], drainDelayMs: 1000 });
    await stage.start();
    stage.controller.stop('by hand');
    raise('SIGUSR2');
    expect(await stage.within(1000, stage.controller.wait())).toMatchObject({ cause: 'stop', reason: 'by hand' });
  });

  it('stop every controller that listens, through one listener, and no other', async () => {
    const clock = new FakeClock();
    const signals = ['SIGUSR2'];
    const listening = [new Controller({ clock, signals }), new Controller({ clock, signals })];
    const deaf = new Controller({ clock });
    for (const controller of [...listening, deaf]) controller.start();
    expect(process.listenerCount('SIGUSR2')).toBe(1);
    raise('SIGUSR2');
    await clock.advance(0);
    expect(listening.map(({ state }) => state)).toEqual(['stopped', 'stopped']);
    expect(deaf.state).toBe('running');
    await deaf.stop();
  });

  it('leave the listeners of the application alone', async () => {
    const heard: string[] = [];
    const own = (signal: string) => heard.push(signal);
    process.on('SIGUSR2', own);
    const stage = new Stage({ signals: ['SIGUSR2'] });
    await stage.start();
    raise('SIGUSR2');
    await stage.settle();
    expect(stage.controller.state).toBe('stopped');
    expect(process.listeners('SIGUSR2')).toEqual([own]);
    process.off('SIGUSR2', own);
    expect(heard).toEqual(['SIGUSR2']);
  });

  it('named twice are listened to once', async () => {
    const stage = new Stage({ signals: ['SIGUSR2', 'SIGUSR2'] });
    await stage.start();
    expect(process.listenerCount('SIGUSR2')).toBe(1);
    raise('SIGUSR2');
    await stage.settle();
    expect(stage.controller.state).toBe('stopped');
  });

  it.each(['SIGTERM', [7], [''], ['sigterm'], ['SIGKILL'], ['SIGSTOP'], ['exit'], 1, null])('refuses %j', (signals) => {
    expect(() => new Controller({ signals: signals as string[] })).toThrow(
      expect.objectContaining({ code: 'invalid_option' }),
    );
  });
});
