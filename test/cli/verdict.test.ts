import { describe, expect, it } from 'vitest';
import { answered, failed, timedOut } from '../../src/cli/verdict.js';

const OK = [{ from: 200, to: 299 }];

describe('an answer', () => {
  it.each([
    [200, OK, true, 'HTTP 200 in 12 ms'],
    [299, OK, true, 'HTTP 299 in 12 ms'],
    [199, OK, false, 'HTTP 199, expected 200-299'],
    [503, OK, false, 'HTTP 503, expected 200-299'],
    [302, OK, false, 'HTTP 302, expected 200-299; redirects are not followed'],
    [401, [{ from: 401, to: 401 }, ...OK], true, 'HTTP 401 in 12 ms'],
    [500, [{ from: 401, to: 401 }, ...OK], false, 'HTTP 500, expected 401,200-299'],
  ])('of %i with %j', (status, expected, healthy, text) => {
    expect(answered(status, expected, 11.6)).toEqual({ healthy, text });
  });
});

describe('a failure', () => {
  it.each([
    ['ECONNREFUSED', 'connection refused'],
    ['ENOTFOUND', 'host name was not found'],
    ['HPE_INVALID_CONSTANT', 'response is not valid HTTP/1.1 (HPE_INVALID_CONSTANT)'],
    ['HPE_HEADER_OVERFLOW', 'response headers are too large'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'certificate is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT)'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'certificate is not trusted (ERR_TLS_CERT_ALTNAME_INVALID)'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'certificate is not trusted (UNABLE_TO_VERIFY_LEAF_SIGNATURE)'],
    ['EPROTO', 'TLS handshake failed (EPROTO)'],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'TLS handshake failed (ERR_SSL_WRONG_VERSION_NUMBER)'],
    ['EMFILE', 'connection failed (EMFILE)'],
    [undefined, 'connection failed'],
  ])('with the code %s', (code, text) => {
    expect(failed(code)).toEqual({ healthy: false, text });
  });

  it('by the deadline', () => {
    expect(timedOut(900)).toEqual({ healthy: false, text: 'timed out after 900 ms' });
  });
});
