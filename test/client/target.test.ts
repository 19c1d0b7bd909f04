import { describe, expect, it } from 'vitest';
import { readTarget } from '../../src/client/target.js';

const target = (url: unknown, more: { webSocketUrl?: unknown; passive?: boolean; wantsSocket?: boolean } = {}) =>
  readTarget('here', { url, webSocketUrl: undefined, passive: false, wantsSocket: true, ...more });

describe('where an instance is', () => {
  it.each([
    ['https://w.test', 'https://w.test/api/health', 'wss://w.test/api/health/ws'],
    ['https://w.test/', 'https://w.test/api/health', 'wss://w.test/api/health/ws'],
    ['http://w.test:8080/x/health', 'http://w.test:8080/x/health', 'ws://w.test:8080/x/health/ws'],
    ['http://w.test/api/health/?a=1#top', 'http://w.test/api/health/?a=1', 'ws://w.test/api/health/ws?a=1'],
    [new URL('http://[::1]:1'), 'http://[::1]:1/api/health', 'ws://[::1]:1/api/health/ws'],
  ])('%s', (url, httpUrl, socketUrl) => {
    expect(target(url)).toEqual({ httpUrl, socketUrl, shown: httpUrl, authorization: undefined });
  });

  it('is asked passively by a parameter, beside those that are there', () => {
    const { httpUrl, socketUrl } = target('http://w.test/h?a=1', { passive: true });
    expect(httpUrl).toBe('http://w.test/h?a=1&passive=1');
    expect(socketUrl).toBe('ws://w.test/h/ws?a=1&passive=1');
    expect(target('http://w.test/h', { webSocketUrl: 'ws://s.test/stream', passive: true }).socketUrl).toBe(
      'ws://s.test/stream?passive=1',
    );
  });

  it('may have its WebSocket elsewhere, or none', () => {
    expect(target('http://w.test', { webSocketUrl: new URL('wss://s.test/x#y') }).socketUrl).toBe('wss://s.test/x');
    expect(target('http://w.test', { wantsSocket: false }).socketUrl).toBeUndefined();
  });
});

describe('credentials', () => {
  it('go from the URL into a header, and are shown nowhere', () => {
    const found = target('https://us%20er:p%C3%A4ss%zz@w.test');
    expect(found.authorization).toBe(`Basic ${Buffer.from('us er:p%C3%A4ss%zz').toString('base64')}`);
    expect(target('https://u:p%C3%A4ss@w.test').authorization).toBe(
      `Basic ${Buffer.from('u:päss').toString('base64')}`,
    );
    expect(JSON.stringify([found.httpUrl, found.socketUrl, found.shown])).not.toMatch(/us|%|@/);
  });

  it.each(['token', 'api_key', 'PASSWORD', 'access-token', 'sig', 'client_secret'])(
    'of the parameter %s are not shown',
    (name) => {
      const { httpUrl, shown } = target(`https://w.test/h?${name}=s3cret&x=1&${name}=again`);
      expect(httpUrl).toContain('s3cret');
      expect(shown).toBe(`https://w.test/h?${name}=***&x=1`);
    },
  );
});

it.each([
  [undefined],
  [''],
  ['worker.test/s3cret'],
  ['ws://s3cret@w.test'],
  ['file:///s3cret'],
  [7],
  [{}],
  ['http://'],
])('%j is refused, and not shown', (url) => {
  expect(() => target(url)).toThrow(
    expect.objectContaining({
      code: 'invalid_option',
      message: 'here: option "url": expected an absolute URL that begins with http: or https:, got something else',
    }),
  );
});

it.each([['http://w.test'], [7], [''], ['ws://user:s3cret@w.test']])(
  'the WebSocket URL %j is refused',
  (webSocketUrl) => {
    expect(() => target('http://w.test', { webSocketUrl })).toThrow(
      expect.objectContaining({ code: 'invalid_option', message: expect.not.stringContaining('s3cret') }),
    );
  },
);
