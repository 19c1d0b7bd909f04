import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { classifyTunnel, type TunnelFinding } from '../../../src/presets/instance/index.js';
import vectors from '../../vectors/tunnel.json' with { type: 'json' };

interface Row {
  readonly status?: number;
  readonly error?: string;
  readonly tunnel: string;
  readonly recreate: boolean;
}

const rows = vectors.cases as readonly Row[];
const BROKEN = { tunnel: 'tunnel_error', recreate: true };
const UNKNOWN = { tunnel: 'unknown', recreate: false };

function withCode(code: string, more: object = {}): Error {
  return Object.assign(new Error('failed'), { code }, more);
}

describe('classification: tunnel.json', () => {
  it.each(rows)('$status$error is $tunnel', ({ status, error, tunnel, recreate }) => {
    const finding: TunnelFinding = status === undefined ? { error } : { status };
    expect(classifyTunnel(finding)).toEqual({ tunnel, recreate });
  });

  it.each(rows.filter(({ error }) => error !== undefined))('$error in an error, a cause, a list', (row) => {
    const error = withCode(String(row.error));
    const expected = { tunnel: row.tunnel, recreate: row.recreate };
    expect(classifyTunnel({ error })).toEqual(expected);
    expect(classifyTunnel({ error: new TypeError('fetch failed', { cause: error }) })).toEqual(expected);
    expect(classifyTunnel({ error: new AggregateError([new Error('x'), error]) })).toEqual(expected);
    const deep = new TypeError('fetch failed', { cause: new AggregateError([error]) });
    expect(classifyTunnel({ error: deep })).toEqual(expected);
  });
});

describe('an error of many', () => {
  it('is judged by the nearest code that is known', () => {
    expect(classifyTunnel({ error: withCode('E_OWN', { cause: withCode('ECONNREFUSED') }) })).toEqual(BROKEN);
    const both = new AggregateError([withCode('CERT_HAS_EXPIRED'), withCode('ECONNREFUSED')]);
    expect(classifyTunnel({ error: both }).tunnel).toBe('tls_error');
    const near = withCode('UND_ERR_HEADERS_TIMEOUT', { cause: withCode('ECONNRESET') });
    expect(classifyTunnel({ error: near }).tunnel).toBe('app_error');
  });

  it('may be its own cause', () => {
    const error: Error & { cause?: unknown } = withCode('E_OWN');
    error.cause = error;
    expect(classifyTunnel({ error })).toEqual(UNKNOWN);
  });

  it('may have getters that throw', () => {
    const error = {
      get code(): string {
        throw new Error('no');
      },
      cause: withCode('ECONNRESET'),
    };
    expect(classifyTunnel({ error })).toEqual(BROKEN);
  });
});

describe.each([
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'tls_error'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'tls_error'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'tls_error'],
  ['CERT_NOT_YET_VALID', 'tls_error'],
  ['EPROTO', 'tls_error'],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'tls_error'],
  ['EAI_FAIL', 'tunnel_error'],
  ['ESERVFAIL', 'tunnel_error'],
  ['EPIPE', 'tunnel_error'],
  ['UND_ERR_SOCKET', 'tunnel_error'],
  ['UND_ERR_BODY_TIMEOUT', 'app_error'],
  ['EADDRNOTAVAIL', 'unknown'],
  ['HPE_INVALID_CONSTANT', 'unknown'],
])('%s', (code, tunnel) => {
  it(`is ${tunnel}`, () => {
    expect(classifyTunnel({ error: code })).toEqual({ tunnel, recreate: tunnel === 'tunnel_error' });
  });
});

describe('properties', () => {
  it('every status has one meaning, and only 530 may mend by a new tunnel', () => {
    fc.assert(
      fc.property(fc.integer({ min: 100, max: 599 }), (status) => {
        const { tunnel, recreate } = classifyTunnel({ status });
        expect(recreate).toBe(status === 530);
        const expected = status < 200 ? 'unknown' : status < 400 ? 'healthy' : 'app_error';
        expect(tunnel).toBe(status === 530 ? 'tunnel_error' : expected);
      }),
    );
  });

  it('no value makes it throw, and nothing unheard of recreates a tunnel', () => {
    fc.assert(
      fc.property(fc.anything({ withNullPrototype: true, maxDepth: 4 }), (error) => {
        expect(classifyTunnel({ error })).toEqual(UNKNOWN);
      }),
    );
  });

  it('a known code is found however deep it lies', () => {
    const wrap = fc.constantFrom(
      (inner: unknown) => new Error('outer', { cause: inner }),
      (inner: unknown) => new AggregateError([new Error('other'), inner]),
      (inner: unknown) => Object.assign(new Error('coded', { cause: inner }), { code: 'E_OTHER' }),
    );
    fc.assert(
      fc.property(fc.array(wrap, { maxLength: 12 }), (wraps) => {
        const error = wraps.reduce<unknown>((inner, outer) => outer(inner), withCode('ENOTFOUND'));
        expect(classifyTunnel({ error })).toEqual(BROKEN);
      }),
    );
  });
});
