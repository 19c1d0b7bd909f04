import { describe, expect, it } from 'vitest';
import type { HealthReport } from '../../src/index.js';
import { Deferred, never } from './support/deferred.js';
import { Stage, untilAborted } from './support/stage.js';

describe('a listener of a check that is part of a report', () => {
  it.each(['sync', 'async'] as const)('may stop the controller: the report (%s run) is not ready', async (manner) => {
    const stage = new Stage({ drainDelayMs: 1000 });
    const check = manner === 'sync' ? () => true : async () => true;
    stage.controller.registerCheck({ name: 'db', check });
    stage.controller.on('check', () => stage.controller.stop('seen'));
    await stage.start();
    expect(await stage.promptly(stage.controller.readiness())).toMatchObject({
      overallHealthy: false,
      state: 'stopping',
      reason: 'draining',
    });
    await stage.close();
  });

  it('may begin maintenance: the report is not ready', async () => {
    const stage = new Stage();
    stage.controller.registerCheck({ name: 'db', check: async () => true });
    stage.controller.on('check', () => stage.controller.setMaintenance('seen'));
    await stage.start();
    expect((await stage.promptly(stage.controller.readiness())).reason).toBe('maintenance');
    await stage.close();
  });

  it('may read a report, which is delivered', async () => {
    const stage = new Stage();
    let inner: Promise<HealthReport> | undefined;
    stage.controller.registerCheck({ name: 'db', check: () => true });
    stage.controller.on('check', () => {
      inner = stage.controller.readiness();
    });
    await stage.start();
    await stage.promptly(stage.controller.readiness());
    expect(inner && (await stage.promptly(inner)).overallHealthy).toBe(true);
    await stage.close();
  });
});

describe('a check or probe that calls the controller', () => {
  it('may stop it', async () => {
    const stage = new Stage({ drainDelayMs: 1000 });
    stage.controller.registerCheck({ name: 'db', check: () => void stage.controller.stop() });
    await stage.start();
    expect(await stage.promptly(stage.controller.readiness())).toMatchObject({
      overallHealthy: false,
      state: 'stopping',
    });
    await stage.close();
  });

  it('may unregister itself', async () => {
    const stage = new Stage();
    const handle = stage.controller.registerCheck({ name: 'db', check: () => handle.unregister() });
    await stage.start();
    expect((await stage.promptly(stage.controller.readiness())).services).toEqual([]);
    await stage.close();
  });

  it('may register another, which is in the next report', async () => {
    const stage = new Stage();
    let registered = false;
    stage.controller.registerCheck({
      name: 'a',
      check: () => {
        if (!registered) stage.controller.registerCheck({ name: 'b', check: () => false });
        registered = true;
      },
    });
    await stage.start();
    await stage.promptly(stage.controller.readiness());
    const report = await stage.promptly(stage.controller.readiness());
    expect(report.services.map(({ name, status }) => `${name} ${status}`)).toEqual(['a OK', 'b ERROR']);
    await stage.close();
  });

  it('that awaits the very report it is part of is bounded by its timeout', async () => {
    const stage = new Stage();
    stage.controller.registerCheck({
      name: 'db',
      timeoutMs: 700,
      check: async () => (await stage.controller.readiness()).overallHealthy,
    });
    await stage.start();
    const report = await stage.within(700, stage.controller.readiness());
    expect(report.services).toMatchObject([{ reason: 'timeout' }]);
    await stage.close();
  });
});

describe('late registrations', () => {
  it('while stopping are probed until the controller is stopped, and never after', async () => {
    const stage = new Stage({ drainDelayMs: 1000 });
    await stage.start();
    stage.controller.stop();
    stage.service('late', { status: () => false });
    expect((await stage.promptly(stage.controller.status())).services).toMatchObject([{ status: 'ERROR' }]);
    await stage.clock.advance(1000);
    expect((await stage.promptly(stage.controller.status())).services).toMatchObject([
      { status: 'OK', reason: 'stopped' },
    ]);
    expect(stage.trace(/late$/)).toEqual(['status late']);
  });

  it('once stopped are never probed', async () => {
    const stage = new Stage();
    await stage.start();
    await stage.close();
    stage.service('late', { status: () => false, readiness: () => false });
    for (const kind of ['status', 'liveness', 'readiness'] as const) {
      const report = await stage.promptly(stage.controller[kind]());
      expect(report.services).toMatchObject([{ name: 'late', status: 'OK' }]);
    }
    expect(stage.trace(/late$/)).toEqual([]);
  });
});

