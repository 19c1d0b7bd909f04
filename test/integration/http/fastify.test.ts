import fastify, { type FastifyInstance, type FastifyServerOptions } from 'fastify';
import fastify4 from 'fastify4';
import { afterEach, describe, expect, it } from 'vitest';
import { healthPlugin } from '../../../src/http/fastify.js';
import { Controller, unhealthy } from '../../../src/index.js';
import { ask } from './support/ask.js';

const versions: readonly [string, (options?: FastifyServerOptions) => FastifyInstance][] = [
  ['5', (options) => fastify(options)],
  ['4', (options) => fastify4(options as object) as unknown as FastifyInstance],
];

describe.each(versions)('in Fastify %s', (_version, make) => {
  const apps: FastifyInstance[] = [];
  const controller = new Controller();
  controller.registerCheck({ name: 'db', check: () => unhealthy('down') });
  controller.start();

  afterEach(async () => {
    for (const app of apps.splice(0)) {
      app.server.closeAllConnections();
      await app.close();
    }
  });

  async function serve(fill: (app: FastifyInstance) => unknown, options?: FastifyServerOptions): Promise<string> {
    const app = make(options);
    apps.push(app);
    await fill(app);
    return app.listen({ port: 0, host: '127.0.0.1' });
  }

  // Case 60, where the page is a plugin of its own that was there first.
  it('a catch-all of a plugin registered earlier does not answer for it', async () => {
    const origin = await serve(async (app) => {
      await app.register(async (child) => {
        child.get('/*', async () => 'page');
      });
      await app.register(healthPlugin, { reporter: controller });
    });
    for (const path of ['/readyz', '/readyz/', '/readyz?x', '/readyz/db', '/status/db/']) {
      expect([path, (await ask(origin, path)).status]).toEqual([path, 503]);
    }
    expect((await ask(origin, '/other')).body).toBe('page');
  });

  it('a not-found page does not answer for it either, in whatever spelling', async () => {
    const origin = await serve(async (app) => {
      await app.register(healthPlugin, { reporter: controller });
      app.setNotFoundHandler((_request, reply) => reply.code(200).send('page'));
    });
    for (const path of ['/READYZ', '//readyz', '/readyz//', '/ReadyZ/db']) {
      expect([path, (await ask(origin, path)).status]).toEqual([path, 503]);
    }
    expect((await ask(origin, '/other')).body).toBe('page');
  });

  it('belongs to the instance that it is registered with', async () => {
    const origin = await serve((app) =>
      app.register(
        async (child) => {
          await child.register(healthPlugin, { reporter: controller, prefix: '/deep' });
        },
        { prefix: '/api' },
      ),
    );
    expect((await ask(origin, '/api/deep/readyz/db')).status).toBe(503);
    for (const path of ['/readyz', '/api/readyz', '/deep/readyz']) expect((await ask(origin, path)).status).toBe(404);
  });

  it('may be registered twice, with paths of their own', async () => {
    const origin = await serve(async (app) => {
      await app.register(healthPlugin, { reporter: controller });
      await app.register(healthPlugin, { reporter: controller, prefix: '/internal', details: 'always' });
    });
    expect((await ask(origin, '/readyz')).body).not.toContain('down');
    expect((await ask(origin, '/internal/readyz')).body).toContain('down');
  });

  it('registered twice with the same paths is an error of Fastify', async () => {
    const both = serve(async (app) => {
      await app.register(healthPlugin, { reporter: controller });
      await app.register(healthPlugin, { reporter: controller });
    });
    await expect(both).rejects.toThrow(/already declared/);
  });

  it('with an option that is wrong fails the start', async () => {
    const wrong = serve((app) => app.register(healthPlugin, { reporter: controller, details: 'no' as 'never' }));
    await expect(wrong).rejects.toMatchObject({ code: 'invalid_option' });
    const parameter = serve((app) => app.register(healthPlugin, { reporter: controller, prefix: '/:tenant' }));
    await expect(parameter).rejects.toThrow('the prefix: expected one without parameters');
  });

  // Case 62.
  it('is untouched by hooks that change answers', async () => {
    const origin = await serve(async (app) => {
      app.addHook('onSend', async (_request, reply, payload) => {
        reply.header('etag', '"x"').code(304);
        return payload;
      });
      await app.register(healthPlugin, { reporter: controller });
    });
    const { status, headers } = await ask(origin, '/readyz');
    expect([status, headers.etag]).toEqual([503, undefined]);
  });

  // Case 66.
  it('logs no line for a probe', async () => {
    const lines: string[] = [];
    const stream = { write: (line: string) => lines.push(line) };
    const origin = await serve(
      (app) => {
        app.get('/other', async () => 'x');
        return app.register(healthPlugin, { reporter: controller });
      },
      { logger: { level: 'info', stream } },
    );
    const before = lines.length;
    await ask(origin, '/readyz');
    await ask(origin, '/livez', { method: 'HEAD' });
    await ask(origin, '/readyz/db');
    expect(lines.slice(before)).toEqual([]);
    await ask(origin, '/other');
    expect(lines.slice(before).join()).toContain('/other');
  });

  it('is before hooks that are added after it was awaited', async () => {
    const origin = await serve(async (app) => {
      await app.register(healthPlugin, { reporter: controller });
      app.addHook('onRequest', (_request, reply) => reply.code(401).send('who are you?'));
      app.get('/other', async () => 'x');
    });
    expect((await ask(origin, '/livez')).status).toBe(200);
    expect((await ask(origin, '/other')).status).toBe(401);
  });

  it('answers what Fastify has its own word for', async () => {
    const origin = await serve(async (app) => {
      await app.register(healthPlugin, { reporter: controller });
    });
    const semicolon = await ask(origin, '/readyz;x=1');
    expect([503, 404]).toContain(semicolon.status);
    const big = await ask(origin, '/readyz', {
      method: 'POST',
      headers: { 'content-type': 'nonsense', 'content-length': '3' },
      body: 'abc',
    });
    expect(big.status).toBe(405);
    expect((await ask(origin, '/readyz', { method: 'PROPFIND' })).status).toBe(405);
  });

  it('works with injected requests', async () => {
    const app = make();
    apps.push(app);
    await app.register(healthPlugin, { reporter: controller });
    const { statusCode, body } = await app.inject({ url: '/readyz', headers: { accept: 'text/plain' } });
    expect([statusCode, body]).toEqual([503, '[-]db failed: reason withheld\nreadyz check failed\n']);
  });
});
