import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { commands } from '../../../.ci/subpaths.mjs';
import { Listening } from '../presets/support/servers.js';
import { needs, onPath } from '../support/needs.js';

const ROOT = new URL('../../../', import.meta.url);
const [command] = commands();
const MAIN = fileURLToPath(new URL(command?.files[0] ?? '', ROOT));

const servers: Listening[] = [];
const folder = mkdtempSync(join(tmpdir(), 'health-controller-'));

afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

afterAll(() => rmSync(folder, { recursive: true }));

async function use(starting: Promise<Listening>): Promise<Listening> {
  const server = await starting;
  servers.push(server);
  return server;
}

const serve = (answer: RequestListener): Promise<Listening> => use(Listening.http(answer));

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly tookMs: number;
}

/** Runs a program to its end. */
async function start(program: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> {
  const beganAt = performance.now();
  const child = spawn(program, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text;
  });
  const [code] = await once(child, 'close');
  return { code, stdout, stderr, tookMs: performance.now() - beganAt };
}

const run = (args: readonly string[], env?: NodeJS.ProcessEnv) => start(process.execPath, [MAIN, ...args], env);
const probe = (url: string, ...more: readonly string[]) => run(['probe', url, ...more]);

/** What a healthy probe, or another, prints and ends with. */
const healthy = (text: string | RegExp) => ({ code: 0, stdout: match('healthy', text), stderr: '' });
const unhealthy = (text: string | RegExp) => ({ code: 1, stdout: match('unhealthy', text), stderr: '' });
const match = (word: string, text: string | RegExp) =>
  typeof text === 'string' ? `${word}: ${text}\n` : expect.stringMatching(new RegExp(`^${word}: ${text.source}\\n$`));

describe('the command', () => {
  it('is one small file that needs no other, and can be run by itself', async () => {
    const source = readFileSync(MAIN, 'utf8');
    const imports = [...source.matchAll(/\b(?:from|import)\s*\(?\s*['"]([^'"]+)['"]/g)].map(([, from]) => from);
    expect(new Set(imports)).toEqual(new Set(['http', 'https', 'util', 'child_process']));
    expect(source.length).toBeLessThan(16_000);
    expect((await start(MAIN, ['--help'])).code).toBe(0);
  });

  it('exits with 2 and one line for wrong usage', async () => {
    const { code, stdout, stderr } = await run(['probe']);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^health-controller: expected one URL, got 0 arguments\. Usage: [^\n]+\n$/);
  });
});

describe('a server', () => {
  it.each([200, 204, 299])('that answers %i is healthy', async (status) => {
    const server = await serve((_request, response) => response.writeHead(status).end());
    expect(await probe(`${server.url}/readyz`)).toMatchObject(healthy(new RegExp(`HTTP ${status} in \\d+ ms`)));
    expect(server.connections).toBe(1);
    await server.quiet();
  });

  it.each([400, 404, 500, 503])('that answers %i is not', async (status) => {
    const server = await serve((_request, response) => response.writeHead(status).end('secret'));
    expect(await probe(server.url)).toMatchObject(unhealthy(`HTTP ${status}, expected 200-299`));
  });

  it('is judged by the codes that are expected', async () => {
    const server = await serve((_request, response) => response.writeHead(401).end());
    expect(await probe(server.url, '--expect', '200-399,401')).toMatchObject(healthy(/HTTP 401 in \d+ ms/));
    expect(await probe(server.url, '--expect', '200,301-399')).toMatchObject(
      unhealthy('HTTP 401, expected 200,301-399'),
    );
  });

  // Case 70.
  it('that redirects is not healthy, and nobody else is asked', async () => {
    const other = await serve((_request, response) => response.end());
    const server = await serve((_request, response) => response.writeHead(302, { Location: other.url }).end());
    expect(await probe(server.url)).toMatchObject(unhealthy('HTTP 302, expected 200-299; redirects are not followed'));
    expect([server.connections, other.connections]).toEqual([1, 0]);
    expect(await probe(server.url, '--expect', '302')).toMatchObject({ code: 0 });
  });

  it('that is not there is not healthy', async () => {
    const server = await Listening.tcp(() => {});
    const { url } = server;
    await server.close();
    expect(await probe(url)).toMatchObject(unhealthy('connection refused'));
  });

  it.each<[string, Parameters<typeof Listening.tcp>[0], string | RegExp]>([
    ['hangs', () => {}, 'timed out after 400 ms'],
    [
      'sends headers byte by byte',
      (socket) => {
        const timer = setInterval(() => socket.write('a'), 20);
        socket.on('close', () => clearInterval(timer));
        socket.write('HTTP/1.1 200 OK\r\nX: ');
      },
      'timed out after 400 ms',
    ],
    ['closes', (socket) => socket.end(), 'connection closed before the response headers'],
    ['sends garbage', (socket) => socket.write('SSH-2.0-x\r\n'), /response is not valid HTTP\/1\.1 \(HPE_\w+\)/],
    [
      'sends huge headers',
      (socket) => socket.write(`HTTP/1.1 200 OK\r\nX: ${'x'.repeat(100_000)}`),
      'response headers are too large',
    ],
    [
      'speaks TLS only',
      (socket) => socket.once('data', () => socket.end('\x15\x03\x01\0\x02\x02\x46')),
      /response is not valid HTTP\/1\.1 \(HPE_\w+\)/,
    ],
  ])('that %s is not healthy, within bounds', async (_name, talk, text) => {
    const server = await use(Listening.tcp(talk));
    const ended = await probe(server.url, '--timeout', '400');
    expect(ended).toMatchObject(unhealthy(text));
    expect(ended.tookMs).toBeLessThan(5000);
    await server.quiet();
  });

  it('that sends an endless body is left at once', async () => {
    const server = await serve((_request, response) => {
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536)));
      };
      response.on('drain', more);
      more();
    });
    expect(await probe(server.url)).toMatchObject(healthy(/HTTP 200 in \d+ ms/));
    await server.quiet();
  });

  it('is found by the name localhost, wherever it listens', async () => {
    const server = await use(Listening.http((_request, response) => response.end(), 0, '::1'));
    expect(await probe(`http://localhost:${server.port}/`)).toMatchObject({ code: 0 });
    expect(await probe(`http://[::1]:${server.port}/`)).toMatchObject({ code: 0 });
  });

  // Case 74: the Host header was not sent.
  it('gets the headers that were given, and no others of ours twice', async () => {
    const heard: string[][] = [];
    const server = await serve(({ method = '', url = '', rawHeaders }, response) => {
      heard.push([method, url, ...rawHeaders]);
      response.end();
    });
    await probe(`${server.url}/a?b=c`);
    await probe(
      server.url.replace('//', '//user:pass@'),
      '--header',
      'Host: internal.local',
      '--header=X-A: 1',
      '--header',
      'X-A: 2',
    );
    await probe(server.url, '--header', 'User-Agent: mine', '--header', 'accept: text/plain');
    const own = ['accept', '*/*', 'user-agent', 'health-controller'];
    const host = `127.0.0.1:${server.port}`;
    expect(heard).toEqual([
      ['GET', '/a?b=c', ...own, 'Host', host, 'Connection', 'close'],
      [
        ...['GET', '/', ...own, 'host', 'internal.local', 'x-a', '1', 'x-a', '2'],
        ...['Authorization', `Basic ${btoa('user:pass')}`, 'Connection', 'close'],
      ],
      ['GET', '/', 'accept', 'text/plain', 'user-agent', 'mine', 'Host', host, 'Connection', 'close'],
    ]);
  });
});

