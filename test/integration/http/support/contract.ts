import { Agent } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import type { HealthReporter } from '../../../../src/http/index.js';
import { Controller, degraded, healthy, unhealthy } from '../../../../src/index.js';
import { type Answer, ask } from './ask.js';
import { type CommonOptions, type Mount, type Mounted, PAGE } from './mounts.js';

const SECRET = 'connect ECONNREFUSED postgres://app:s3cret@10.0.0.5:5432/db';

/** What holds for the endpoints however they are mounted. */
export function contract(mounts: readonly (readonly [name: string, mount: Mount])[]): void {
  describe.each(mounts)('%s', (_name, mount) => {
    const closers: (() => Promise<unknown>)[] = [];
    afterEach(async () => {
      for (const close of closers.splice(0).reverse()) await close();
    });

    async function serve(reporter: HealthReporter, options: CommonOptions = {}, prefix?: string): Promise<Mounted> {
      const mounted = await mount(reporter, options, prefix);
      closers.push(() => mounted.close());
      return mounted;
    }

    function running(fill: (controller: Controller) => void = () => {}, drainDelayMs = 0): Controller {
      const controller = new Controller({ drainDelayMs });
      fill(controller);
      controller.start();
      closers.push(() => controller.stop());
      return controller;
    }

    const withDb = (controller: Controller) => {
      controller.register('api', {});
      controller.registerCheck({ name: 'db', check: () => unhealthy(SECRET) });
    };

    it('answers 200 when healthy and 503 when not, with the report', async () => {
      const { origin } = await serve(running(withDb));
      const live = await ask(origin, '/livez');
      expect(live.status).toBe(200);
      expect(live.body).toBe(
        '{"overallHealthy":true,"state":"running","services":[{"name":"api","kind":"service","status":"OK"}]}',
      );
      const ready = await ask(origin, '/readyz');
      expect(ready.status).toBe(503);
      expect(ready.body).toBe(
        '{"overallHealthy":false,"state":"running","services":[' +
          '{"name":"api","kind":"service","status":"OK"},{"name":"db","kind":"check","status":"ERROR","reason":"failed"}]}',
      );
      expect((await ask(origin, '/status')).body).toBe(ready.body);
    });

    // Case 60: the slash fell through to a page with 200.
    it.each([
      '/readyz/',
      '/readyz//',
      '/readyz?x=1',
      '/readyz/?x',
      '/READYZ',
      '//readyz',
      '///ReadyZ//?a=b',
      '/%72eady%7A',
    ])('gives %s the verdict of /readyz, and never a redirect', async (path) => {
      const { origin } = await serve(running(withDb));
      const { status, body } = await ask(origin, path);
      expect([status, body]).toEqual([503, (await ask(origin, '/readyz')).body]);
    });

    it('leaves every other path to the application', async () => {
      const { origin } = await serve(running());
      for (const path of ['/', '/readyzz', '/xreadyz', '/a/readyz', '/ready', '/readyz.html', '/statuses']) {
        const { status, body, headers } = await ask(origin, path);
        expect([path, status, body]).toEqual([path, 200, PAGE]);
        expect(headers['x-content-type-options']).toBeUndefined();
        expect(headers['cache-control']).toBeUndefined();
      }
    });

    it('has a path for each entry, by its name in whatever encoding, and 404 for what is none', async () => {
      const controller = running((own) => {
        own.registerCheck({ name: 'db', check: () => unhealthy(SECRET) });
        own.registerCheck({ name: 'a/b', check: () => healthy() });
        own.registerCheck({ name: 'host:5432', check: () => healthy() });
        own.registerCheck({ name: '100% ünï', check: () => healthy() });
        own.registerCheck({ name: '__proto__', check: () => healthy() });
        own.registerCheck({ name: 'live', type: 'liveness', check: () => healthy() });
      });
      const { origin } = await serve(controller);
      const found = async (path: string) => {
        const { status, body } = await ask(origin, path);
        return status === 404
          ? status
          : [status, ...JSON.parse(body).services.map(({ name }: { name: string }) => name)];
      };
      expect(await found('/readyz/db')).toEqual([503, 'db']);
      expect(await found('/readyz/db/')).toEqual([503, 'db']);
      expect(await found('/readyz/db?exclude=db')).toEqual([503, 'db']);
      expect(await found('/readyz/a%2Fb')).toEqual([200, 'a/b']);
      expect(await found('/readyz/a%2fb/')).toEqual([200, 'a/b']);
      expect(await found('/readyz/a/b')).toEqual([200, 'a/b']);
      expect(await found('/readyz/host:5432')).toEqual([200, 'host:5432']);
      expect(await found('/readyz/host%3A5432')).toEqual([200, 'host:5432']);
      expect(await found(`/readyz/${encodeURIComponent('100% ünï')}`)).toEqual([200, '100% ünï']);
      expect(await found('/readyz/__proto__')).toEqual([200, '__proto__']);
      expect(await found('/livez/live')).toEqual([200, 'live']);
      for (const path of ['/livez/db', '/readyz/live', '/readyz/DB', '/readyz/details', '/readyz/db/x']) {
        expect([path, await found(path)]).toEqual([path, 404]);
      }
    });

    // Case 59: HEAD gave 404 or 405.
    it('answers HEAD with the status and headers of GET and no body, and the connection goes on', async () => {
      const { origin } = await serve(running(withDb));
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      closers.push(async () => agent.destroy());
      const ofAnswer = ({ status, headers: { date, ...headers } }: Answer) => ({ status, headers });
      for (const path of [
        '/livez',
        '/readyz',
        '/status',
        '/readyz/db',
        '/readyz/none',
        '/readyz?format=text',
        '/readyz?format=no',
      ]) {
        const get = await ask(origin, path, { agent });
        const head = await ask(origin, path, { agent, method: 'HEAD' });
        expect(head.body).toBe('');
        expect(ofAnswer(head)).toEqual(ofAnswer(get));
        expect(Number(head.headers['content-length'])).toBe(Buffer.byteLength(get.body));
        expect((await ask(origin, '/livez', { agent })).reused).toBe(true);
      }
    });

    it.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])(
      'answers %s with 405, and the connection goes on',
      async (method) => {
        const { origin } = await serve(running());
        const agent = new Agent({ keepAlive: true, maxSockets: 1 });
        closers.push(async () => agent.destroy());
        const body = method === 'OPTIONS' ? '' : '{"a":1}';
        const headers = { 'content-type': 'application/json', 'content-length': String(body.length) };
        for (const path of ['/readyz', '/readyz/', '/READYZ', '/readyz/none']) {
          const answer = await ask(origin, path, { agent, method, headers, body });
          expect([path, answer.status]).toEqual([path, 405]);
          expect(answer.headers).toMatchObject({ allow: 'GET, HEAD', 'cache-control': 'no-store' });
        }
        expect(await ask(origin, '/readyz', { agent })).toMatchObject({ status: 200, reused: true });
      },
    );

    // Case 62: a 304 or a cached answer hid the state.
    it('is never cached and never 304', async () => {
      const { origin } = await serve(running(withDb));
      for (const path of ['/livez', '/readyz', '/readyz/none']) {
        for (const method of ['GET', 'HEAD']) {
          const headers = { 'if-none-match': '*', 'if-modified-since': new Date(Date.now() + 1e6).toUTCString() };
          const answer = await ask(origin, path, { method, headers });
          expect(answer.status).not.toBe(304);
          expect(answer.headers.etag).toBeUndefined();
          expect(answer.headers['last-modified']).toBeUndefined();
          expect(answer.headers).toMatchObject({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
        }
      }
    });

    // Case 67: a body that changes every time floods the consumer.
    it('gives the same bytes twice', async () => {
      const controller = running((own) => {
        own.register('api', {});
        own.registerCheck({ name: 'sync', check: async () => healthy('fine', { at: performance.now() }) });
        own.registerCheck({ name: 'polled', check: () => healthy(), intervalMs: 60_000 });
      });
      await controller.whenReady();
      const { origin } = await serve(controller);
      for (const path of ['/readyz', '/readyz?format=health', '/readyz?format=text&verbose', '/status/sync']) {
        expect((await ask(origin, path)).body).toBe((await ask(origin, path)).body);
      }
    });

    it('writes a long answer whole, whatever its characters, and its length', async () => {
      const names = Array.from({ length: 300 }, (_, i) => `ünï-${i}`);
      const { origin } = await serve(
        running((own) => names.forEach((name) => void own.registerCheck({ name, check: () => true }))),
      );
      const answer = await ask(origin, '/readyz');
      expect(JSON.parse(answer.body).services.map(({ name }: { name: string }) => name)).toEqual(names);
      expect(Number(answer.headers['content-length'])).toBe(Buffer.byteLength(answer.body));
      expect((await ask(origin, '/readyz', { method: 'HEAD' })).headers['content-length']).toBe(
        answer.headers['content-length'],
      );
    });

    it('writes what Accept or the query asks for, and 406 where it has no such format', async () => {
      const { origin } = await serve(running(withDb));
      const type = async (path: string, accept?: string) => {
        const { status, headers } = await ask(origin, path, accept === undefined ? {} : { headers: { accept } });
        return `${status} ${headers['content-type']}`;
      };
      const json = '200 application/json; charset=utf-8';
      expect(await type('/livez')).toBe(json);
      expect(await type('/livez', '*/*')).toBe(json);
      expect(await type('/livez', 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8')).toBe(json);
      expect(await type('/livez', 'text/plain')).toBe('200 text/plain; charset=utf-8');
      expect(await type('/livez', 'application/json;q=0.5, application/health+json')).toBe(
        '200 application/health+json',
      );
      expect(await type('/livez?format=health', 'text/plain')).toBe('200 application/health+json');
      expect(await type('/livez?format=health+json')).toBe('200 application/health+json');
      expect(await type('/livez?format=text')).toBe('200 text/plain; charset=utf-8');
      const refused = await ask(origin, '/livez?format=xml');
      expect(refused.status).toBe(406);
      expect(refused.body).toContain('application/health+json');
      expect(await type('/livez', 'image/png')).toMatch(/^406/);
    });

    it('writes text as the Kubernetes API server does, byte for byte', async () => {
      const { origin } = await serve(running(withDb));
      const text = async (path: string) => (await ask(origin, path, { headers: { accept: 'text/plain' } })).body;
      expect(await text('/livez')).toBe('ok');
      expect(await text('/livez?verbose')).toBe('[+]api ok\nlivez check passed\n');
      expect(await text('/readyz')).toBe('[+]api ok\n[-]db failed: reason withheld\nreadyz check failed\n');
      expect(await text('/readyz?exclude=db')).toBe('ok');
      expect(await text('/readyz?verbose&exclude=db&exclude=b&exclude=a')).toBe(
        '[+]api ok\n[+]db excluded: ok\nwarn: some health checks cannot be excluded: no matches for "a","b"\nreadyz check passed\n',
      );
      expect(await text('/readyz/db')).toBe('[-]db failed: reason withheld\nreadyz check failed\n');
      expect(await text('/readyz/api')).toBe('ok');
    });

    it('writes health+json', async () => {
      const controller = running((own) => {
        own.register('api', {});
        own.registerCheck({ name: 'host:5432', check: () => degraded('slow', undefined, 'slow') });
      });
      const { origin } = await serve(controller);
      const { status, body } = await ask(origin, '/readyz?format=health');
      expect([status, JSON.parse(body)]).toEqual([
        200,
        {
          status: 'warn',
          checks: {
            'api:responseTime': [{ componentType: 'component', status: 'pass' }],
            'host%3A5432:responseTime': [{ componentType: 'component', status: 'warn', reason: 'slow' }],
          },
        },
      ]);
    });

    it('leaves out what is excluded, in the verdict too', async () => {
      const { origin } = await serve(running(withDb));
      const { status, body } = await ask(origin, '/readyz?exclude=db&exclude=none');
      expect([status, JSON.parse(body).services.length]).toEqual([200, 1]);
    });

    // Cases 88 and 89.
    it('is not ready from the very moment of stop(), and alive to its end', async () => {
      const controller = running((own) => own.register('api', {}), 300);
      const { origin } = await serve(controller);
      expect((await ask(origin, '/readyz')).status).toBe(200);
      const stopped = controller.stop();
      const draining = await ask(origin, '/readyz');
      expect([draining.status, JSON.parse(draining.body)]).toMatchObject([
        503,
        { reason: 'draining', state: 'stopping' },
      ]);
      expect((await ask(origin, '/livez')).status).toBe(200);
      expect((await ask(origin, '/readyz?format=text')).body).toBe(
        '[+]api ok\n[-]lifecycle failed: reason withheld\nreadyz check failed\n',
      );
      await stopped;
      expect(JSON.parse((await ask(origin, '/readyz')).body).reason).toBe('stopped');
      expect((await ask(origin, '/livez')).status).toBe(200);
    });

    // Case 65: error texts leak hosts and credentials.
    it('shows details only where the policy allows them, on the paths of entries too, and never a password', async () => {
      const details = ({ headers }: { headers: unknown }) => {
        const { get } = headers as Headers;
        const who =
          typeof get === 'function' ? get.call(headers, 'x-who') : (headers as Record<string, string>)['x-who'];
        return who === 'operator';
      };
      const { origin } = await serve(running(withDb), { details });
      for (const path of ['/readyz', '/readyz/db', '/status', '/readyz?format=health', '/readyz?format=text']) {
        const anonymous = (await ask(origin, path)).body;
        expect(anonymous).not.toMatch(/ECONNREFUSED|10\.0\.0\.5|s3cret|durationMs|checkedAt/);
        const allowed = (await ask(origin, path, { headers: { 'x-who': 'operator' } })).body;
        expect(allowed).toContain('connect ECONNREFUSED postgres://***@10.0.0.5:5432/db');
        expect(allowed).not.toContain('s3cret');
      }
    });

    it.each(['', '/', 'health', '/health', '/health/', '//health//', '/a/b', 'a/b/'])(
      'takes %j for a basePath',
      async (basePath) => {
        const { origin } = await serve(running(), { basePath });
        const base = `/${basePath.split('/').filter(Boolean).join('/')}`.replace(/\/$/, '');
        expect((await ask(origin, `${base}/readyz`)).status).toBe(200);
        expect((await ask(origin, `${base}/readyz`)).body).not.toBe(PAGE);
        if (base !== '') expect((await ask(origin, '/readyz')).body).toBe(PAGE);
      },
    );

    // Case 61: a prefix moved the URL.
    it('stands below a prefix of the framework, with its own basePath after it', async () => {
      const { origin } = await serve(running(withDb), { basePath: 'health' }, '/api');
      for (const path of ['/api/health/readyz', '/api/health/readyz/', '/api//health//readyz', '/API/Health/ReadyZ']) {
        expect([path, (await ask(origin, path)).status]).toEqual([path, 503]);
      }
      expect((await ask(origin, '/api/health/readyz/db')).status).toBe(503);
      expect((await ask(origin, '/health/readyz')).body).toBe(PAGE);
    });

    it('takes other paths and codes, and leaves out what is false', async () => {
      const controller = running((own) => own.registerCheck({ name: 'd', type: 'both', check: () => degraded('x') }));
      const { origin } = await serve(controller, {
        paths: { liveness: '/health', readiness: 'health/ready', status: false },
        codes: { degraded: 218 },
      });
      expect((await ask(origin, '/health')).status).toBe(218);
      expect((await ask(origin, '/health/ready/d')).status).toBe(218);
      expect((await ask(origin, '/health/d')).status).toBe(218);
      for (const path of ['/status', '/livez', '/readyz']) expect((await ask(origin, path)).body).toBe(PAGE);
    });

    // Case 24, and the kinds around it: never 500.
    it('answers 503 for checks that throw and reporters that fail', async () => {
      const throwing = running((own) => {
        own.registerCheck({
          name: 'x',
          check: () => {
            throw new Error('x');
          },
        });
      });
      expect((await ask((await serve(throwing)).origin, '/readyz')).status).toBe(503);
      const failing = {
        status: () => Promise.reject(new Error(SECRET)),
        liveness: () => {
          throw new Error(SECRET);
        },
        readiness: () => ({ overallHealthy: true }),
      } as unknown as HealthReporter;
      const { origin } = await serve(failing, { details: 'always' });
      for (const path of ['/status', '/livez', '/readyz', '/readyz/x', '/readyz?exclude=x']) {
        const { status, body } = await ask(origin, path);
        expect([status, body]).toEqual([
          503,
          '{"overallHealthy":false,"state":"unknown","reason":"report_failed","services":[]}',
        ]);
      }
    });

    // Case 35: a client that goes away is no failure of a check.
    it('is not disturbed by clients that go away', async () => {
      let finish = (): void => {};
      let runs = 0;
      const controller = running((own) => {
        own.registerCheck({
          name: 'slow',
          check: () => {
            runs++;
            return new Promise<void>((resolve) => {
              finish = resolve;
            });
          },
        });
      });
      const { origin } = await serve(controller);
      const gone = new AbortController();
      const left = fetch(`${origin}/readyz`, { signal: gone.signal }).catch((error: Error) => error.name);
      const stays = ask(origin, '/readyz');
      await expect.poll(() => runs).toBe(1);
      gone.abort();
      expect(await left).toBe('AbortError');
      finish();
      expect((await stays).status).toBe(200);
      expect(runs).toBe(1);
    });

    it('gives no false green for a path that cannot be decoded', async () => {
      const { origin } = await serve(running());
      // Fastify itself refuses such a path.
      for (const path of ['/readyz/%zz', '/readyz/%', '/readyz/%FF']) {
        expect([404, 400]).toContain((await ask(origin, path)).status);
      }
    });

    it('is not impressed by huge and odd queries', async () => {
      const { origin } = await serve(running(withDb));
      const odd = [
        '%',
        '%zz=%',
        '&&&',
        '=',
        '=&=',
        'verbose=%FF',
        'exclude',
        'exclude=%FF%FE',
        '__proto__=1',
        '?x?y',
        'a'.repeat(12_000),
      ];
      for (const query of [...odd, Array.from({ length: 1000 }, (_, i) => `exclude=${i}`).join('&')]) {
        const { status } = await ask(origin, `/readyz?${query}`);
        expect([query.slice(0, 20), status]).toEqual([query.slice(0, 20), 503]);
      }
      const { body } = await ask(origin, '/readyz?format=text&exclude=%0A[%2B]fake%20ok%0A%22%3Cscript%3E%E2%80%AE');
      expect(body).toBe(
        '[+]api ok\n[-]db failed: reason withheld\n' +
          'warn: some health checks cannot be excluded: no matches for "\\u{a}[+]fake ok\\u{a}\\"<script>\\u{202e}"\nreadyz check failed\n',
      );
    });
  });
}
