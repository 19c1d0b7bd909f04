import { describe, expect, it } from 'vitest';
import { type CheckEvent, degraded, healthy, type ServiceEvent, type StateEvent, unhealthy } from '../../src/index.js';
import { Deferred, never } from './support/deferred.js';
import { foreground, Stage, untilAborted } from './support/stage.js';

describe('the sequence of events', () => {
  it('of one whole life is as it happened', async () => {
    const stage = new Stage({ drainDelayMs: 1000 });
    const lost = new Deferred();
    stage.service('db', { start: () => stage.lasting(100) });
    stage.service('job', { start: () => stage.lasting(200), runToCompletion: true });
    stage.service('feed', { start: foreground(lost.promise) });
    stage.service('serve', { start: untilAborted });
    stage.controller.registerCheck({ name: 'disk', check: () => stage.atMs < 1500, intervalMs: 1000 });
    await stage.start();
    await stage.clock.advance(300);
    lost.reject(new Error('lost'));
    await stage.clock.advance(1700);
    await stage.within(1000, stage.controller.stop());
    expect(stage.timeline(/^(?!start|stop)/)).toEqual([
      '0 state running',
      '0 feed started',
      '0 disk pending > healthy',
      '100 db started',
      '200 job completed',
      '300 feed failed:0',
      '2000 disk healthy > unhealthy',
      '2000 state stopping',
      '3000 serve ended',
      '3000 state stopped',
    ]);
  });

  it('carries the payloads that are promised', async () => {
    const stage = new Stage();
    const states: StateEvent[] = [];
    const services: ServiceEvent[] = [];
    const checks: CheckEvent[] = [];
    stage.controller.on('state', (event) => states.push(event));
    stage.controller.on('service', (event) => services.push(event));
    stage.controller.on('check', (event) => checks.push(event));
    const error = new Error('no port');
    stage.clock.setWall(Date.parse('2026-01-02T03:04:05.000Z'));
    stage.controller.register('api', { start: () => Promise.reject(error) });
    stage.controller.registerCheck({
      name: 'db',
      check: () => stage.lasting(7).then(() => degraded('slow', { ms: 7 }, 'slow_query')),
      intervalMs: 1000,
    });
    await stage.start();
    await stage.clock.advance(7);
    expect(states).toEqual([
      { from: 'never_started', to: 'running' },
      { from: 'running', to: 'unable_to_start' },
    ]);
    expect(services).toEqual([{ service: 'api', kind: 'unable_to_start', error, restarts: 0 }]);
    expect(checks).toEqual([
      {
        name: 'db',
        from: 'pending',
        to: 'degraded',
        result: {
          status: 'degraded',
          message: 'slow',
          data: { ms: 7 },
          reason: 'slow_query',
          timestamp: '2026-01-02T03:04:05.007Z',
          durationMs: 7,
        },
      },
    ]);
    await stage.close();
  });

  it('tells a check on a change only, stale and its end included', async () => {
    const stage = new Stage();
    let answer: (() => unknown) | undefined = () => healthy('fine');
    stage.controller.registerCheck({
      name: 'db',
      intervalMs: 1000,
      timeoutMs: 100_000,
      check: () => (answer === undefined ? never() : (answer() as boolean)),
    });
    await stage.start();
    await stage.clock.advance(2500);
    answer = () => degraded('slow');
    await stage.clock.advance(2000);
    answer = () => unhealthy('down');
    await stage.clock.advance(2000);
    answer = () => healthy('another message');
    await stage.clock.advance(1000);
    answer = undefined;
    await stage.clock.advance(10_000);
    expect(stage.timeline(/db/)).toEqual([
      '0 db pending > healthy',
      '3000 db healthy > degraded',
      '5000 db degraded > unhealthy',
      '7000 db unhealthy > healthy',
      // The last result came at 7000; exactly three intervals old is not stale.
      expect.stringMatching(/^1000\d(\.\d+)? db healthy > stale$/),
    ]);
    await stage.close();
  });

  it('of a sync check come with the runs of reports', async () => {
    const stage = new Stage();
    let ok = true;
    stage.controller.registerCheck({ name: 'db', check: () => ok });
    await stage.start();
    for (const now of [true, true, false, false, true]) {
      ok = now;
      await stage.promptly(stage.controller.readiness());
    }
    expect(stage.trace(/db/)).toEqual(['db pending > healthy', 'db healthy > unhealthy', 'db unhealthy > healthy']);
    await stage.close();
  });
});

