import { describe, expect, it } from 'vitest';
import type { ContainerObservation } from '../../../src/presets/instance/index.js';
import { deferred, FAILED, found, PASSED, ScriptedContainer, ScriptedProbe, UNREACHABLE } from './support/doubles.js';
import { observed } from './support/observed.js';

const NEVER = new Promise<never>(() => {});

describe('the polls of a startup', () => {
  it('come at once, at each interval, and at the timeout itself', async () => {
    const container = new ScriptedContainer([found({ status: 'created' })]);
    const { instance, clock, events } = observed({ container, startupTimeoutMs: 5000 });
    const started = instance.start();
    const looks: number[] = [];
    for (const ms of [0, 1999, 1, 2000, 999, 1]) {
      await clock.advance(ms);
      looks.push(container.looks);
    }
    expect(looks).toEqual([1, 1, 2, 3, 3, 4]);
    expect(events).toEqual(['pending -> error @5000']);
    expect(await started).toBe('error');
    instance.stop();
  });

  it('never overlap, and skip the moments that a slow one covers', async () => {
    const slow = deferred<ContainerObservation>();
    const container = new ScriptedContainer([() => slow.promise, found()]);
    const { instance, clock } = observed({ container, probeTimeoutMs: 60_000 });
    void instance.start();
    await clock.advance(4500);
    expect(container.looks).toBe(1);
    slow.resolve(found({ status: 'created' }));
    await clock.advance(1499);
    expect(container.looks).toBe(1);
    await clock.advance(1);
    expect(container.looks).toBe(2);
    instance.stop();
  });

  it('keep the process alive only while a start waits for them', async () => {
    const { instance, clock } = observed({ container: new ScriptedContainer([found({ status: 'created' }), found()]) });
    void instance.start();
    await clock.advance(0);
    expect(clock.timers.map(({ keepAlive }) => keepAlive)).toEqual([true]);
    await clock.advance(4000);
    expect(instance.status).toBe('running');
    expect(clock.timers.map(({ keepAlive }) => keepAlive)).toEqual([false]);
    instance.stop();
  });

  it('follow pollIntervalMs', async () => {
    const container = new ScriptedContainer([found()]);
    const { instance, clock } = observed({ container, pollIntervalMs: 500 });
    void instance.start();
    await clock.advance(1000);
    expect(container.looks).toBe(3);
    instance.stop();
  });
});

describe('a startup that ends in error', () => {
  it('ends at once where dockerode is not installed: waiting would not bring it', async () => {
    const missing = { status: 'unknown', reason: 'client_missing', message: 'npm install dockerode' } as const;
    const { instance, payloads } = observed({ container: new ScriptedContainer([missing]) });
    expect(await instance.start()).toBe('error');
    expect(payloads).toEqual([{ name: 'instance', from: 'pending', to: 'error', message: 'npm install dockerode' }]);
    instance.stop();
  });

  it('says of an engine that hangs that it does not answer, not that the container is missing', async () => {
    const { instance, clock } = observed({ container: new ScriptedContainer([() => NEVER]) });
    const started = instance.start();
    await clock.advance(35_000);
    expect(await started).toBe('error');
    instance.stop();
    expect(await instance.health()).toMatchObject({
      container_status: 'unknown',
      message: 'the container engine does not answer',
    });
  });

  it('leaves two looks behind at the most, of a container that ignores its signal', async () => {
    const container = new ScriptedContainer([() => NEVER]);
    const { instance, clock } = observed({ container });
    void instance.start();
    await clock.advance(49_000);
    expect(container.looks).toBe(2);
    // The oldest is written off after ten timeouts.
    await clock.advance(6000);
    expect(container.looks).toBe(3);
    instance.stop();
  });

  it.each<[string, ContainerObservation, string]>([
    ['created', found({ status: 'created' }), 'the container was created, but not started'],
    ['missing', { status: 'missing' }, 'there is no such container'],
    ['removing', found({ status: 'removing' }), 'the container is not up: removing'],
    ['unknown', UNREACHABLE, UNREACHABLE.status === 'unknown' ? UNREACHABLE.message : ''],
  ])('names what it waited for in vain: %s', async (_, seen, message) => {
    const { instance, clock, payloads } = observed({ container: new ScriptedContainer([seen]) });
    void instance.start();
    await clock.advance(30_000);
    expect(payloads.map(({ to, message }) => [to, message])).toEqual([['error', message]]);
    expect(payloads[0]).not.toHaveProperty('exitCode');
    instance.stop();
  });

  it('is one line of warning in the log', async () => {
    const exited = found({ status: 'exited', exitCode: 3 });
    const { instance, lines } = observed({ name: 'tool', container: new ScriptedContainer([exited]) });
    await instance.start();
    expect(lines).toEqual(['warn instance "tool": pending -> error: the container exited with code 3']);
    instance.stop();
  });
});

