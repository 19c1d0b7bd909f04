import { createServer, get, type IncomingMessage, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import express from 'express';
import express4 from 'express4';
import fastify, { type FastifyInstance } from 'fastify';
import fastify4 from 'fastify4';
import { Hono } from 'hono';
import { afterEach, describe, expect, it } from 'vitest';
import { createHealthHandler, httpService, serveHealth } from '../../../src/http/index.js';
import { Controller, healthy } from '../../../src/index.js';
import { controllerSource, createStatusPage, type StatusPage } from '../../../src/page/index.js';
import { ask } from '../http/support/ask.js';
import { MOUNTS as HEALTH_MOUNTS, listening, type Mounted, PAGE } from '../http/support/mounts.js';

type Mount = (page: StatusPage, prefix: string) => Promise<Mounted>;

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

function running(options = {}): Controller {
  const controller = new Controller(options);
  controller.registerCheck({ name: 'db', intervalMs: 50, check: () => healthy() });
  controller.start();
  closers.push(() => controller.stop());
  return controller;
}

function pageOf(controller: Controller, options = {}): StatusPage {
  const page = createStatusPage({ sources: [controllerSource(controller)], refreshIntervalMs: 100, ...options });
  closers.push(() => page.close());
  return page;
}

/** A stream of events under way. */
interface Stream {
  readonly response: IncomingMessage;
  readonly text: () => string;
  readonly ended: Promise<unknown>;
}

function stream(url: string): Promise<Stream> {
  return new Promise((resolve, reject) => {
    const request = get(url, { headers: { accept: 'text/event-stream' } }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk) => {
        text += chunk;
      });
      response.on('error', () => {});
      resolve({ response, text: () => text, ended: new Promise((end) => response.once('close', end)) });
    });
    request.on('error', reject);
    closers.push(() => request.destroy());
  });
}

const own: readonly [string, Mount][] = [
  [
    'node:http',
    (page) =>
      listening(
        createServer((request, response) => {
          if (!page(request, response)) response.end(PAGE);
        }),
      ),
  ],
  ...(
    [
      ['Express 5', express],
      ['Express 4', express4],
    ] as const
  ).map(([name, make]): [string, Mount] => [
    name,
    (page, prefix) => {
      const app = make();
      app.use(`/${prefix}`, page.router);
      app.use((_, response) => {
        response.send(PAGE);
      });
      return listening(createServer(app));
    },
  ]),
  ...(
    [
      ['Fastify 5', () => fastify()],
      ['Fastify 4', () => fastify4() as unknown as FastifyInstance],
    ] as const
  ).map(([name, make]): [string, Mount] => [
    name,
    async (page, prefix) => {
      const app = make();
      await app.register(page.plugin, { prefix });
      app.all('/*', (_, reply) => reply.type('text/html').send(PAGE));
      await app.listen({ port: 0, host: '127.0.0.1' });
      const { port } = app.server.address() as AddressInfo;
      const close = async () => {
        app.server.closeAllConnections();
        await app.close();
      };
      return { origin: `http://127.0.0.1:${port}`, close };
    },
  ]),
  [
    'fetch, in Hono',
    (page) => {
      const app = new Hono();
      app.use((context, next) => page.fetch(context.req.raw) ?? next());
      app.all('*', (context) => context.html(PAGE));
      return listening(createAdaptorServer({ fetch: app.fetch }) as Server);
    },
  ],
];

