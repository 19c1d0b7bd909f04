import { describe, expect, it } from 'vitest';
import { bearerToken, fromLoopback } from '../../src/http/index.js';

describe('fromLoopback', () => {
  const from = (remoteAddress: string | undefined, headers: Record<string, string> = {}) =>
    fromLoopback()({ headers, socket: { remoteAddress } });

  it.each(['127.0.0.1', '127.1.2.3', '::1', '::ffff:127.0.0.1', '::FFFF:127.0.0.1'])('lets %s see', (address) => {
    expect(from(address)).toBe(true);
  });

  it.each(['10.0.0.1', '128.0.0.1', '::2', '::ffff:10.0.0.1', '1127.0.0.1', '127.0.0.1.example.com', '', undefined])(
    'does not let %s see',
    (address) => {
      expect(from(address)).toBe(false);
    },
  );

  it.each(['forwarded', 'x-forwarded-for', 'x-real-ip', 'via'])(
    'lets nobody see through a proxy that sends %s',
    (name) => {
      expect(from('127.0.0.1', { [name]: '127.0.0.1' })).toBe(false);
    },
  );

  it('lets nobody see whose socket is not shown', () => {
    expect(fromLoopback()(new Request('http://localhost/readyz'))).toBe(false);
    expect(fromLoopback()({ headers: {}, socket: null })).toBe(false);
  });
});

describe('bearerToken', () => {
  const policy = bearerToken('first-secret', 'second-secret==');

  it.each([
    ['Bearer first-secret', true],
    ['bearer first-secret', true],
    ['Bearer  second-secret== ', true],
    ['Bearer first-secreT', false],
    ['Bearer first-secre', false],
    ['Bearer first-secretfirst-secret', false],
    ['Bearer second-secret', false],
    ['Bearer ', false],
    ['Bearer', false],
    ['Basic first-secret', false],
    ['first-secret', false],
    ['Bearer first-secret second-secret==', false],
    ['', false],
  ])('takes %j for %s', (authorization, expected) => {
    expect(policy({ headers: { authorization } })).toBe(expected);
    expect(policy(new Request('http://h', { headers: { authorization } }))).toBe(expected);
  });

  it('takes no header for no', () => {
    expect(policy({ headers: {} })).toBe(false);
    expect(policy(new Request('http://h'))).toBe(false);
  });

  it('is not led astray by a header that is called get', () => {
    expect(policy({ headers: { get: 'x', authorization: 'Bearer first-secret' } })).toBe(true);
  });

  it.each([[], [''], ['with space'], ['ünï'], ['ok', ''], [5 as never]])(
    'refuses the secrets %j, and does not show them',
    (...secrets) => {
      const wrong = () => bearerToken(...(secrets as unknown as [string]));
      expect(wrong).toThrow(expect.objectContaining({ code: 'invalid_option' }));
      expect(wrong).not.toThrow('with space');
    },
  );
});