describe('aborting a start', () => {
  it('rejects with the reason of the signal and leaves nothing behind', async () => {
    const container = new ScriptedContainer([found({ status: 'created' }), () => NEVER]);
    const { instance, clock } = observed({ container });
    const abort = new AbortController();
    const started = instance.start({ signal: abort.signal });
    await clock.advance(2500);
    const reason = new Error('not wanted');
    abort.abort(reason);
    await expect(started).rejects.toBe(reason);
    expect(clock.pending).toBe(0);
    expect(container.signals.at(-1)?.aborted).toBe(true);
    await clock.advance(60_000);
    expect(container.looks).toBe(2);
  });

  it('in the gate ends the probe too', async () => {
    const probe = new ScriptedProbe([() => NEVER]);
    const { instance, clock } = observed({ container: new ScriptedContainer([found()]), readinessProbe: probe });
    const abort = new AbortController();
    const started = instance.start({ signal: abort.signal });
    await clock.advance(1000);
    abort.abort();
    await expect(started).rejects.toMatchObject({ name: 'AbortError' });
    expect(probe.signals.map(({ aborted }) => aborted)).toEqual([true]);
    expect(clock.pending).toBe(0);
  });

  it('before it begins looks at nothing', async () => {
    const container = new ScriptedContainer([found()]);
    const { instance, clock } = observed({ container });
    await expect(instance.start({ signal: AbortSignal.abort('no') })).rejects.toBe('no');
    expect(container.looks).toBe(0);
    expect(clock.pending).toBe(0);
  });

  it('changes nothing for another who waits for the same start', async () => {
    const container = new ScriptedContainer([found({ status: 'created' }), found()]);
    const { instance, clock } = observed({ container });
    const abort = new AbortController();
    const first = instance.start({ signal: abort.signal });
    const second = instance.start();
    await clock.advance(1000);
    abort.abort('gone');
    await expect(first).rejects.toBe('gone');
    await clock.advance(3000);
    expect(await second).toBe('running');
    expect(container.looks).toBe(3);
    instance.stop();
  });

  it('after it has ended does nothing', async () => {
    const { instance, clock } = observed({ container: new ScriptedContainer([found()]) });
    const abort = new AbortController();
    const started = instance.start({ signal: abort.signal });
    await clock.advance(2000);
    expect(await started).toBe('running');
    abort.abort();
    await clock.advance(2000);
    expect(clock.pending).toBe(1);
    instance.stop();
  });
});