describe.each(own)('the page by itself in %s', (name, mount) => {
  const mounted = async (prefix = '') => {
    const byFramework = name.startsWith('Express') || name.startsWith('Fastify');
    const page = pageOf(running(), byFramework ? {} : { basePath: prefix });
    const { origin, close } = await mount(page, prefix);
    closers.push(close);
    return { page, origin };
  };

  it('is at its path in any spelling, below a prefix too, and leaves the rest to the application', async () => {
    for (const prefix of ['', 'ops']) {
      const { origin } = await mounted(prefix);
      const at = prefix === '' ? '' : `/${prefix}`;
      for (const path of ['/status-page', '/status-page/', '/STATUS-PAGE?x', '//status-page']) {
        const { status, headers, body } = await ask(origin, `${at}${path}`);
        expect([path, status, headers['content-type']]).toEqual([path, 200, 'text/html; charset=utf-8']);
        expect(headers.etag).toBeUndefined();
        expect(body).toContain('data-key="db"');
      }
      expect((await ask(origin, `${at}/status-page/nothing`)).status).toBe(404);
      expect((await ask(origin, '/other')).body).toBe(PAGE);
    }
  });

  it('answers HEAD and refuses other methods, and the connection goes on', async () => {
    const { origin } = await mounted();
    const page = await ask(origin, '/status-page', { method: 'HEAD' });
    expect([page.status, page.body, Number(page.headers['content-length']) > 1000]).toEqual([200, '', true]);
    const events = await ask(origin, '/status-page/events', { method: 'HEAD' });
    expect([events.headers['content-type'], events.body]).toEqual(['text/event-stream; charset=utf-8', '']);
    expect((await ask(origin, '/status-page', { method: 'DELETE' })).status).toBe(405);
  });

  it('streams, and knows when a client has gone', async () => {
    const { page, origin } = await mounted();
    const { response, text } = await stream(`${origin}/status-page/events`);
    expect(response.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store, no-transform',
    });
    await expect.poll(() => text().match(/event: state/g)?.length ?? 0).toBeGreaterThan(2);
    expect(page.clients).toBe(1);
    response.destroy();
    await expect.poll(() => page.clients).toBe(0);
  });

  it('ends its streams at close()', async () => {
    const { page, origin } = await mounted();
    const { text, ended } = await stream(`${origin}/status-page?format=events`);
    await expect.poll(text).toContain('event: state');
    page.close();
    await ended;
    expect(text().endsWith('event: end\ndata:\n\n')).toBe(true);
    expect((await ask(origin, '/status-page/events')).status).toBe(503);
  });
});

describe.each(HEALTH_MOUNTS)('the page beside the health routes in %s', (_, mount) => {
  const mounted = async (prefix?: string) => {
    const controller = running();
    await controller.whenReady();
    const page = pageOf(controller);
    const { origin, close } = await mount(controller, { page }, prefix);
    closers.push(close);
    return { origin, at: prefix ?? '' };
  };

  it('is what browsers get at /status, in any spelling, and nobody else', async () => {
    for (const prefix of [undefined, '/ops']) {
      const { origin, at } = await mounted(prefix);
      for (const path of ['/status', '/status/', '/STATUS', '//status?x=1']) {
        const { status, headers } = await ask(origin, `${at}${path}`, { headers: { accept: BROWSER } });
        expect([path, status, headers['content-type']]).toEqual([path, 200, 'text/html; charset=utf-8']);
        expect(headers['content-security-policy']).toContain("default-src 'none'");
      }
      for (const accept of ['*/*', 'application/json', 'text/html, application/json']) {
        const { headers } = await ask(origin, `${at}/status`, { headers: { accept } });
        expect(headers['content-type']).toBe('application/json; charset=utf-8');
      }
      expect((await ask(origin, `${at}/readyz`, { headers: { accept: BROWSER } })).headers['content-type']).toContain(
        'json',
      );
      expect(
        (await ask(origin, `${at}/status/db`, { headers: { accept: BROWSER } })).headers['content-type'],
      ).toContain('json');
      const { text } = await stream(`${origin}${at}/status?format=events`);
      await expect.poll(text).toContain('event: state');
    }
  });
});

describe('the page over HTTP/2', () => {
  it('streams too', async () => {
    const { connect } = await import('node:http2');
    const page = pageOf(running());
    const server = createSecureServer((request, response) => {
      page(request as never, response as never);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const session = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    closers.push(
      () => server.close(),
      () => session.destroy(),
    );
    const events = session.request({ ':path': '/status-page/events' });
    let text = '';
    events.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
    });
    await expect.poll(() => text).toContain('event: state');
    events.close();
    await expect.poll(() => page.clients).toBe(0);
  });
});

