import { describe, expect, it } from 'vitest';
import { healthPaths } from '../../src/http/index.js';
import { PathTable } from '../../src/http/paths.js';

const DEFAULTS = { liveness: '/livez', readiness: '/readyz', status: '/status' };

describe('the effective paths', () => {
  it('are these by default', () => {
    expect(healthPaths()).toEqual(DEFAULTS);
    expect(Object.isFrozen(healthPaths())).toBe(true);
  });

  // Case 61: each spelling of a prefix gave another URL.
  it.each(['', '/', '//'])('are the same for the basePath %j', (basePath) => {
    expect(healthPaths({ basePath })).toEqual(DEFAULTS);
  });

  it.each(['health', '/health', '/health/', 'health/', '//health//'])(
    'are the same for the basePath %j',
    (basePath) => {
      expect(healthPaths({ basePath }).readiness).toBe('/health/readyz');
    },
  );

  it('begin with the prefix of the framework, then the basePath', () => {
    expect(healthPaths({ basePath: 'b/', paths: { status: 's', liveness: false } }, '/api/')).toEqual({
      liveness: false,
      readiness: '/api/b/readyz',
      status: '/api/b/s',
    });
  });

  it('may be the basePath itself', () => {
    expect(healthPaths({ basePath: 'health', paths: { status: '' } }).status).toBe('/health');
  });

  it.each([
    [{ basePath: '/a?b' }, 'healthPaths(): option "basePath": expected a path'],
    [{ basePath: '/a b' }, 'option "basePath"'],
    [{ basePath: '/%61' }, 'option "basePath"'],
    [{ basePath: '/../a' }, 'option "basePath"'],
    [{ basePath: 5 }, 'option "basePath"'],
    [{ paths: { liveness: '/' } }, 'option "paths"."liveness": expected a path with at least one segment, got "/"'],
    [{ paths: { liveness: true } }, 'option "paths": option "liveness": expected false or a path'],
    [{ paths: { lifeness: '/x' } }, 'unknown option "lifeness"'],
    [
      { paths: { liveness: '/x', readiness: 'X/' } },
      'option "paths"."readiness": expected another path than "liveness"',
    ],
  ])('refuse %j', (options, sentence) => {
    const wrong = () => healthPaths(options as never);
    expect(wrong).toThrow(sentence);
    expect(wrong).toThrow(expect.objectContaining({ code: 'invalid_option' }));
  });

  it('refuse a prefix that is no path', () => {
    expect(() => healthPaths({}, '/a?b')).toThrow('healthPaths(): the prefix: expected a path');
  });
});

describe('a request target', () => {
  const table = new PathTable(healthPaths({ basePath: '/h' }));
  const asked = (target: string) => {
    const found = table.match(target);
    return found && [found.kind, found.entry, found.query];
  };

  it.each([
    ['/h/livez', ['liveness', undefined, '']],
    ['/h/readyz', ['readiness', undefined, '']],
    ['/h/status', ['status', undefined, '']],
    ['/h/readyz?', ['readiness', undefined, '']],
    ['/h/readyz?a=b?c', ['readiness', undefined, 'a=b?c']],
    ['/h/readyz/', ['readiness', undefined, '']],
    ['//H///ReadyZ//', ['readiness', undefined, '']],
    ['/%68/%72eadyz', ['readiness', undefined, '']],
    ['http://example.com:80/h/readyz?x', ['readiness', undefined, 'x']],
    ['HTTPS://example.com/h/readyz/db', ['readiness', 'db', '']],
    ['/h/readyz/db', ['readiness', 'db', '']],
    ['/h/readyz//db/', ['readiness', 'db', '']],
    ['/h/readyz/a/b', ['readiness', 'a/b', '']],
    ['/h/readyz/a%2Fb%2f', ['readiness', 'a/b/', '']],
    ['/h/readyz/a+b', ['readiness', 'a+b', '']],
    ['/h/readyz/%C3%BC', ['readiness', 'ü', '']],
    ['/h/readyz/100%', ['readiness', '100%', '']],
    ['/h/readyz/%FF', ['readiness', '%FF', '']],
    ['/h/readyz/..', ['readiness', '..', '']],
    ['/h/readyz/\n', ['readiness', '\n', '']],
  ])('%j asks for %j', (target, expected) => {
    expect(asked(target)).toEqual(expected);
  });

  it.each([
    '',
    '/',
    '*',
    'h/readyz',
    '/readyz',
    '/h',
    '/h/',
    '/h/readyzz',
    '/h/readyz.json',
    '/h/readyz%2Fdb',
    '/hh/readyz',
    '/x/h/readyz',
    '/h/readyz;a',
    'example.com:443',
    'http://h/readyz',
    'http://h?/h/readyz',
    'http://h',
    '://h/h/readyz',
    '?x://h/h/readyz',
    '/?/h/readyz',
  ])('%j is not ours', (target) => {
    expect(asked(target)).toBeUndefined();
  });

  it('that lies within two paths asks for the longer one', () => {
    const within = new PathTable(
      healthPaths({ paths: { status: '/health', readiness: '/health/ready', liveness: false } }),
    );
    expect(within.match('/health/ready/db')).toMatchObject({ kind: 'readiness', entry: 'db' });
    expect(within.match('/health/db')).toMatchObject({ kind: 'status', entry: 'db' });
    expect(within.match('/livez')).toBeUndefined();
  });

  it('is none of ours where every path is false', () => {
    const none = new PathTable(healthPaths({ paths: { status: false, readiness: false, liveness: false } }));
    for (const target of ['', '/', '/readyz']) expect(none.match(target)).toBeUndefined();
  });

  it('with characters that mean something in a pattern is taken literally', () => {
    const odd = new PathTable(healthPaths({ basePath: '/a.b(c)*+$' }));
    expect(odd.match('/a.b(c)*+$/livez')).toMatchObject({ kind: 'liveness' });
    expect(odd.match('/aXb(c)*+$/livez')).toBeUndefined();
  });
});
