import { describe, expect, it } from 'vitest';
import type { ContainerObservation } from '../../../src/presets/instance/index.js';
import { FAILED, found, PASSED, ScriptedContainer, ScriptedProbe, UNREACHABLE } from './support/doubles.js';
import { type Observed, observed } from './support/observed.js';

const start = (second: number) => `2024-01-01T00:00:${String(second).padStart(2, '0')}Z`;
// As Docker does: the count rises at once, the start time with the next start.
const restarting = (restartCount: number, exitCode = 1) =>
  found({ status: 'restarting', restartCount, exitCode, startedAt: start(restartCount - 1) });
const running = (restartCount: number) => found({ restartCount, startedAt: start(restartCount) });

/** An instance that has reached `running` at 0, and what its container is seen as from the poll at 2000 on. */
async function inOperation(...seen: readonly ContainerObservation[]): Promise<Observed & { probe: ScriptedProbe }> {
  const container = new ScriptedContainer([running(0), ...seen]);
  const probe = new ScriptedProbe([PASSED]);
  const all = observed({ container, readinessProbe: probe });
  expect(await all.instance.start()).toBe('running');
  all.events.length = 0;
  return { ...all, probe };
}

describe('a restart that is seen later leads through the gate again', () => {
  it.each<[string, readonly ContainerObservation[], readonly string[]]>([
    ['restarting', [restarting(1), running(1)], ['running -> starting @2000', 'starting -> running @4000']],
    ['a risen restart count', [running(1)], ['running -> starting @2000', 'starting -> running @2000']],
    [
      'a risen start time',
      [found({ startedAt: start(9) })],
      ['running -> starting @2000', 'starting -> running @2000'],
    ],
    ['another container', [found({ id: 'bbbb' })], ['running -> starting @2000', 'starting -> running @2000']],
    [
      'a container made anew',
      [found({ id: 'bbbb', status: 'created', startedAt: undefined }), found({ id: 'bbbb', startedAt: start(9) })],
      ['running -> starting @2000', 'starting -> running @4000'],
    ],
  ])('%s', async (_, seen, flow) => {
    const { instance, clock, events, probe } = await inOperation(...seen);
    await clock.advance(20_000);
    expect(events).toEqual(flow);
    expect(probe.runs).toBe(2);
    instance.stop();
  });

  it('and is unvalidated until the probe has passed again', async () => {
    const { instance, clock, probe } = await inOperation(running(1));
    probe.findings = [FAILED];
    await clock.advance(2000);
    expect(await instance.health()).toMatchObject({ status: 'starting', validated: false });
    instance.stop();
  });
});

describe('a loop', () => {
  it('is two polls in a row that find it restarting, with the code seen then', async () => {
    const { instance, clock, events, payloads } = await inOperation(restarting(1, 7));
    await clock.advance(20_000);
    expect(events).toEqual(['running -> starting @2000', 'starting -> error @4000']);
    expect(payloads.at(-1)).toMatchObject({
      exitCode: 7,
      message: 'the container keeps restarting: it ends with code 7',
    });
    instance.stop();
  });

  it('is not two looks right after one another', async () => {
    const { instance, clock } = await inOperation(restarting(1));
    await clock.advance(2000);
    await instance.health();
    expect(instance.status).toBe('starting');
    instance.stop();
  });

  // Podman says running and stopped, never restarting.
  it('is two rises of the restart count within the startup timeout', async () => {
    const { instance, clock, events } = await inOperation(running(1), running(1), running(4));
    await clock.advance(20_000);
    expect(events).toEqual(['running -> starting @2000', 'starting -> running @2000', 'running -> error @6000']);
    instance.stop();
  });

  it('is not two rises further apart', async () => {
    const apart = Array.from({ length: 16 }, () => running(1));
    const { instance, clock, events } = await inOperation(...apart, running(2));
    await clock.advance(40_000);
    expect(events.at(-1)).toBe('starting -> running @34000');
    instance.stop();
  });

  it('is not one restart, whose count rises before its start time does', async () => {
    const late = found({ restartCount: 1, startedAt: start(3) });
    const { instance, clock, events } = await inOperation(restarting(1), late);
    await clock.advance(60_000);
    expect(events).toEqual(['running -> starting @2000', 'starting -> running @4000']);
    instance.stop();
  });

  it('is two restarts by hand in short order, whose count does not rise', async () => {
    const { instance, clock, events } = await inOperation(
      found({ startedAt: start(8) }),
      found({ startedAt: start(9) }),
    );
    await clock.advance(4000);
    expect(events.at(-1)).toBe('running -> error @4000');
    instance.stop();
  });

  it('is over once the container has been without a restart for the startup timeout', async () => {
    const { instance, clock, events } = await inOperation(restarting(1), restarting(1), running(1));
    await clock.advance(60_000);
    expect(events).toEqual([
      'running -> starting @2000',
      'starting -> error @4000',
      'error -> starting @36000',
      'starting -> running @36000',
    ]);
    instance.stop();
  });

  it('is not over with every start of it, however far apart these are', async () => {
    const waiting = Array.from({ length: 30 }, () => restarting(1));
    const { instance, clock, events } = await inOperation(...waiting, running(1), restarting(2), running(2));
    await clock.advance(66_000);
    expect(events).toEqual(['running -> starting @2000', 'starting -> error @4000']);
    instance.stop();
  });

  it.each<[string, ContainerObservation]>([
    ['another container takes its place', found({ id: 'bbbb', startedAt: start(9) })],
    ['it is started by hand, which sets the count back', found({ restartCount: 0, startedAt: start(9) })],
  ])('is over when %s', async (_, seen) => {
    const { instance, clock, events } = await inOperation(restarting(1), restarting(1), seen);
    await clock.advance(6000);
    expect(events.slice(2)).toEqual(['error -> starting @6000', 'starting -> running @6000']);
    instance.stop();
  });

  it('that ends by itself is an exit', async () => {
    const given = found({ status: 'exited', exitCode: 4, restartCount: 1 });
    const { instance, clock } = await inOperation(
      restarting(1),
      restarting(1),
      given,
      given,
      found({ startedAt: start(9) }),
    );
    await clock.advance(6000);
    expect(await instance.health()).toMatchObject({ status: 'error', exit_code: 4 });
    await clock.advance(2000);
    expect(instance.status).toBe('running');
    instance.stop();
  });
});

