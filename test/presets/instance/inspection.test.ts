import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readInspection } from '../../../src/presets/instance/inspection.js';

const NEVER = '0001-01-01T00:00:00Z';

/** An answer as Docker 20.10 and Podman 4.3 give it, cut to what matters. */
function answer(state: object, more: object = {}): unknown {
  return {
    Id: '3a36327c',
    RestartCount: 0,
    State: { Status: 'running', ExitCode: 0, OOMKilled: false, Error: '', StartedAt: '2024-01-01T00:00:01Z', ...state },
    HostConfig: { RestartPolicy: { Name: 'no', MaximumRetryCount: 0 } },
    ...more,
  };
}

const policy = (Name: string, MaximumRetryCount = 0) => ({
  HostConfig: { RestartPolicy: { Name, MaximumRetryCount } },
});

describe('an answer of the engine', () => {
  it('is read whole', () => {
    const state = { Status: 'exited', ExitCode: 137, OOMKilled: true, Health: { Status: 'unhealthy' } };
    expect(readInspection(answer(state, { RestartCount: 2 }))).toEqual({
      status: 'exited',
      id: '3a36327c',
      exitCode: 137,
      outOfMemory: true,
      restartCount: 2,
      startedAt: '2024-01-01T00:00:01Z',
      engineHealth: 'unhealthy',
      startError: undefined,
    });
  });

  it('tells why a container could not be started', () => {
    const state = { Status: 'created', ExitCode: 127, Error: 'exec: "/nope": no such file', StartedAt: NEVER };
    expect(readInspection(answer(state))).toMatchObject({
      status: 'created',
      exitCode: 127,
      startError: 'exec: "/nope": no such file',
      startedAt: undefined,
    });
  });

  it.each([
    ['created', 'created'],
    ['running', 'running'],
    ['paused', 'paused'],
    ['restarting', 'restarting'],
    ['removing', 'removing'],
    ['exited', 'exited'],
    ['dead', 'dead'],
    ['configured', 'created'],
    ['initialized', 'created'],
    ['stopping', 'running'],
  ])('%s is %s', (word, status) => {
    expect(readInspection(answer({ Status: word }))).toMatchObject({ status });
  });

  // Podman's crash loop shows running and stopped, with a rising count.
  it.each([
    ['no', 0, 0, 'exited'],
    ['always', 0, 0, 'restarting'],
    ['unless-stopped', 0, 0, 'restarting'],
    ['on-failure', 0, 2, 'restarting'],
    ['on-failure', 3, 2, 'restarting'],
    ['on-failure', 2, 2, 'exited'],
  ])("Podman's stopped under %s (%d at the most, %d so far) is the moment before %s", (name, most, count, status) => {
    const given = answer({ Status: 'stopped', ExitCode: 2 }, { ...policy(name, most), RestartCount: count });
    expect(readInspection(given)).toMatchObject({ status, exitCode: 2 });
  });

  it("Podman's stopped after a success is an exit, where only failures are restarted", () => {
    expect(readInspection(answer({ Status: 'stopped', ExitCode: 0 }, policy('on-failure')))).toMatchObject({
      status: 'exited',
    });
  });

  it.each([[''], ['none'], [undefined]])('a health check that says %j is none', (word) => {
    expect(readInspection(answer({ Health: { Status: word } }))).toMatchObject({ engineHealth: undefined });
  });

  it.each([[undefined], [null], [7], ['no'], [{}], [{ State: {} }], [{ State: { Status: 'ascended' } }], [[]]])(
    '%j says nothing of a container, which is unknown then and not missing',
    (given) => {
      expect(readInspection(given)).toMatchObject({ status: 'unknown', reason: 'engine_error' });
    },
  );

  it('never makes it throw, whatever it is', () => {
    const some = fc.anything({ maxDepth: 3 });
    const state = fc.record({
      Status: fc.constantFrom('running', 'stopped', 'toString'),
      ExitCode: some,
      Health: some,
      StartedAt: some,
    });
    fc.assert(
      fc.property(
        fc.oneof(some, fc.record({ State: state, HostConfig: some, RestartCount: some, Id: some })),
        (given) => {
          expect(typeof readInspection(given).status).toBe('string');
        },
      ),
    );
  });
});
