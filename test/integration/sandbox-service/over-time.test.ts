import { createServer } from 'node:http';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { SandboxServices } from '../../../src/presets/sandbox-service/index.js';
import { Script } from '../presets/support/script.js';
import { Listening } from '../presets/support/servers.js';
import { openedByTests, until } from './support/opened.js';

const ID = { workspace: 'team', sandbox: 'box', service: 'web' };

const { use, later } = openedByTests();

function run(code: string): Script {
  const script = new Script(`import { SandboxServices } from './src/presets/sandbox-service/index.ts';\n${code}`);
  later(() => script.kill());
  return script;
}

it('a service that becomes ready later, fails, ends and comes back is seen in each of these states', async () => {
  let status = 503;
  const answer = () => createServer((_request, response) => response.writeHead(status).end());
  const server = await use(Listening.on(answer()));
  const { port } = server;
  const services = new SandboxServices({ intervalMs: 30, timeoutMs: 500 });
  later(() => services.stop());
  const changes: string[] = [];
  services.on('change', ({ to, service: { health } }) => changes.push(`${to}: ${health.message}`));
  services.expose({ ...ID, port, readinessCheck: { path: '/readyz' } });
  services.sandbox('team', 'box').ready('runtime-1');
  await until(() => changes.length === 1);
  expect(server.connections).toBe(3);
  status = 200;
  await until(() => changes.length === 2);
  status = 500;
  await until(() => changes.length === 3);
  status = 200;
  await until(() => changes.length === 4);
  await server.close();
  await until(() => changes.length === 5);
  const again = await use(Listening.on(answer(), port));
  await until(() => changes.length === 6);
  services.sandbox('team', 'box').notReady();
  expect(changes).toEqual([
    'unhealthy: HTTP 503, expected 2xx',
    'healthy: HTTP 200',
    'unhealthy: HTTP 500, expected 2xx',
    'healthy: HTTP 200',
    'unhealthy: connection refused',
    'healthy: HTTP 200',
    'unknown: sandbox is not ready',
  ]);
  await again.quiet();
  const { connections } = again;
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(again.connections).toBe(connections);
});

it('stop() leaves no connection, also where the service hangs', async () => {
  const server = await use(Listening.tcp(() => {}));
  const services = new SandboxServices({ timeoutMs: 60_000 });
  for (let i = 0; i < 50; i++) services.expose({ ...ID, service: `s${i}`, port: server.port });
  services.sandbox('team', 'box').ready('runtime-1');
  await until(() => server.open === 50);
  await services.stop();
  await server.quiet();
});

it('of two hundred services, those that hang keep no other from being known', async () => {
  const server = await use(
    Listening.http(({ url }, response) => {
      if (url !== '/hang') response.end();
    }),
  );
  const services = new SandboxServices({ timeoutMs: 2000, failureThreshold: 1, maxConcurrent: 20 });
  later(() => services.stop());
  for (let i = 0; i < 200; i++) {
    const readinessCheck = { path: i % 50 === 0 ? '/hang' : '/ok' };
    services.expose({ ...ID, service: `s${i}`, port: server.port, readinessCheck });
  }
  services.sandbox('team', 'box').ready('runtime-1');
  const states = (state: string) => services.list().filter(({ health }) => health.state === state).length;
  await until(() => states('healthy') === 196);
  await until(() => states('unhealthy') === 4);
  expect(server.most).toBeLessThanOrEqual(20);
  await services.stop();
  await server.quiet();
});

describe('observing keeps no process alive', () => {
  it.each([
    ['between attempts', '{}'],
    [
      'while an attempt hangs, also through a relay',
      `{ timeoutMs: 60_000, relay: ({ port }) => new Promise((resolve) => {
        const socket = connect(port, '127.0.0.1', () => resolve(socket));
      }) }`,
    ],
    ['while an attempt hangs', '{ timeoutMs: 60_000 }'],
  ])('%s', async (_name, options) => {
    const server = await use(Listening.tcp(() => {}));
    const script = run(`
      import { connect } from 'node:net';
      const services = new SandboxServices(${options});
      services.expose({ workspace: 'w', sandbox: 's', port: ${server.port} });
      services.sandbox('w', 's').ready('r');
      setTimeout(() => console.log('done'), 200);
    `);
    expect(await script.line()).toBe('done');
    expect(await script.exitCode()).toBe(0);
  });
});

it('what this process has run out of says nothing about the service', async () => {
  const server = await use(Listening.http((_request, response) => response.end()));
  const script = run(`
    import { openSync } from 'node:fs';
    const services = new SandboxServices({ intervalMs: 50, failureThreshold: 1 });
    services.on('change', ({ to, service }) => console.log(to + ': ' + service.health.message));
    services.expose({ workspace: 'w', sandbox: 's', port: ${server.port} });
    services.once('change', () => {
      process.setMaxListeners(0);
      try { for (;;) openSync('/dev/null'); } catch (error) { console.log(error.code); }
      setTimeout(() => {}, 500);
    });
    services.sandbox('w', 's').ready('r');
    setTimeout(() => {}, 500);
  `);
  expect(await script.line()).toBe('healthy: HTTP 200');
  expect(await script.line()).toBe('EMFILE');
  expect(await script.line()).toBe('unknown: relay is unavailable');
});

it('the handler of a real server lists the services', async () => {
  const target = await use(Listening.http((_request, response) => response.end()));
  const services = new SandboxServices();
  later(() => services.stop());
  services.expose({ ...ID, port: target.port });
  services.sandbox('team', 'box').ready('runtime-1');
  await until(() => services.get(ID)?.health.state === 'healthy');
  const handler = services.handler();
  const front = await use(
    Listening.http((request, response) => {
      if (!handler(request, response)) response.writeHead(404).end('not ours');
    }),
  );
  const response = await fetch(`${front.url}/services?workspace=team`);
  expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-store']);
  expect(await response.json()).toMatchObject({ services: [{ label: 'Responsive', endpoint: ID }] });
  const head = await fetch(`${front.url}/services`, { method: 'HEAD' });
  expect([head.status, await head.text()]).toEqual([200, '']);
  expect(Number(head.headers.get('content-length'))).toBeGreaterThan(100);
  expect((await fetch(`${front.url}/services`, { method: 'DELETE' })).status).toBe(405);
  expect(await (await fetch(`${front.url}/service`)).text()).toBe('not ours');
  await new Promise<void>((resolve) => {
    const socket = connect(front.port, '127.0.0.1', () => {
      socket.write('GET /services HTTP/1.1\r\nHost: a\r\n\r\n');
      socket.destroy();
      resolve();
    });
  });
});
