import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Gateway } from '../../../src/presets/gateway/index.js';
import { needs } from '../support/needs.js';
import { freePort, until, Worker } from './support/worker.js';

const hasIpv6 = await needs('IPv6 loopback', () =>
  Object.values(networkInterfaces()).some((list) => list?.some(({ address }) => address === '::1')),
);

const RUNNING = { command: 'openclaw-gateway', status: 'running' };

describe('a gateway process that answers', () => {
  let worker: Worker;
  beforeAll(async () => {
    worker = await Worker.make();
    await worker.start();
  });
  afterAll(() => worker.dispose());

  const look = async (mode: string, passiveTimeoutMs = 3000) => {
    worker.set('mode', mode);
    const gateway = worker.gateway({ passiveTimeoutMs, processes: () => [RUNNING], classifyProcess: undefined });
    const beganAt = performance.now();
    const { liveness, readiness } = await gateway.snapshot({ passive: true });
    return { liveness, readiness, tookMs: performance.now() - beganAt };
  };

  it.each([
    ['ok', 'success', 'success'],
    ['not-ok', 'failure', 'success'],
    ['garbage', 'failure', 'success'],
    ['page', 'unknown', 'success'],
    ['missing', 'unknown', 'failure'],
    ['forbidden', 'unknown', 'failure'],
    ['broken', 'failure', 'failure'],
    ['moved', 'failure', 'failure'],
    ['endless', 'failure', 'success'],
    ['drops-connection', 'failure', 'failure'],
    ['no-http', 'failure', 'failure'],
  ])('%s: liveness is a %s, readiness a %s, well before the timeout', async (mode, live, ready) => {
    const { liveness, readiness, tookMs } = await look(mode);
    expect([liveness.status, readiness.status]).toEqual([live, ready]);
    expect(tookMs).toBeLessThan(2500);
  });

  it.each([
    ['hangs', 'failure', 'failure'],
    ['half-body', 'failure', 'success'],
  ])('%s: liveness is a %s, readiness a %s, at the timeout', async (mode, live, ready) => {
    const { liveness, readiness, tookMs } = await look(mode, 300);
    expect([liveness.status, readiness.status]).toEqual([live, ready]);
    expect(liveness.error).toBe('the health request timed out');
    expect(liveness.latencyMs).toBeGreaterThanOrEqual(299);
    expect(tookMs).toBeLessThan(2500);
  });

  it('is never asked at the place that it redirects to, and no connection to it is kept', async () => {
    for (const mode of ['moved', 'endless', 'page', 'ok', 'half-body']) {
      for (let i = 0; i < 20; i++) await look(mode, 200);
    }
    const counts = async (): Promise<{ elsewhere: number; connections: number }> => {
      const response = await fetch(`http://127.0.0.1:${worker.port}/counts`, { headers: { connection: 'close' } });
      return (await response.json()) as { elsewhere: number; connections: number };
    };
    await until('one connection is left, of who asks', async () => (await counts()).connections <= 1);
    expect((await counts()).elsewhere).toBe(0);
  });
});

describe('localhost', () => {
  let server: Server | undefined;
  afterEach(() => new Promise((resolve) => server?.close(resolve) ?? resolve(undefined)));

  const listenOn = async (host: string): Promise<Gateway> => {
    server = createServer((_, response) => response.end('{"ok":true}'));
    await new Promise<void>((resolve) => server?.listen(0, host, resolve));
    const { port } = server.address() as AddressInfo;
    return new Gateway({ healthUrl: `http://localhost:${port}/health`, processes: () => [RUNNING] });
  };

  it('finds a gateway that listens on 127.0.0.1 only', async () => {
    expect((await (await listenOn('127.0.0.1')).snapshot()).phase).toBe('ready');
  });

  it.skipIf(!hasIpv6)('finds a gateway that listens on ::1 only', async () => {
    expect((await (await listenOn('::1')).snapshot()).phase).toBe('ready');
  });

  it('names every address that refused', async () => {
    const healthUrl = `http://localhost:${await freePort()}/`;
    const { error } = await new Gateway({ healthUrl, processes: () => [RUNNING] }).liveness();
    expect(error).toMatch(/^nothing listens at the health URL: .*127\.0\.0\.1.*; .*::1/);
  });
});

it('a host that does not exist is told by its code', async () => {
  const gateway = new Gateway({ healthUrl: 'http://no-such-host.invalid/health', processes: () => [RUNNING] });
  const { liveness, readiness } = await gateway.snapshot({ passive: true });
  expect(liveness.status).toBe('failure');
  expect(readiness.error).toMatch(/the health URL (has no address|could not be looked up)/);
});

it('the fetch of the platform can be given in place of node:http', async () => {
  const server = createServer((request, response) => {
    if (request.url === '/moved') response.writeHead(302, { location: '/' }).end();
    else response.end('{"ok":true}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const make = (path: string): Gateway =>
    new Gateway({ healthUrl: `${origin}${path}`, fetch, processes: () => [RUNNING] });
  expect((await make('/').snapshot()).phase).toBe('ready');
  expect((await make('/moved').liveness()).error).toContain('redirect (302)');
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  const closed = new Gateway({ healthUrl: `http://127.0.0.1:${await freePort()}/`, fetch, processes: () => [RUNNING] });
  expect((await closed.liveness()).error).toMatch(/^nothing listens/);
});
