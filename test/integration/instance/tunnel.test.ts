import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import {
  type ContainerObservation,
  classifyTunnel,
  Instance,
  type InstanceOptions,
  type TunnelBrokenEvent,
} from '../../../src/presets/instance/index.js';
import { needs, onPath } from '../support/needs.js';
import { eventually } from './support/eventually.js';
import { type Mode, openTunnel, type Tunnel } from './support/tunnel.js';

const cleanups: (() => unknown)[] = [];

afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

async function tunnelTo(mode: Mode): Promise<Tunnel> {
  const tunnel = await openTunnel();
  cleanups.push(() => tunnel.kill());
  await tunnel.behave(mode);
  return tunnel;
}

function instanceBehind(tunnel: InstanceOptions['tunnel'], options: Partial<InstanceOptions> = {}): Instance {
  const running: ContainerObservation = { status: 'running' };
  const instance = new Instance({ container: { observe: () => running }, tunnel, probeTimeoutMs: 500, ...options });
  cleanups.push(() => instance.stop());
  return instance;
}

const lookThrough = (url: string) => instanceBehind(url).health();

describe('a tunnel that answers', () => {
  it.each([
    ['200', 'healthy'],
    ['204', 'healthy'],
    ['401', 'app_error'],
    ['404', 'app_error'],
    ['500', 'app_error'],
    ['502', 'app_error'],
    ['503', 'app_error'],
    ['504', 'app_error'],
  ] as const)('%s is %s, and not to be recreated', async (mode, tunnel_status) => {
    const { url } = await tunnelTo(mode);
    expect(await lookThrough(url)).toMatchObject({ tunnel_status, can_recreate_tunnel: false });
  });

  it('530 has lost its connector: a new one may help', async () => {
    const { url } = await tunnelTo('530');
    expect(await lookThrough(url)).toMatchObject({
      tunnel_status: 'tunnel_error',
      can_recreate_tunnel: true,
      message: 'tunnel: status 530',
    });
  });

  it('is asked by HEAD, and by GET where it knows no HEAD', async () => {
    for (const [mode, asked] of [
      ['200', ['HEAD /']],
      ['no-head', ['HEAD /', 'GET /']],
      ['head-unknown', ['HEAD /', 'GET /']],
    ] as const) {
      const tunnel = await tunnelTo(mode);
      expect(await lookThrough(tunnel.url)).toMatchObject({ tunnel_status: 'healthy' });
      expect(tunnel.asked).toEqual(asked);
    }
  });

  it('with a redirect is healthy, and the redirect not followed', async () => {
    const tunnel = await tunnelTo('redirect');
    expect(await lookThrough(tunnel.url)).toMatchObject({ tunnel_status: 'healthy' });
    expect(tunnel.asked).toEqual(['HEAD /']);
  });

  it('with an endless body is healthy at its headers', async () => {
    const tunnel = await tunnelTo('endless');
    expect(await lookThrough(tunnel.url)).toMatchObject({ tunnel_status: 'healthy' });
  });

  it.each(['garbage', 'upgrade'] as const)('with something else than HTTP is unknown: %s', async (mode) => {
    const { url } = await tunnelTo(mode);
    expect(await lookThrough(url)).toMatchObject({ tunnel_status: 'unknown', can_recreate_tunnel: false });
  });
});

describe('a tunnel that is broken', () => {
  it.each<[string, (tunnel: Tunnel) => unknown, string]>([
    ['whose process was killed', (tunnel) => tunnel.kill(), 'ECONNREFUSED'],
    ['that refuses', (tunnel) => tunnel.behave('refuse'), 'ECONNREFUSED'],
    ['that resets', (tunnel) => tunnel.behave('reset'), 'ECONNRESET'],
    ['that hangs before it connects', (tunnel) => tunnel.jam(), 'connect_timeout'],
  ])('%s may be recreated', async (_, harm, code) => {
    const tunnel = await tunnelTo('200');
    await harm(tunnel);
    expect(await lookThrough(tunnel.url)).toMatchObject({
      tunnel_status: 'tunnel_error',
      can_recreate_tunnel: true,
      message: `tunnel: ${code}`,
    });
  });

  it('whose name is not known may be recreated', async () => {
    const health = await instanceBehind('http://no-such-tunnel.invalid/', { probeTimeoutMs: 10_000 }).health();
    expect(health.tunnel_status).toBe('tunnel_error');
    expect(health.message).toMatch(/^tunnel: (ENOTFOUND|EAI_AGAIN|connect_timeout)$/);
  });
});