describe('stop', () => {
  it('during the startup resolves it with the status that it reached, and leaves nothing behind', async () => {
    const { instance, clock } = observed({ container: new ScriptedContainer([() => NEVER]) });
    const started = instance.start();
    await clock.advance(1000);
    instance.stop();
    expect(await started).toBe('pending');
    expect(clock.pending).toBe(0);
  });

  it('makes what a look under way finds later count for nothing', async () => {
    const look = deferred<ContainerObservation>();
    const { instance, events } = observed({ container: new ScriptedContainer([() => look.promise]) });
    const started = instance.start();
    instance.stop();
    look.resolve(found());
    await started;
    await look.promise;
    expect(events).toEqual([]);
    expect((await instance.health()).container_status).toBe('unknown');
  });

  it('inside a listener is obeyed: nothing is asked afterwards', async () => {
    const container = new ScriptedContainer([found()]);
    const { instance, clock } = observed({ container, readinessProbe: new ScriptedProbe([PASSED]) });
    instance.on('status', () => instance.stop());
    expect(await instance.start()).toBe('starting');
    await clock.advance(10_000);
    expect(container.looks).toBe(1);
    expect(clock.pending).toBe(0);
  });

  it('may be followed by a start, which verifies from the beginning', async () => {
    const container = new ScriptedContainer([found()]);
    const { instance, clock, events } = observed({ container, readinessProbe: new ScriptedProbe([PASSED]) });
    await instance.start();
    instance.stop();
    expect(instance.status).toBe('running');
    await clock.advance(1000);
    expect(await instance.start()).toBe('running');
    expect(events).toEqual([
      'pending -> starting @0',
      'starting -> running @0',
      'running -> pending @1000',
      'pending -> starting @1000',
      'starting -> running @1000',
    ]);
    instance.stop();
    expect(clock.pending).toBe(0);
  });
});

describe('a listener that starts or stops it', () => {
  const exited = found({ status: 'exited', exitCode: 1 });

  it('is obeyed when all have been told: each reads the status that it was told of', async () => {
    const container = new ScriptedContainer([exited, found()]);
    const { instance, clock, events } = observed({ container, readinessProbe: new ScriptedProbe([PASSED]) });
    const read: [string, string][] = [];
    let again: Promise<string> | undefined;
    instance.on('status', ({ to }) => {
      if (to === 'error') again = instance.start();
    });
    instance.on('status', ({ to }) => read.push([to, instance.status]));
    const first = instance.start();
    await clock.advance(0);
    expect(await first).toBe('error');
    expect(await again).toBe('running');
    expect(events).toEqual([
      'pending -> error @0',
      'error -> pending @0',
      'pending -> starting @0',
      'starting -> running @0',
    ]);
    for (const [to, status] of read) expect(status).toBe(to);
    instance.stop();
    expect(clock.pending).toBe(0);
  });

  it('may do both: what came last counts', async () => {
    const container = new ScriptedContainer([exited]);
    const { instance, clock } = observed({ container });
    let again: Promise<string> | undefined;
    instance.on('status', () => {
      again = instance.start();
      instance.stop();
    });
    await instance.start();
    expect(await again).toBe('error');
    await clock.advance(60_000);
    expect(container.looks).toBe(1);
    expect(clock.pending).toBe(0);
  });

  it('may stop a start that has only just begun anew', async () => {
    const container = new ScriptedContainer([exited]);
    const { instance, clock } = observed({ container });
    await instance.start();
    instance.on('status', () => instance.stop());
    expect(await instance.start()).toBe('pending');
    await clock.advance(60_000);
    expect(container.looks).toBe(1);
    expect(clock.pending).toBe(0);
  });
});

describe('a second start', () => {
  it('joins the one under way', async () => {
    const container = new ScriptedContainer([found()]);
    const { instance, clock, events } = observed({ container });
    const both = Promise.all([instance.start(), instance.start()]);
    await clock.advance(2000);
    expect(await both).toEqual(['running', 'running']);
    expect(events).toEqual(['pending -> starting @0', 'starting -> running @2000']);
    expect(container.looks).toBe(2);
    instance.stop();
  });

  it('after an error does not answer with the old one, but verifies anew', async () => {
    const container = new ScriptedContainer([found({ status: 'exited', exitCode: 1 })]);
    const { instance, events } = observed({ container, readinessProbe: new ScriptedProbe([PASSED]) });
    expect(await instance.start()).toBe('error');
    container.become(found({ startedAt: '2024-01-01T00:01:00Z' }));
    expect(await instance.start()).toBe('running');
    expect(events.map((event) => event.replace(/ @.*/, ''))).toEqual([
      'pending -> error',
      'error -> pending',
      'pending -> starting',
      'starting -> running',
    ]);
    instance.stop();
  });
});

