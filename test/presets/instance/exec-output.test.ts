import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ExecOutput } from '../../../src/presets/instance/exec-output.js';

const utf8 = new TextEncoder();

function frame(stream: number, text: string): number[] {
  const payload = utf8.encode(text);
  const header = new Uint8Array(8);
  header[0] = stream;
  new DataView(header.buffer).setUint32(4, payload.length);
  return [...header, ...payload];
}

function read(...chunks: readonly (readonly number[])[]): { stdout: string; stderr: string } {
  const output = new ExecOutput();
  for (const chunk of chunks) output.push(new Uint8Array(chunk));
  return { stdout: output.stdout, stderr: output.stderr };
}

describe('the output of a command', () => {
  it('is told apart by stream', () => {
    const bytes = [...frame(1, 'hi\n'), ...frame(2, 'err\n'), ...frame(1, 'there\n')];
    expect(read(bytes)).toEqual({ stdout: 'hi\nthere\n', stderr: 'err\n' });
  });

  it('is the same wherever the chunks are cut', () => {
    const part = fc.tuple(fc.constantFrom(1, 2), fc.string({ unit: 'grapheme', maxLength: 20 }));
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), fc.array(fc.nat(300), { maxLength: 10 }), (parts, cuts) => {
        const bytes = parts.flatMap(([stream, text]) => frame(stream, text));
        const at = [0, ...cuts.map((cut) => Math.min(cut, bytes.length)).sort((a, b) => a - b), bytes.length];
        const chunks = at.slice(1).map((end, index) => bytes.slice(at[index], end));
        const of = (wanted: number) => parts.flatMap(([stream, text]) => (stream === wanted ? [text] : [])).join('');
        expect(read(...chunks)).toEqual({ stdout: of(1), stderr: of(2) });
      }),
    );
  });

  it('is kept up to 4 KiB a stream, whatever comes', () => {
    const { stdout, stderr } = read(frame(1, 'a'.repeat(10_000)), frame(2, 'b'.repeat(4096)), frame(1, 'c'));
    expect(stdout).toBe(`${'a'.repeat(4096)}…`);
    expect(stderr).toBe('b'.repeat(4096));
  });

  it('is cut where a character was cut', () => {
    const { stdout } = read(frame(1, `${'a'.repeat(4095)}é`));
    expect(stdout).toBe(`${'a'.repeat(4095)}…`);
  });

  it('that has no frames is one text', () => {
    expect(read([...utf8.encode('plain')], [...utf8.encode(' text, on')])).toEqual({
      stdout: 'plain text, on',
      stderr: '',
    });
    expect(read([...utf8.encode('x')])).toEqual({ stdout: 'x', stderr: '' });
  });

  it('ends for us where the frames go astray', () => {
    expect(read([...frame(2, 'so far'), ...utf8.encode('garbage that is no frame')])).toEqual({
      stdout: '',
      stderr: 'so far',
    });
  });

  it('never makes it throw', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 40 })), (chunks) => {
        expect(typeof read(...chunks.map((chunk) => [...chunk])).stdout).toBe('string');
      }),
    );
  });
});