describe('a shutdown is not held up by a page that is open', () => {
  it('in a server that is a service of the controller', async () => {
    const controller = new Controller({ drainDelayMs: 300, shutdownTimeoutMs: 10_000 });
    const page = pageOf(controller);
    const health = createHealthHandler(controller, { page });
    const server = createServer((request, response) => {
      if (!health(request, response)) response.end();
    });
    controller.register('http', httpService(server, { port: 0, host: '127.0.0.1', controller }));
    controller.start();
    await controller.whenReady();
    const { port } = server.address() as AddressInfo;
    const { text, ended } = await stream(`http://127.0.0.1:${port}/status?format=events`);
    await expect.poll(text).toContain('event: state');
    const begun = performance.now();
    const outcome = await controller.stop();
    expect(performance.now() - begun).toBeLessThan(2000);
    expect(outcome).toMatchObject({ exitCode: 0 });
    await ended;
    expect(text()).toContain('draining');
    expect(text().endsWith('event: end\ndata:\n\n')).toBe(true);
  });

  it('in a server of its own', async () => {
    const controller = running();
    const page = pageOf(controller);
    const server = await serveHealth(controller, { port: 0, host: '127.0.0.1', page });
    const { text, ended } = await stream(`${server.url}/status?format=events`);
    await expect.poll(text).toContain('event: state');
    const begun = performance.now();
    // By hand, while the controller runs on.
    await server.close();
    expect(performance.now() - begun).toBeLessThan(800);
    await ended;
    expect(page.clients).toBe(0);
  });

  it('nor by one that a server hands on by its hook', async () => {
    const controller = new Controller({ shutdownTimeoutMs: 10_000 });
    // Shows something that has no end of its own.
    const page = createStatusPage({ sources: [{ name: 'Fixed', read: () => ({ entries: [] }) }] });
    const server = createServer((request, response) => {
      if (!page(request, response)) response.end();
    });
    const found: string[] = [];
    const onLongLived = ({ kind }: { kind: string }): void => {
      found.push(kind);
      page.close();
    };
    controller.register('http', httpService(server, { port: 0, host: '127.0.0.1', controller, onLongLived }));
    controller.start();
    await controller.whenReady();
    const { port } = server.address() as AddressInfo;
    // Without the header that a browser sends: the answer's own type tells.
    const open = await new Promise<IncomingMessage>((resolve) => {
      get(`http://127.0.0.1:${port}/status-page/events`, resolve);
    });
    open.resume();
    const begun = performance.now();
    await controller.stop();
    expect(performance.now() - begun).toBeLessThan(2000);
    expect(found).toEqual(['event-stream']);
  });
});

describe('a client that does not read', () => {
  it('is dropped, and nobody waits for it', async () => {
    const large = Array.from({ length: 200 }, (_, i) => ({ name: `${i}${'x'.repeat(250)}`, state: 'ok' as const }));
    const page = createStatusPage({
      sources: [{ name: 'Large', read: () => ({ entries: large }) }],
      refreshIntervalMs: 20,
      maxBufferedBytes: 100_000,
    });
    closers.push(() => page.close());
    const { origin, close } = await listening(
      createServer((request, response) => {
        page(request, response);
      }),
    );
    closers.push(close);
    const slow = await new Promise<IncomingMessage>((resolve, reject) => {
      get(`${origin}/status-page/events`, resolve).on('error', reject);
    });
    slow.on('error', () => {});
    slow.pause();
    const quick = await stream(`${origin}/status-page/events`);
    await expect.poll(() => page.clients, { timeout: 10_000 }).toBe(1);
    const seen = quick.text().length;
    await expect.poll(() => quick.text().length).toBeGreaterThan(seen);
    slow.destroy();
  });
});