describe('inside a listener', () => {
  it('the state read equals the event, whatever other listeners asked for', async () => {
    const stage = new Stage();
    const seen: string[] = [];
    stage.controller.on('state', ({ to }) => {
      if (to === 'running') stage.controller.stop();
    });
    stage.controller.on('state', ({ to }) => seen.push(`${to}=${stage.controller.state}`));
    stage.controller.on('service', ({ kind }) => seen.push(`${kind} in ${stage.controller.state}`));
    stage.service('api', { start: untilAborted });
    stage.controller.start();
    await stage.promptly(stage.controller.wait());
    expect(seen.filter((text) => text.includes('='))).toEqual([
      'running=running',
      'stopping=stopping',
      'stopped=stopped',
    ]);
  });

  it('a stop from a service or check event takes effect in the same tick', async () => {
    for (const event of ['service', 'check'] as const) {
      const stage = new Stage({ drainDelayMs: 1000 });
      stage.service('api');
      stage.controller.registerCheck({ name: 'db', check: () => true, intervalMs: 1000 });
      const seen: string[] = [];
      stage.controller.once(event, () => {
        stage.controller.stop();
        seen.push(stage.controller.state);
        queueMicrotask(() => seen.push(stage.controller.state));
      });
      await stage.start();
      expect(seen).toEqual(['running', 'stopping']);
      await stage.close();
    }
  });

  it('a report asked for after stop() is not ready', async () => {
    const stage = new Stage({ drainDelayMs: 1000 });
    let report: ReturnType<typeof stage.controller.readiness> | undefined;
    stage.controller.on('state', ({ to }) => {
      if (to !== 'running') return;
      stage.controller.stop();
      report = stage.controller.readiness();
    });
    await stage.start();
    expect(await report).toMatchObject({ overallHealthy: false, reason: 'draining' });
    await stage.close();
  });

  it('what is asked for is told after the event under way, to every listener', async () => {
    const stage = new Stage({ drainDelayMs: 1000 });
    const heard: string[] = [];
    stage.controller.on('state', ({ to }) => {
      if (to !== 'running') return;
      stage.controller.register('late');
      stage.controller.stop();
    });
    for (const name of ['state', 'service'] as const) {
      stage.controller.on(name, (event) => heard.push('to' in event ? event.to : event.kind));
    }
    stage.controller.start();
    expect(heard).toEqual(['running', 'late_registration', 'stopping']);
    await stage.close();
  });

  it('registering, listening and reading work', async () => {
    const stage = new Stage();
    const heard: string[] = [];
    stage.controller.once('state', async () => {
      stage.controller.registerCheck({ name: 'db', check: () => true, intervalMs: 1000 });
      stage.controller.on('check', ({ name, to }) => heard.push(`${name} ${to}`));
      heard.push((await stage.controller.status()).state);
    });
    await stage.start();
    expect(heard.sort()).toEqual(['db healthy', 'running']);
    await stage.close();
  });
});

describe('a listener that misbehaves', () => {
  it.each([
    [
      'throws',
      () => {
        throw new Error('listener');
      },
    ],
    ['rejects', () => Promise.reject(new Error('listener'))],
    ['never settles', never],
    [
      'returns a thenable that throws',
      () => ({
        // biome-ignore lint/suspicious/noThenProperty: the fault under test
        get then() {
          throw new Error('listener');
        },
      }),
    ],
  ])('and %s harms nobody', async (_, listener) => {
    // Case 23: the watcher itself waited without bound.
    const stage = new Stage();
    const heard: string[] = [];
    for (const name of ['state', 'service', 'check'] as const) {
      stage.controller.on(name, listener);
      stage.controller.on(name, () => heard.push(name));
    }
    stage.service('api');
    stage.controller.registerCheck({ name: 'db', check: () => true, intervalMs: 1000 });
    await stage.start();
    await stage.clock.advance(5000);
    expect(await stage.promptly(stage.controller.readiness())).toMatchObject({ overallHealthy: true });
    expect(await stage.promptly(stage.controller.stop())).toMatchObject({ exitCode: 0 });
    expect(heard.filter((name) => name === 'state')).toHaveLength(3);
    expect(heard).toContain('check');
    expect(heard).toContain('service');
    expect(stage.clock.pending).toBe(0);
  });
});

describe('on, once, off', () => {
  it('end by the function returned, by off, or after one event', async () => {
    const stage = new Stage();
    const heard: string[] = [];
    const named = () => heard.push('off');
    const off = stage.controller.on('state', () => heard.push('returned'));
    stage.controller.on('state', named);
    stage.controller.once('state', () => heard.push('once'));
    const unheard = stage.controller.once('state', () => heard.push('never'));
    unheard();
    stage.controller.on('state', () => heard.push('stays'));
    await stage.start();
    expect(heard).toEqual(['returned', 'off', 'once', 'stays']);
    off();
    off();
    stage.controller.off('state', named);
    stage.controller.off('state', () => {});
    await stage.close();
    expect(heard.slice(4)).toEqual(['stays', 'stays']);
  });

  it('a listener removed during a dispatch, or added, leaves the others their event', async () => {
    const stage = new Stage();
    const heard: string[] = [];
    const off = stage.controller.on('state', () => {
      heard.push('first');
      off();
      stage.controller.on('state', () => heard.push('added'));
    });
    stage.controller.on('state', () => heard.push('second'));
    stage.controller.start();
    expect(heard.slice(0, 2)).toEqual(['first', 'second']);
    await stage.close();
    expect(heard.filter((text) => text === 'first')).toHaveLength(1);
    expect(heard.filter((text) => text === 'second')).toHaveLength(3);
  });

  it.each([
    ['stat', () => {}],
    ['__proto__', () => {}],
    ['error', () => {}],
    [undefined, () => {}],
    ['state', undefined],
    ['state', {}],
  ])('refuses to listen to %s with %s', (name, listener) => {
    const { controller } = new Stage();
    for (const method of ['on', 'once', 'off'] as const) {
      expect(() => controller[method](name as 'state', listener as () => void)).toThrow(
        expect.objectContaining({ code: 'invalid_option' }),
      );
    }
  });
});