describe('the readiness gate', () => {
  it('runs the probe at once, then at each interval, until it has passed', async () => {
    const probe = new ScriptedProbe([FAILED, FAILED, PASSED]);
    const { instance, clock, events } = observed({
      container: new ScriptedContainer([found()]),
      readinessProbe: probe,
    });
    void instance.start();
    await clock.advance(20_000);
    expect(probe.runs).toBe(3);
    expect(events).toEqual(['pending -> starting @0', 'starting -> running @4000']);
    expect((await instance.health()).validated).toBe(true);
    instance.stop();
  });

  it('follows probeIntervalMs, probeTimeoutMs and readinessTimeoutMs', async () => {
    const probe = new ScriptedProbe([FAILED, () => NEVER]);
    const { instance, clock, events, payloads } = observed({
      container: new ScriptedContainer([found()]),
      readinessProbe: probe,
      probeIntervalMs: 300,
      probeTimeoutMs: 100,
      readinessTimeoutMs: 450,
    });
    void instance.start();
    await clock.advance(500);
    expect(probe.runs).toBe(2);
    expect(probe.signals.map(({ aborted }) => aborted)).toEqual([false, true]);
    expect(events).toEqual(['pending -> starting @0', 'starting -> unhealthy @450']);
    expect(payloads.at(-1)?.message).toBe('not ready within 450 ms: no result within 100 ms');
    instance.stop();
  });

  it('takes the timing that the probe brings along, unless it was given some itself', async () => {
    const probe = Object.assign(new ScriptedProbe([FAILED]), { readinessTimeoutMs: 3000, probeIntervalMs: 1000 });
    const { instance, clock, events } = observed({
      container: new ScriptedContainer([found()]),
      readinessProbe: probe,
      probeIntervalMs: 500,
    });
    void instance.start();
    await clock.advance(3000);
    expect(events).toEqual(['pending -> starting @0', 'starting -> unhealthy @3000']);
    expect(probe.runs).toBe(7);
    instance.stop();
  });

  it.each([
    ['throws', () => Promise.reject(new Error('boom')), 'boom'],
    ['panics', () => Promise.reject('a string'), 'a string'],
    ['returns nonsense', () => ({ outcome: 'fine' }) as never, 'the probe returned nothing that has a meaning here'],
    ['returns nothing', () => undefined as never, 'the probe returned nothing that has a meaning here'],
    [
      'returns what cannot be read',
      () =>
        ({
          get outcome() {
            throw new Error('no outcome');
          },
        }) as never,
      'no outcome',
    ],
  ])('has failed where the probe %s', async (_, finding, message) => {
    const { instance, clock, payloads } = observed({
      container: new ScriptedContainer([found()]),
      readinessProbe: new ScriptedProbe([finding]),
    });
    void instance.start();
    await clock.advance(30_000);
    expect(payloads.at(-1)).toMatchObject({ to: 'unhealthy', message: `not ready within 30000 ms: ${message}` });
    instance.stop();
  });

  it('logs what a failing probe says, for debugging, and only when that changes', async () => {
    const other = { outcome: 'failed', message: 'exit code 7: refused' } as const;
    const { instance, clock, lines } = observed({
      container: new ScriptedContainer([found()]),
      readinessProbe: new ScriptedProbe([other, other, FAILED, PASSED]),
    });
    void instance.start();
    await clock.advance(8000);
    expect(lines.filter((line) => line.startsWith('debug'))).toEqual([
      'debug instance "instance": not ready yet: exit code 7: refused',
      'debug instance "instance": not ready yet: not yet',
    ]);
    instance.stop();
  });

  it('never runs two probes at a time', async () => {
    const probe = new ScriptedProbe([() => NEVER]);
    const { instance, clock } = observed({
      container: new ScriptedContainer([found()]),
      readinessProbe: probe,
      probeTimeoutMs: 9000,
    });
    void instance.start();
    await clock.advance(8999);
    expect(probe.runs).toBe(1);
    await clock.advance(1001);
    expect(probe.runs).toBe(2);
    instance.stop();
  });

  it('takes no finding of a probe that began before a restart', async () => {
    const early = deferred<typeof PASSED>();
    const probe = new ScriptedProbe([() => early.promise, FAILED]);
    const container = new ScriptedContainer([found(), found({ restartCount: 1, startedAt: '2024-01-01T00:00:02Z' })]);
    const { instance, clock, events } = observed({ container, readinessProbe: probe });
    void instance.start();
    await clock.advance(2000);
    expect(probe.signals[0]?.aborted).toBe(true);
    early.resolve(PASSED);
    await clock.advance(1000);
    expect(events).toEqual(['pending -> starting @0']);
    instance.stop();
  });

  it('runs no probe while the container is paused', async () => {
    const probe = new ScriptedProbe([FAILED]);
    const container = new ScriptedContainer([found({ status: 'paused' })]);
    const { instance, clock, events } = observed({ container, readinessProbe: probe });
    void instance.start();
    await clock.advance(30_000);
    expect(probe.runs).toBe(0);
    expect(events).toEqual(['pending -> starting @0', 'starting -> unhealthy @30000']);
    instance.stop();
  });

  it('without a probe wants two polls that find it running, unvalidated', async () => {
    const container = new ScriptedContainer([found(), found({ status: 'paused' }), found()]);
    const { instance, clock, events } = observed({ container });
    void instance.start();
    await clock.advance(10_000);
    expect(events).toEqual(['pending -> starting @0', 'starting -> running @6000']);
    expect((await instance.health()).validated).toBe(false);
    instance.stop();
  });

  it('is not passed without a probe by looks right after one another', async () => {
    const { instance, clock } = observed({ container: new ScriptedContainer([found()]) });
    void instance.start();
    await clock.advance(0);
    await instance.health();
    await instance.health();
    expect(instance.status).toBe('starting');
    instance.stop();
  });

  it('lets an instance run whose probe cannot be run, and logs what was printed', async () => {
    const readinessProbe = new ScriptedProbe([{ outcome: 'unvalidated', message: 'exit code 127: curl: not found' }]);
    const { instance, lines } = observed({ container: new ScriptedContainer([found()]), readinessProbe });
    expect(await instance.start()).toBe('running');
    expect(lines).toEqual([
      'info instance "instance": pending -> starting',
      'warn instance "instance": runs without validation: exit code 127: curl: not found',
      'info instance "instance": starting -> running: not validated: exit code 127: curl: not found',
    ]);
    expect(await instance.health()).toMatchObject({
      validated: false,
      message: 'not validated: exit code 127: curl: not found',
    });
    instance.stop();
  });

  // A container that ends while the engine executes the command gives the code of a command that is not there.
  it('does not take the end of the container for a probe that cannot be run', async () => {
    const container = new ScriptedContainer([found(), found({ status: 'exited', exitCode: 1 })]);
    const readinessProbe = new ScriptedProbe([{ outcome: 'unvalidated', message: 'exit code 126' }]);
    const { instance, events, lines } = observed({ container, readinessProbe });
    expect(await instance.start()).toBe('error');
    expect(events).toEqual(['pending -> starting @0', 'starting -> error @0']);
    expect(lines.join()).not.toContain('validation');
    instance.stop();
  });

  it('has no finding any more once it was stopped, or started anew, while the container was looked at again', async () => {
    const hold = deferred<ContainerObservation>();
    const container = new ScriptedContainer([found(), () => hold.promise, found()]);
    const readinessProbe = new ScriptedProbe([{ outcome: 'unvalidated', message: 'exit code 126' }, FAILED]);
    const { instance, clock, events, lines } = observed({ container, readinessProbe });
    void instance.start();
    await clock.advance(0);
    expect(container.looks).toBe(2);
    instance.stop();
    void instance.start();
    hold.resolve(found());
    await clock.advance(1000);
    expect(events).toEqual(['pending -> starting @0', 'starting -> pending @0', 'pending -> starting @0']);
    expect(lines.join()).not.toContain('validation');
    instance.stop();
    expect(clock.pending).toBe(0);
  });
});
