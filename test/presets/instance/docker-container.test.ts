import { describe, expect, it } from 'vitest';
import { type DockerContainerOptions, type DockerExec, dockerContainer } from '../../../src/presets/instance/index.js';
import { FakeClock } from '../../../src/testing/index.js';
import { deferred } from './support/doubles.js';

const signal = new AbortController().signal;

interface ExecScript {
  /** Chunks of its output; a promise holds it open. */
  readonly output?: readonly (Uint8Array | Promise<Uint8Array>)[];
  /** What successive inspections of it say. */
  readonly states?: readonly ({ Running: boolean; ExitCode: number | null } | Error)[];
}

/** A client that runs scripted commands and notes what it was asked. */
function clientOf(scripts: readonly ExecScript[] = [], inspect: () => unknown = () => ({})) {
  const asked: unknown[] = [];
  let next = 0;
  let destroyed = 0;
  const execOf = ({ output = [], states = [{ Running: false, ExitCode: 0 }] }: ExecScript): DockerExec => {
    let looks = 0;
    return {
      async start(options) {
        asked.push(['start', { ...options, abortSignal: undefined }]);
        return {
          destroy: () => destroyed++,
          async *[Symbol.asyncIterator]() {
            yield* output;
          },
        };
      },
      async inspect() {
        const state = states[Math.min(looks++, states.length - 1)];
        if (state instanceof Error) throw state;
        return state;
      },
    };
  };
  const docker = {
    getContainer: (id: string) => {
      asked.push(['getContainer', id]);
      return {
        inspect: async () => inspect(),
        exec: async (options: object) => {
          asked.push(['exec', { ...options, abortSignal: undefined }]);
          return execOf(scripts[Math.min(next++, scripts.length - 1)] ?? {});
        },
      };
    },
  };
  return { docker, asked, destroyed: () => destroyed };
}

describe('which container', () => {
  it.each<[string, DockerContainerOptions, string]>([
    ['an id', { id: '3a36327c9d' }, '3a36327c9d'],
    ['a name', { name: 'tool_17.a-b' }, 'tool_17.a-b'],
    ['a name as the engine writes it', { name: '/tool' }, 'tool'],
  ])('%s', async (_, options, reference) => {
    const { docker, asked } = clientOf();
    await dockerContainer({ ...options, docker }).observe({ signal });
    expect(asked).toEqual([['getContainer', reference]]);
  });

  it.each<[string, object, string]>([
    ['neither', {}, 'expected exactly one of "id" and "name"'],
    ['both', { id: 'abcd', name: 'tool' }, 'expected exactly one of "id" and "name"'],
    ['a path in the name', { name: '../images' }, 'option "name": expected a container name'],
    ['a query in the name', { name: 'tool?all=1' }, 'option "name": expected a container name'],
    ['an id that is none', { id: 'tool' }, 'option "id": expected a container id'],
    ['an empty socket path', { name: 'tool', socketPath: '' }, 'option "socketPath": expected a path'],
    [
      'a client that is none',
      { name: 'tool', docker: {} },
      'option "docker": expected an object with the methods getContainer',
    ],
    [
      'two ways to the engine',
      { name: 'tool', socketPath: '/x', docker: { getContainer() {} } },
      'expected "socketPath" or "docker", not both',
    ],
    ['a misspelt option', { name: 'tool', socket: '/x' }, 'unknown option "socket" (is "socketPath" meant?)'],
  ])('is refused: %s', (_, options, sentence) => {
    const wrong = expect(() => dockerContainer(options));
    wrong.toThrow(sentence);
    expect(() => dockerContainer(options)).toThrow(expect.objectContaining({ code: 'invalid_option' }));
  });
});

describe('a look', () => {
  it('that the engine refuses is a value too', async () => {
    const { docker } = clientOf([], () => {
      throw Object.assign(new Error('(HTTP code 404)'), { statusCode: 404, json: { message: 'No such container: x' } });
    });
    expect(await dockerContainer({ name: 'x', docker }).observe({ signal })).toEqual({ status: 'missing' });
  });
});