describe('a probe under way', () => {
  it('when the stop of its service is called holds up no report any more, and its signal aborts', async () => {
    const stage = new Stage();
    const answer = new Deferred<boolean>();
    let signal: AbortSignal | undefined;
    const status = (context: { signal: AbortSignal }) => {
      signal = context.signal;
      return answer.promise;
    };
    stage.service('api', { status, probeTimeoutMs: 60_000, stop: never });
    await stage.start();
    const report = stage.watch(stage.controller.status());
    await stage.settle();
    void stage.controller.stop();
    await stage.settle();
    expect(stage.controller.state).toBe('stopping');
    expect(report.value).toMatchObject({ services: [{ name: 'api', status: 'OK', reason: 'stopped' }] });
    expect(signal?.aborted).toBe(true);
    answer.reject(new Error('late'));
    await stage.close();
    expect((await stage.promptly(stage.controller.status())).services).toMatchObject([
      { status: 'OK', reason: 'stopped' },
    ]);
    expect(stage.clock.pending).toBe(0);
  });

  it('in the listener of stopped nothing is invoked', async () => {
    const stage = new Stage();
    stage.service('api', { status: () => true });
    stage.controller.registerCheck({ name: 'db', type: 'both', check: () => stage.note('run db') });
    let report: Promise<HealthReport> | undefined;
    stage.controller.on('state', ({ to }) => {
      if (to === 'stopped') report = stage.controller.status();
    });
    await stage.start();
    await stage.promptly(stage.controller.stop());
    expect(await report).toMatchObject({ state: 'stopped' });
    expect(stage.trace(/^(run|status)/)).toEqual([]);
  });
});

describe('a start that aborts the parent signal', () => {
  it('keeps the next from starting', async () => {
    const parent = new AbortController();
    const stage = new Stage({ signal: parent.signal });
    stage.service('a', { start: () => parent.abort() });
    stage.service('b');
    stage.controller.start();
    expect(await stage.promptly(stage.controller.wait())).toMatchObject({ cause: 'parent', unfinished: [] });
    expect(stage.trace(/^(start|stop) /)).toEqual(['start a', 'stop a']);
  });
});

describe('thenables', () => {
  const thenables = {
    'throws from then': {
      // biome-ignore lint/suspicious/noThenProperty: the fault under test
      then: () => {
        throw new Error('then');
      },
    },
    'rejects twice': {
      // biome-ignore lint/suspicious/noThenProperty: the fault under test
      then: (_: unknown, reject: (error: unknown) => void) => {
        reject(new Error('then'));
        reject(new Error('again'));
      },
    },
    'rejects and resolves': {
      // biome-ignore lint/suspicious/noThenProperty: the fault under test
      then: (resolve: () => void, reject: (error: unknown) => void) => {
        reject(new Error('then'));
        resolve();
      },
    },
  };

  it.each(Object.entries(thenables))('one that %s, from start, is one failure', async (_, thenable) => {
    const stage = new Stage();
    stage.service('api', { start: () => thenable });
    await stage.start();
    expect(stage.trace(/^api/)).toEqual(['api unable_to_start:0']);
    expect(stage.controller.serviceInfo('api')?.error).toMatchObject({ message: 'then' });
    await stage.close();
  });

  it.each(Object.entries(thenables))('one that %s, from stop, is one stop error', async (_, thenable) => {
    const stage = new Stage();
    stage.service('api', { stop: () => thenable });
    await stage.start();
    const { stopErrors, unfinished } = await stage.promptly(stage.controller.stop());
    expect(stopErrors).toMatchObject([{ service: 'api', error: { message: 'then' } }]);
    expect(unfinished).toEqual([]);
  });
});

describe('many', () => {
  it('services start, are read and stop without a deep stack or a timer each', async () => {
    const stage = new Stage();
    for (let i = 0; i < 3000; i++) {
      stage.controller.register(`s${i}`, {
        start: i % 3 === 0 ? untilAborted : () => {},
        stop: i % 2 ? () => {} : async () => {},
      });
    }
    await stage.start();
    expect((await stage.promptly(stage.controller.status())).services).toHaveLength(3000);
    const outcome = await stage.within(0, stage.controller.stop());
    expect(outcome).toMatchObject({ unfinished: [], stopErrors: [], exitCode: 0 });
    expect(stage.clock.pending).toBe(0);
  });
});

describe('holds that outlive their time', () => {
  it('but are released before a longer drain delay is over hold up nothing', async () => {
    const stage = new Stage({ drainDelayMs: 10_000, holdTimeoutMs: 5000 });
    stage.service('api');
    await stage.start();
    stage.controller.stop();
    await stage.clock.advance(9000);
    const release = stage.controller.hold('late upload');
    await stage.clock.advance(500);
    release();
    await stage.clock.advance(500);
    expect(stage.timeline(/^stop/)).toEqual(['10000 stop api']);
    expect((await stage.controller.wait()).unfinished).toEqual([]);
  });

  it('taken during the delay are waited for as long as those before, from when they were taken', async () => {
    const stage = new Stage({ drainDelayMs: 10_000, holdTimeoutMs: 5000 });
    stage.service('api');
    await stage.start();
    stage.controller.stop();
    await stage.clock.advance(9000);
    stage.controller.hold('late upload');
    const outcome = await stage.within(20_000, stage.controller.wait());
    expect(stage.timeline(/^stop/)).toEqual(['14000 stop api']);
    expect(outcome.unfinished).toEqual(['hold:late upload']);
  });

  it('taken after the delay hold up nothing, so that the drain has an end', async () => {
    const stage = new Stage({ drainDelayMs: 1000, holdTimeoutMs: 5000 });
    stage.service('api');
    await stage.start();
    stage.controller.hold('upload');
    stage.controller.stop();
    await stage.clock.advance(2000);
    stage.controller.hold('upload again');
    const outcome = await stage.within(20_000, stage.controller.wait());
    expect(stage.timeline(/^stop/)).toEqual(['5000 stop api']);
    expect(outcome.unfinished).toEqual(['hold:upload']);
  });
});