describe('the end of a container', () => {
  it.each<[string, ContainerObservation, object]>([
    ['exited', found({ status: 'exited', exitCode: 0 }), { exitCode: 0, message: 'the container exited with code 0' }],
    [
      'killed for memory',
      found({ status: 'exited', exitCode: 137, outOfMemory: true }),
      { exitCode: 137, message: 'the container exited with code 137 (out of memory)' },
    ],
    [
      'dead',
      found({ status: 'dead', exitCode: 9 }),
      { exitCode: 9, message: 'the container is dead: it ended with code 9' },
    ],
    ['missing', { status: 'missing' }, { message: 'there is no such container' }],
  ])('is an error: %s', async (_, seen, expected) => {
    const { instance, clock, payloads } = await inOperation(seen);
    await clock.advance(2000);
    expect(payloads.at(-1)).toEqual({ name: 'instance', from: 'running', to: 'error', ...expected });
    instance.stop();
  });

  it('is followed by the gate when the container comes back', async () => {
    const { instance, clock, events } = await inOperation(
      found({ status: 'exited', exitCode: 1 }),
      found({ status: 'exited', exitCode: 1 }),
      found({ startedAt: start(9) }),
    );
    await clock.advance(20_000);
    expect(events).toEqual(['running -> error @2000', 'error -> starting @6000', 'starting -> running @6000']);
    instance.stop();
  });

  it('of one that was unhealthy is an error', async () => {
    const container = new ScriptedContainer([running(0)]);
    const { instance, clock, events } = observed({ container, readinessProbe: new ScriptedProbe([FAILED]) });
    void instance.start();
    await clock.advance(31_000);
    container.become(found({ status: 'exited', exitCode: 2 }));
    await clock.advance(2000);
    expect(events.slice(1)).toEqual(['starting -> unhealthy @30000', 'unhealthy -> error @32000']);
    instance.stop();
  });

  it('of one that was created anew and never started is an error when the gate ends', async () => {
    const created = found({ id: 'bbbb', status: 'created', startedAt: undefined });
    const { instance, clock, events } = await inOperation(created);
    await clock.advance(40_000);
    expect(events).toEqual(['running -> starting @2000', 'starting -> error @32000']);
    instance.stop();
  });
});

it('a container that comes up again only after the gate has ended has the whole readiness timeout from then on', async () => {
  const created = found({ id: 'bbbb', status: 'created', startedAt: undefined });
  const late = [...Array.from({ length: 15 }, () => created), found({ id: 'bbbb', startedAt: start(9) })];
  const { instance, clock, events, probe } = await inOperation(...late);
  probe.findings = [FAILED];
  await clock.advance(70_000);
  expect(events).toEqual(['running -> starting @2000', 'starting -> unhealthy @62000']);
  instance.stop();
});

describe('what is no end', () => {
  it.each<[string, ContainerObservation]>([
    ['an engine that cannot be reached', UNREACHABLE],
    ['a pause', found({ status: 'paused', startedAt: start(0) })],
    ['a removal that has not ended', found({ status: 'removing', startedAt: start(0) })],
  ])('%s keeps the status', async (_, seen) => {
    const { instance, clock, events } = await inOperation(seen);
    await clock.advance(60_000);
    expect(events).toEqual([]);
    expect(await instance.health()).toMatchObject({ status: 'running', container_status: seen.status });
    instance.stop();
  });

  it('an engine that comes back has restarted the container: through the gate', async () => {
    const back = found({ startedAt: start(9) });
    const { instance, clock, events } = await inOperation(UNREACHABLE, UNREACHABLE, back);
    await clock.advance(20_000);
    expect(events).toEqual(['running -> starting @6000', 'starting -> running @6000']);
    instance.stop();
  });
});