describe('a command', () => {
  const exec = async (scripts: readonly ExecScript[], clock = new FakeClock()) => {
    const made = clientOf(scripts);
    const container = dockerContainer({ name: 'tool', docker: made.docker });
    return { ...made, clock, run: () => container.exec?.(['curl', '-f', 'x'], { signal, clock }) };
  };

  it('is run without a terminal, and read to its end', async () => {
    const header = [2, 0, 0, 0, 0, 0, 0, 3];
    const output = [new Uint8Array([...header, 0x6e, 0x6f, 0x0a])];
    const { run, asked, destroyed } = await exec([{ output, states: [{ Running: false, ExitCode: 7 }] }]);
    expect(await run()).toEqual({ kind: 'ended', exitCode: 7, stdout: '', stderr: 'no\n' });
    expect(asked).toEqual([
      ['getContainer', 'tool'],
      ['exec', { Cmd: ['curl', '-f', 'x'], AttachStdout: true, AttachStderr: true, abortSignal: undefined }],
      ['start', { Detach: false, Tty: false, abortSignal: undefined }],
    ]);
    expect(destroyed()).toBe(1);
  });

  // Podman says exit code 0 of a command that still runs; Docker says null.
  it.each([[0], [null]])('has not ended while the engine says that it runs (exit code %j)', async (ExitCode) => {
    const states = [
      { Running: true, ExitCode },
      { Running: false, ExitCode: 5 },
    ];
    const { run, clock } = await exec([{ states }]);
    const ended = run();
    await clock.advance(49);
    expect(clock.pending).toBe(1);
    await clock.advance(1);
    expect(await ended).toMatchObject({ exitCode: 5 });
    expect(clock.pending).toBe(0);
  });

  it('is not begun while an earlier one still runs', async () => {
    const hold = deferred<Uint8Array>();
    const states = [
      { Running: true, ExitCode: null },
      { Running: false, ExitCode: 0 },
    ];
    const { run, asked } = await exec([{ output: [hold.promise], states }, {}]);
    const first = run();
    await new Promise((resolve) => setImmediate(resolve));
    expect(await run()).toEqual({ kind: 'busy' });
    expect(await run()).toMatchObject({ kind: 'ended' });
    expect(asked.filter((call) => (call as string[])[0] === 'exec')).toHaveLength(2);
    hold.resolve(new Uint8Array(0));
    await first;
  });

  it('may be begun once the engine has forgotten the earlier one', async () => {
    const hold = deferred<Uint8Array>();
    const forgotten = Object.assign(new Error('no such exec'), { statusCode: 404 });
    const { run } = await exec([{ output: [hold.promise], states: [forgotten] }, {}]);
    void run()?.then(undefined, () => {});
    await new Promise((resolve) => setImmediate(resolve));
    expect(await run()).toMatchObject({ kind: 'ended' });
    hold.resolve(new Uint8Array(0));
  });

  it('that the engine refuses is a value too', async () => {
    const docker = {
      getContainer: () => ({
        inspect: async () => ({}),
        exec: () =>
          Promise.reject(Object.assign(new Error('(HTTP code 409) container paused'), { statusCode: 409, json: {} })),
      }),
    };
    const clock = new FakeClock();
    expect(await dockerContainer({ name: 'tool', docker }).exec?.(['true'], { signal, clock })).toEqual({
      kind: 'refused',
      message: 'the container engine answered with an error: (HTTP code 409) container paused',
    });
  });

  it('leaves no timer behind when its signal aborts', async () => {
    const abort = new AbortController();
    const { docker } = clientOf([{ states: [{ Running: true, ExitCode: null }] }]);
    const clock = new FakeClock();
    const ended = dockerContainer({ name: 'tool', docker }).exec?.(['sleep'], { signal: abort.signal, clock });
    await clock.advance(120);
    expect(clock.pending).toBe(1);
    abort.abort();
    expect(clock.pending).toBe(0);
    expect(await ended).toMatchObject({ kind: 'refused' });
  });

  it('has its output closed when its signal aborts', async () => {
    const abort = new AbortController();
    const hold = deferred<Uint8Array>();
    const { docker, destroyed } = clientOf([{ output: [hold.promise] }]);
    const run = dockerContainer({ name: 'tool', docker }).exec?.(['x'], {
      signal: abort.signal,
      clock: new FakeClock(),
    });
    await new Promise((resolve) => setImmediate(resolve));
    abort.abort();
    expect(destroyed()).toBe(1);
    hold.reject(new Error('aborted'));
    expect(await run).toMatchObject({ kind: 'refused' });
  });
});