const openssl = await needs('openssl', () => onPath('openssl'));

describe.skipIf(!openssl)('over TLS', () => {
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];

  async function secure(): Promise<string> {
    if (!existsSync(cert)) {
      const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
      const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
      execFileSync('openssl', ['req', '-x509', ...kind, ...subject, '-keyout', key, '-out', cert], { stdio: 'ignore' });
    }
    const pair = { key: readFileSync(key), cert: readFileSync(cert) };
    const server = await use(Listening.on(createHttpsServer(pair, (_request, response) => response.end())));
    return `https://localhost:${server.port}/`;
  }

  it('a certificate that nobody vouches for is not healthy', async () => {
    expect(await probe(await secure())).toMatchObject(
      unhealthy('certificate is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT)'),
    );
  });

  it('one that NODE_EXTRA_CA_CERTS vouches for counts for its name', async () => {
    const url = await secure();
    const trusting = { NODE_EXTRA_CA_CERTS: cert };
    expect(await run(['probe', url], trusting)).toMatchObject(healthy(/HTTP 200 in \d+ ms/));
    expect(await run(['probe', url.replace('localhost', '127.0.0.1')], trusting)).toMatchObject(
      unhealthy('certificate is not trusted (ERR_TLS_CERT_ALTNAME_INVALID)'),
    );
    const named = ['--header', 'Host: localhost'];
    expect(await run(['probe', url.replace('localhost', '127.0.0.1'), ...named], trusting)).toMatchObject({ code: 0 });
  });

  it('a server that speaks no TLS is not healthy', async () => {
    const server = await serve((_request, response) => response.end());
    expect(await probe(server.url.replace('http:', 'https:'))).toMatchObject(
      unhealthy(/TLS handshake failed \((EPROTO|ERR_SSL_\w+)\)/),
    );
  });
});

it('a host name that does not exist is not healthy', async () => {
  expect(await probe('http://nowhere.invalid/')).toMatchObject(unhealthy('host name was not found'));
});

const UNSHARE = 'unshare';
const namespaces = await needs('mount-namespaces', () => spawnSync(UNSHARE, ['-m', 'true']).status === 0);

describe.skipIf(!namespaces)('a host name', () => {
  /** Runs the command where a file of the system has this content. */
  function where(file: string, content: string, args: readonly string[]): Promise<Ended> {
    const own = join(folder, file.replaceAll('/', '-'));
    writeFileSync(own, content);
    const mounted = 'mount --bind "$0" "$1" && shift && exec "$@"';
    return start(UNSHARE, ['-m', 'sh', '-c', mounted, own, file, process.execPath, MAIN, ...args]);
  }

  it('is looked up as the system does', async () => {
    const server = await serve((_request, response) => response.end());
    const hosts = '127.0.0.1 service.internal\n';
    expect(await where('/etc/hosts', hosts, ['probe', `http://service.internal:${server.port}/`])).toMatchObject(
      healthy(/HTTP 200 in \d+ ms/),
    );
  });

  // The system's resolver gives up after ten seconds, and a process that has asked it cannot end before.
  it('whose lookup hangs is given up at the deadline', async () => {
    const silent = createSocket('udp4').bind(53, '127.0.0.77');
    await once(silent, 'listening');
    const resolver = 'nameserver 127.0.0.77\n';
    const ended = await where('/etc/resolv.conf', resolver, ['probe', 'http://slow.example/', '--timeout', '900']);
    silent.close();
    expect(ended).toMatchObject(unhealthy('timed out after 900 ms'));
    expect(ended.tookMs).toBeLessThan(5000);
  });
});
