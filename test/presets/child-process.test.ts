import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { isHealthControllerError } from '../../src/index.js';
import { OutputLines } from '../../src/presets/child-process/output-lines.js';
import { type ChildProcessOptions, childProcess } from '../../src/presets/index.js';
import { FakeClock } from '../../src/testing/index.js';

describe('the options of childProcess', () => {
  it.each([
    ['command', ['node', '/bin/true'], [undefined, '', 3, 'a\0b', ['node']]],
    ['args', [[], ['a', '']], ['a', [1], ['a\0b'], null]],
    ['cwd', ['/tmp'], ['', 3, null]],
    ['env', [{}, { A: 'b', C: undefined }], ['A=b', [], null]],
    ['stopSignal', ['SIGTERM', 'SIGUSR2'], ['TERM', 15, 'sigterm', '']],
    ['killAfterMs', [0, 1, 2_147_483_647], [-1, Number.NaN, Number.POSITIVE_INFINITY, '5s']],
    [
      'readyWhen',
      ['spawned', { tcp: { port: 1 } }, { tcp: { port: 65_535, host: '::1' } }, { http: 'http://localhost/health' }],
      [
        'listening',
        {},
        { tcp: { port: 0 } },
        { tcp: { port: 65_536 } },
        { http: '/health' },
        { http: 'http://a', tcp: {} },
      ],
    ],
    ['noRestartExitCodes', [[], [0, 78, 255]], [78, [256], [-1], [1.5], ['78']]],
    ['runToCompletion', [true, false], [1, 'yes']],
    ['logger', [console], [{}, { info: () => {} }, 3]],
    ['clock', [new FakeClock()], [{}, 3]],
    ['comand', [], ['node']],
  ])('take %s of %j and refuse %j, naming it', (option, good, bad) => {
    const given = (value: unknown) => ({ command: 'node', [option]: value }) as ChildProcessOptions;
    for (const value of good) expect(() => childProcess(given(value))).not.toThrow();
    for (const value of bad) {
      try {
        childProcess(given(value));
        expect.unreachable(`${option} of ${String(value)} was taken`);
      } catch (error) {
        expect(isHealthControllerError(error, 'invalid_option')).toBe(true);
        expect(String(error)).toMatch(new RegExp(`childProcess\\(\\).*"${option}"`));
      }
    }
  });

  it('spawns nothing until it is started, and has nothing to stop before', () => {
    const { start, stop, runToCompletion, giveUpOn } = childProcess({ command: '/no/such/program' });
    expect([typeof start, typeof giveUpOn, runToCompletion]).toEqual(['function', 'function', false]);
    expect(stop?.({ signal: new AbortController().signal, deadlineMs: 5 })).toBeUndefined();
  });
});

describe('the lines of an output', () => {
  const reading = () => {
    const clock = new FakeClock();
    const stream = new PassThrough();
    const lines: string[] = [];
    new OutputLines(stream, clock, (line) => lines.push(line));
    const write = async (chunk: string | Buffer) => {
      stream.write(chunk);
      await clock.advance(0);
    };
    const end = async () => {
      stream.end();
      await clock.advance(0);
    };
    return { clock, stream, lines, write, end };
  };

  it('are those between line feeds, wherever the chunks are cut, with or without carriage returns', async () => {
    const { lines, write, end } = reading();
    for (const chunk of ['a', 'b\nc', '\r\n', '\n', 'last']) await write(chunk);
    expect(lines).toEqual(['ab', 'c', '']);
    await end();
    expect(lines).toEqual(['ab', 'c', '', 'last']);
  });

  it('are decoded as UTF-8, also where a chunk ends inside a character', async () => {
    const { lines, write } = reading();
    const bytes = Buffer.from('grün\n');
    await write(bytes.subarray(0, 3));
    await write(bytes.subarray(3));
    expect(lines).toEqual(['grün']);
  });

  it('are cut at 4096 characters, the rest being dropped however long it goes on', async () => {
    const { lines, write } = reading();
    for (let chunk = 0; chunk < 50; chunk++) await write('x'.repeat(1000));
    await write('\nnext\n');
    expect(lines).toEqual([`${'x'.repeat(4096)}…`, 'next']);
  });

  it('of exactly 4096 characters are whole', async () => {
    const { lines, write } = reading();
    await write(`${'x'.repeat(4096)}\n`);
    expect(lines).toEqual(['x'.repeat(4096)]);
  });

  it('are 200 in a second at most; what was dropped is counted when the next second begins', async () => {
    const { clock, lines, write } = reading();
    await write('a\n'.repeat(250));
    expect(lines).toHaveLength(200);
    await clock.advance(999);
    await write('b\n');
    expect(lines).toHaveLength(200);
    await clock.advance(1);
    await write('c\n');
    expect(lines.slice(200)).toEqual(['(51 more lines in that second)', 'c']);
  });

  it('end with the count of what was dropped', async () => {
    const { lines, write, end } = reading();
    await write('a\n'.repeat(201));
    await end();
    expect(lines.slice(200)).toEqual(['(1 more lines in that second)']);
  });

  it('end when the pipe breaks, without an error', async () => {
    const { clock, stream, lines, write } = reading();
    await write('half');
    stream.destroy(new Error('EPIPE'));
    await clock.advance(0);
    expect(lines).toEqual(['half']);
  });
});