describe('an application that hangs behind a tunnel', () => {
  it.each<[string, (tunnel: Tunnel) => unknown]>([
    ['silent', (tunnel) => tunnel.behave('silent')],
    ['in the middle of its headers', (tunnel) => tunnel.behave('half')],
    ['frozen after the kernel has connected', (tunnel) => tunnel.freeze()],
  ])('%s is an application error: the way to it is fine', async (_, harm) => {
    const tunnel = await tunnelTo('200');
    await harm(tunnel);
    const began = performance.now();
    expect(await lookThrough(tunnel.url)).toMatchObject({
      tunnel_status: 'app_error',
      can_recreate_tunnel: false,
      message: 'tunnel: response_timeout',
    });
    expect(performance.now() - began).toBeLessThan(1500);
  });
});

describe('a row of tunnel errors', () => {
  it('is told once a spell, and never recreated by the library', async () => {
    const told: TunnelBrokenEvent[] = [];
    let tunnel = await tunnelTo('200');
    let looks = 0;
    const instance = instanceBehind(() => tunnel.url, {
      container: {
        observe: () => {
          looks++;
          return { status: 'running' };
        },
      },
      pollIntervalMs: 60_000,
      readinessProbe: { run: () => ({ outcome: 'passed' }) },
      tunnelIntervalMs: 40,
      recreatePolicy: { failures: 3, minGapMs: 0 },
      onTunnelBroken: (event) => told.push(event),
    });
    expect(await instance.start()).toBe('running');
    await tunnel.kill();
    await eventually(
      () => told.length,
      (count) => count > 0,
    );
    expect(told).toEqual([{ name: 'instance', failures: 3, message: 'ECONNREFUSED' }]);
    await eventually(async () => (await instance.health()).can_recreate_tunnel, Boolean);
    expect(told).toHaveLength(1);

    // Whoever was told makes another: the container is looked at anew with the first look at it.
    const before = looks;
    tunnel = await tunnelTo('200');
    await eventually(
      () => tunnel.asked.length,
      (count) => count > 1,
    );
    expect(looks).toBe(before + 1);
    await tunnel.kill();
    await eventually(
      () => told.length,
      (count) => count > 1,
    );
    expect(told).toHaveLength(2);
  });
});

const openssl = await needs('openssl', () => onPath('openssl'));

describe('TLS', () => {
  it('that never shakes hands is a connection that was not made', async () => {
    const server = createTcpServer(() => {}).listen(0, '127.0.0.1');
    await once(server, 'listening');
    cleanups.push(() => server.close());
    const { port } = server.address() as AddressInfo;
    expect(await lookThrough(`https://127.0.0.1:${port}`)).toMatchObject({
      tunnel_status: 'tunnel_error',
      message: 'tunnel: connect_timeout',
    });
  });

  it.skipIf(!openssl)('with a certificate signed by itself is no case for a new tunnel', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'hc-tls-'));
    cleanups.push(() => rmSync(folder, { recursive: true }));
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
    const kind = ['-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=localhost'];
    execFileSync('openssl', ['req', '-x509', ...kind, '-keyout', key, '-out', cert], { stdio: 'ignore' });
    const tls = { key: readFileSync(key), cert: readFileSync(cert) };
    const server = createTlsServer(tls, (_, response) => response.end()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    cleanups.push(() => server.close());
    const { port } = server.address() as AddressInfo;
    expect(await lookThrough(`https://127.0.0.1:${port}`)).toMatchObject({
      tunnel_status: 'tls_error',
      can_recreate_tunnel: false,
      message: 'tunnel: DEPTH_ZERO_SELF_SIGNED_CERT',
    });
  });

  it('spoken to a port of plain HTTP is no case for a new tunnel', async () => {
    const { url } = await tunnelTo('200');
    expect(await lookThrough(url.replace('http:', 'https:'))).toMatchObject({
      tunnel_status: 'tls_error',
      can_recreate_tunnel: false,
    });
  });
});

describe("what fetch reports of these faults is understood like our own client's", () => {
  it.each<[string, (tunnel: Tunnel) => unknown, string]>([
    ['killed', (tunnel) => tunnel.kill(), 'tunnel_error'],
    ['reset', (tunnel) => tunnel.behave('reset'), 'tunnel_error'],
    ['garbage', (tunnel) => tunnel.behave('garbage'), 'unknown'],
  ])('%s', async (_, harm, status) => {
    const tunnel = await tunnelTo('200');
    await harm(tunnel);
    for (const host of ['127.0.0.1', 'localhost']) {
      const error: unknown = await fetch(tunnel.url.replace('127.0.0.1', host)).catch((thrown: unknown) => thrown);
      expect(classifyTunnel({ error }).tunnel).toBe(status);
    }
  });

  it('a name that is not known', async () => {
    const error: unknown = await fetch('http://no-such-tunnel.invalid/').catch((thrown: unknown) => thrown);
    expect(classifyTunnel({ error })).toEqual({ tunnel: 'tunnel_error', recreate: true });
  });
});
