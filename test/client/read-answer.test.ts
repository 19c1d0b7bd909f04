import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SnapshotFetchResponse } from '../../src/client/index.js';
import { MAX_SNAPSHOT_BYTES, readAnswer, readSnapshotText } from '../../src/client/read-answer.js';
import { text, wire } from './support/snapshots.js';

const errorOf = (body: string): string => {
  const read = readSnapshotText('it', body);
  return read.ok ? 'taken' : read.error;
};

/** An answer that comes in pieces, and how many of them were taken. */
function pieces(sizes: readonly number[], headers: Record<string, string> = {}) {
  const taken = { pieces: 0, cancelled: false };
  const response: SnapshotFetchResponse = {
    status: 200,
    headers: new Headers(headers),
    body: {
      getReader: () => ({
        read: async () => {
          const size = sizes[taken.pieces];
          if (size === undefined) return { done: true };
          taken.pieces++;
          return { done: false, value: new Uint8Array(size).fill(32) };
        },
        cancel: async () => {
          taken.cancelled = true;
        },
      }),
    },
  };
  return { response, taken };
}

describe('a text', () => {
  it('that is a snapshot is one, also an older one, a partial one, and one with more in it', () => {
    expect(readSnapshotText('it', text('healthy'))).toMatchObject({ ok: true, snapshot: { phase: 'ready' } });
    const partial = {
      ts: '2026-07-03T14:00:00Z',
      startup: { ok: true },
      readiness: { ok: false },
      liveness: { ok: true },
    };
    expect(readSnapshotText('it', JSON.stringify(partial))).toMatchObject({
      ok: true,
      snapshot: { phase: 'degraded' },
    });
    expect(errorOf(JSON.stringify({ ...wire('healthy'), more: { and: ['more'] } }))).toBe('taken');
  });

  it.each([
    ['', 'it is empty'],
    ['<html>s3cret</html>', 'it is no JSON'],
    ['{"startup":', 'it is no JSON'],
    ['NaN', 'it is no JSON'],
    ['null', 'it is no snapshot: expected a snapshot'],
    ['[]', 'it is no snapshot: expected a snapshot'],
    ['"s3cret"', 'it is no snapshot: expected a snapshot'],
    ['{}', 'it is no snapshot: ts: expected a time in ISO 8601'],
    [JSON.stringify({ ...wire('healthy'), ts: 's3cret' }), 'it is no snapshot: ts: expected a time in ISO 8601'],
    [
      JSON.stringify({ ...wire('healthy'), startup: { ok: 'yes' } }),
      'it is no snapshot: startup.ok: expected true or false',
    ],
    [
      JSON.stringify({ ...wire('healthy'), liveness: { ok: true, latencyMs: -1 } }),
      'it is no snapshot: liveness.latencyMs: expected 0 or more',
    ],
    [
      text('healthy').replace('"latencyMs":5', '"latencyMs":1e999'),
      'it is no snapshot: startup.latencyMs: expected a number of milliseconds',
    ],
    [
      JSON.stringify({ ...wire('healthy'), processId: { s3cret: 1 } }),
      'it is no snapshot: processId: expected a text of at most 4096 characters',
    ],
  ])('%.40s says: %s', (body, error) => {
    expect(errorOf(body)).toBe(error);
  });

  it('that is nested a thousandfold, or as deep as fits, is refused without harm', () => {
    for (const depth of [1000, MAX_SNAPSHOT_BYTES / 2]) {
      expect(errorOf('['.repeat(depth) + ']'.repeat(depth))).toMatch(/^it is no (JSON|snapshot: expected a snapshot)$/);
    }
    expect(errorOf(`{"a":${'['.repeat(1000)}${']'.repeat(1000)}}`)).toContain('no snapshot');
  });

  it('with __proto__ in it pollutes nothing, and what is inherited counts for nothing', () => {
    const body = `{"__proto__":${text('healthy')},"constructor":{"prototype":{"polluted":true}}}`;
    expect(errorOf(body)).toBe('it is no snapshot: ts: expected a time in ISO 8601');
    expect(errorOf(text('healthy').replace('{', '{"__proto__":{"polluted":true},'))).toBe('taken');
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  it('of 64 KiB is read, one more is refused', () => {
    const body = text('healthy');
    expect(errorOf(body.padEnd(MAX_SNAPSHOT_BYTES))).toBe('taken');
    expect(errorOf(body.padEnd(MAX_SNAPSHOT_BYTES + 1))).toBe('it is longer than 65536 bytes');
  });

  it('of whatever JSON never throws, and says nothing of what was in it', () => {
    fc.assert(
      fc.property(fc.json(), fc.json(), (one, other) => {
        const read = readSnapshotText(
          'it',
          text('healthy').replace('"latencyMs":5', () => `"latencyMs":${one},"x":${other}`),
        );
        if (!read.ok)
          expect(read.error).toMatch(
            /^it is no snapshot: startup.latencyMs: expected (a number of milliseconds|0 or more)$/,
          );
        expect(() => readSnapshotText('it', one)).not.toThrow();
      }),
      { numRuns: 500 },
    );
  });
});

describe('an answer', () => {
  it.each([200, 404, 500, 503])('of HTTP %i with a snapshot is a snapshot', async (status) => {
    expect(await readAnswer(new Response(text('degraded'), { status }))).toMatchObject({ ok: true });
  });

  it('without a body to read piece by piece is asked for its text, or is empty', async () => {
    expect(await readAnswer({ status: 200, text: async () => text('healthy') })).toMatchObject({ ok: true });
    expect(await readAnswer({ status: 204 })).toEqual({ ok: false, error: 'the answer (HTTP 204) is empty' });
    expect(await readAnswer({ status: 200, body: null })).toEqual({
      ok: false,
      error: 'the answer (HTTP 200) is empty',
    });
  });

  it('in pieces that cut characters in two is put together', async () => {
    const bytes = new TextEncoder().encode(JSON.stringify({ ...wire('healthy'), processId: 'prozeß-€' }));
    const body = new ReadableStream({
      start(controller) {
        for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
        controller.close();
      },
    });
    expect(await readAnswer(new Response(body))).toMatchObject({ snapshot: { processId: 'prozeß-€' } });
  });

  it('that redirects is refused, whatever is in it', async () => {
    for (const status of [301, 302, 307, 308]) {
      const response = new Response(text('healthy'), { status, headers: { location: 'http://10.0.0.1/' } });
      expect(await readAnswer(response)).toEqual({
        ok: false,
        error: `the answer (HTTP ${status}) is a redirect, and none is followed`,
      });
    }
    expect(await readAnswer({ status: 0, type: 'opaqueredirect', body: null })).toEqual({
      ok: false,
      error: 'the answer is a redirect, and none is followed',
    });
  });

  it('that says it is too long is not read', async () => {
    const { response, taken } = pieces([10], { 'content-length': '65537' });
    expect(await readAnswer(response)).toEqual({
      ok: false,
      error: 'the answer (HTTP 200) is longer than 65536 bytes',
    });
    expect(taken).toEqual({ pieces: 0, cancelled: true });
  });

  it('that turns out too long, or never ends, is read no further than that', async () => {
    const { response, taken } = pieces(Array.from({ length: 1000 }, () => 10_000));
    expect(await readAnswer(response)).toMatchObject({ error: 'the answer (HTTP 200) is longer than 65536 bytes' });
    expect(taken).toEqual({ pieces: 7, cancelled: true });
    expect(await readAnswer(pieces([MAX_SNAPSHOT_BYTES]).response)).toMatchObject({
      error: expect.stringContaining('no JSON'),
    });
    expect(await readAnswer(pieces([MAX_SNAPSHOT_BYTES, 1]).response)).toMatchObject({
      error: expect.stringContaining('longer'),
    });
  });
});
