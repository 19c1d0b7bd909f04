import { createServer } from 'node:http';
import express from 'express';
import express4 from 'express4';
import { afterEach, describe, expect, it } from 'vitest';
import { healthRouter } from '../../../src/http/express.js';
import { Controller, unhealthy } from '../../../src/index.js';
import { ask } from './support/ask.js';
import { listening, type Mounted } from './support/mounts.js';

describe.each([
  ['5', express],
  ['4', express4],
])('in Express %s', (_version, make) => {
  let mounted: Mounted | undefined;
  const controller = new Controller();
  controller.registerCheck({ name: 'db', check: () => unhealthy('down') });
  controller.start();

  afterEach(async () => {
    await mounted?.close();
  });

  async function serve(fill: (app: express.Express) => void): Promise<string> {
    const app = make();
    fill(app);
    mounted = await listening(createServer(app));
    return mounted.origin;
  }

  // Case 63: a rate limiter answered 429 to probes, which restarted the process.
  it('a limiter that comes after it never sees a probe', async () => {
    let seen = 0;
    const origin = await serve((app) => {
      app.use(healthRouter(controller));
      app.use((_request, response, next) => {
        seen++;
        if (seen > 60) response.sendStatus(429);
        else next();
      });
    });
    const statuses = await Promise.all(Array.from({ length: 200 }, () => ask(origin, '/livez')));
    expect(new Set(statuses.map(({ status }) => status))).toEqual(new Set([200]));
    expect(seen).toBe(0);
  });

  // Case 62: Express adds an ETag and answers 304 to who has it.
  it.each(['strong', 'weak'])('Express’s own %s ETags do not reach it', async (etag) => {
    const origin = await serve((app) => {
      app.set('etag', etag);
      app.use(healthRouter(controller));
      app.get('/page', (_request, response) => {
        response.send('x');
      });
    });
    expect((await ask(origin, '/page')).headers.etag).toBeDefined();
    const { headers, status } = await ask(origin, '/livez', { headers: { 'if-none-match': '*' } });
    expect([status, headers.etag]).toEqual([200, undefined]);
  });

  it('stands in a router of a router', async () => {
    const origin = await serve((app) => {
      const inner = make.Router();
      inner.use('/v1', healthRouter(controller, { basePath: 'health' }));
      app.use('/internal', inner);
    });
    expect((await ask(origin, '/internal/v1/health/readyz/db')).status).toBe(503);
    expect((await ask(origin, '/health/readyz')).status).toBe(404);
  });

  it('shows its policy the request of Express', async () => {
    const origin = await serve((app) => {
      app.set('trust proxy', true);
      app.use(healthRouter(controller, { details: (request: express.Request) => request.ip === '10.1.2.3' }));
    });
    const headers = { 'x-forwarded-for': '10.1.2.3' };
    expect((await ask(origin, '/readyz', { headers })).body).toContain('down');
    expect((await ask(origin, '/readyz')).body).not.toContain('down');
  });

  it('may stand twice, each with its own paths', async () => {
    const origin = await serve((app) => {
      app.use(healthRouter(controller));
      app.use('/api', healthRouter(controller, { paths: { readiness: 'ready' } }));
    });
    expect((await ask(origin, '/readyz')).status).toBe(503);
    expect((await ask(origin, '/api/ready')).status).toBe(503);
    expect((await ask(origin, '/api/readyz')).status).toBe(404);
  });

  it('writes nothing where something else has answered meanwhile', async () => {
    let finish = (): void => {};
    const slow = new Controller();
    slow.registerCheck({
      name: 'slow',
      check: () =>
        new Promise<void>((resolve) => {
          finish = resolve;
        }),
    });
    slow.start();
    const origin = await serve((app) => {
      app.use((request, response, next) => {
        if (request.url === '/readyz') setImmediate(() => response.status(504).send('too late'));
        next();
      });
      app.use(healthRouter(slow));
    });
    expect(await ask(origin, '/readyz')).toMatchObject({ status: 504, body: 'too late' });
    finish();
    expect((await ask(origin, '/livez')).status).toBe(200);
    await slow.stop();
  });
});
