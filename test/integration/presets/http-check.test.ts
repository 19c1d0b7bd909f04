import { execFileSync } from 'node:child_process';
import { lookup } from 'node:dns/promises';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer as createHttpsServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { Controller } from '../../../src/index.js';
import { type HttpCheckOptions, httpCheck } from '../../../src/presets/index.js';
import { recordEvents, runCheck } from '../../../src/testing/index.js';
import { needs, onPath } from '../support/needs.js';
import { Script } from './support/script.js';
import { Listening } from './support/servers.js';

const servers: Listening[] = [];

async function use(starting: Promise<Listening>): Promise<Listening> {
  const server = await starting;
  servers.push(server);
  return server;
}

const localhost = (await lookup('localhost', { all: true })).map(({ address }) => address);

afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

const ask = (url: string, options: Partial<HttpCheckOptions> = {}) => runCheck(httpCheck({ url, ...options }));

describe('a server', () => {
  it('that answers is healthy; the connection does not outlive the answer', async () => {
    const server = await use(Listening.http((_request, response) => response.end('ok')));
    expect(await ask(server.url)).toMatchObject({ status: 'healthy', data: { statusCode: 200 } });
    await server.quiet();
  });

  it('that answers 503 is unhealthy', async () => {
    const server = await use(Listening.http((_request, response) => response.writeHead(503).end()));
    expect(await ask(server.url)).toMatchObject({ status: 'unhealthy', reason: 'http_status' });
  });

  it('is asked once, with what was given and nothing else', async () => {
    const heard: unknown[] = [];
    const server = await use(
      Listening.http(({ method, url, rawHeaders }, response) => {
        heard.push([method, url, rawHeaders]);
        response.setHeader('set-cookie', 'a=b').end();
      }),
    );
    await ask(`${server.url}/a%20b?c=d`, { method: 'HEAD' });
    await ask(server.url.replace('//', '//us%40er:pa%3Ass@'), { headers: { 'X-Probe': 'yes' } });
    const host = `127.0.0.1:${server.port}`;
    expect(heard).toEqual([
      ['HEAD', '/a%20b?c=d', ['user-agent', 'health-controller', 'Host', host, 'Connection', 'close']],
      [
        'GET',
        '/',
        [
          ...['user-agent', 'health-controller', 'x-probe', 'yes', 'Host', host],
          ...['Authorization', `Basic ${btoa('us@er:pa:ss')}`, 'Connection', 'close'],
        ],
      ],
    ]);
  });

  it('sees the Host that was given (case 74)', async () => {
    const hosts: unknown[] = [];
    const server = await use(
      Listening.http(({ headers }, response) => {
        hosts.push(headers.host);
        response.end();
      }),
    );
    expect((await ask(server.url, { headers: { Host: 'internal.local' } })).status).toBe('healthy');
    expect(hosts).toEqual(['internal.local']);
  });

  it.each(localhost)('that listens on %s only is found under localhost', async (host) => {
    const server = await use(Listening.http((_request, response) => response.end(), 0, host));
    expect((await ask(`http://localhost:${server.port}/`)).status).toBe('healthy');
  });

  it('with an endless body costs one socket at a time over 1000 runs (case 75)', async () => {
    const piece = Buffer.alloc(65_536);
    const server = await use(
      Listening.http((_request, response) => {
        const more = (): void => {
          while (!response.destroyed && response.write(piece));
        };
        response.on('drain', more);
        more();
      }),
    );
    const check = httpCheck({ url: server.url });
    for (let run = 0; run < 1000; run++) expect((await runCheck(check)).status).toBe('healthy');
    await server.quiet();
    expect([server.connections, server.most <= 2]).toEqual([1000, true]);
  });
});

describe('a redirect (case 70)', () => {
  async function redirecting() {
    let hits = 0;
    const other = await use(
      Listening.http((_request, response) => {
        hits++;
        response.end();
      }),
    );
    const server = await use(
      Listening.http(({ url }, response) => {
        const to: Record<string, string> = {
          '/same': '/fine',
          '/other': `${other.url}/`,
          '/secure': `https://127.0.0.1:${other.port}/`,
          '/loop': '/loop',
        };
        const location = to[url ?? ''];
        if (location === undefined) response.end();
        else response.writeHead(302, { location }).end();
      }),
    );
    return { url: server.url, server, hits: () => hits };
  }

  it('is unhealthy wherever it leads, and nobody else is contacted', async () => {
    const { url, server, hits } = await redirecting();
    for (const path of ['/same', '/other', '/secure', '/loop']) {
      expect(await ask(url + path)).toMatchObject({ status: 'unhealthy', reason: 'redirect' });
    }
    expect([server.connections, hits()]).toEqual([4, 0]);
  });

  it('is healthy where its code is expected', async () => {
    const { url, hits } = await redirecting();
    expect((await ask(`${url}/other`, { expectedStatus: 302 })).status).toBe('healthy');
    expect(hits()).toBe(0);
  });

  it('is followed on request, within the origin and so far', async () => {
    const { url, server, hits } = await redirecting();
    expect((await ask(`${url}/same`, { maxRedirects: 2 })).status).toBe('healthy');
    for (const path of ['/other', '/secure', '/loop']) {
      expect(await ask(url + path, { maxRedirects: 2 })).toMatchObject({ reason: 'redirect' });
    }
    expect([server.connections, server.most, hits()]).toEqual([2 + 1 + 1 + 3, 1, 0]);
  });
});

describe('what is not there', () => {
  it('refuses the connection: reason connect', async () => {
    const server = await Listening.http(() => {});
    const { port } = server;
    await server.close();
    for (const host of ['127.0.0.1', 'localhost']) {
      const result = await ask(`http://${host}:${port}/`);
      expect(result).toMatchObject({ status: 'unhealthy', reason: 'connect' });
      expect(result.message).toContain(`GET http://${host}:${port}/: no answer: connect ECONNREFUSED`);
    }
  });

  it('has no name: reason dns', async () => {
    const result = await ask('http://user:secret@no-such-host.invalid/');
    expect(result).toMatchObject({ status: 'unhealthy', reason: 'dns' });
    expect(result.message).not.toContain('secret');
  });

  it('says nothing: reason timeout, and its socket is closed', async () => {
    const server = await use(Listening.tcp(() => {}));
    expect(await ask(server.url, { timeoutMs: 200 })).toMatchObject({
      status: 'unhealthy',
      reason: 'timeout',
      message: `GET ${server.url}/: no answer within 200 ms: still waiting for an answer`,
    });
    await server.quiet();
  });

  it('sends its head one byte at a time: reason timeout', async () => {
    const server = await use(
      Listening.tcp((socket) => {
        const bytes = [...'HTTP/1.1 200 OK\r\n', ...'x'.repeat(10_000)].values();
        const timer = setInterval(() => socket.write(bytes.next().value ?? 'x'), 5);
        socket.on('close', () => clearInterval(timer));
      }),
    );
    expect(await ask(server.url, { timeoutMs: 200 })).toMatchObject({ reason: 'timeout' });
    await server.quiet();
  });

  it.each([
    ['speaks no HTTP', 'SSH-2.0-x\r\n', 'protocol'],
    ['sends a head without end', `HTTP/1.1 200 OK\r\nx: ${'a'.repeat(40_000)}`, 'protocol'],
    ['hangs up', undefined, 'connect'],
    [
      'switches protocols',
      'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n',
      'http_status',
    ],
  ])('%s', async (_name, text, reason) => {
    const server = await use(
      Listening.tcp((socket) => {
        socket.once('data', () => (text === undefined ? socket.end() : socket.write(text)));
      }),
    );
    expect(await ask(server.url)).toMatchObject({ status: 'unhealthy', reason });
    await server.quiet();
  });

  it('answers early hints first and then well: healthy', async () => {
    const head = 'HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n';
    const server = await use(Listening.tcp((socket) => socket.once('data', () => socket.write(head))));
    expect((await ask(server.url)).status).toBe('healthy');
  });
});

const OPENSSL = 'openssl';
const openssl = await needs(OPENSSL, () => onPath(OPENSSL));

describe.skipIf(!openssl)('over TLS', () => {
  async function secure() {
    const folder = mkdtempSync(join(tmpdir(), 'health-controller-'));
    const [key, cert] = [join(folder, 'key'), join(folder, 'cert')];
    const subject = ['-subj', '/CN=internal.local', '-addext', 'subjectAltName=DNS:internal.local'];
    const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
    execFileSync(OPENSSL, ['req', '-x509', ...kind, ...subject, '-keyout', key, '-out', cert], { stdio: 'ignore' });
    const pair = { key: readFileSync(key), cert: readFileSync(cert) };
    rmSync(folder, { recursive: true });
    const server = await use(Listening.on(createHttpsServer(pair, (_request, response) => response.end())));
    return { url: `https://127.0.0.1:${server.port}/`, ca: pair.cert, server };
  }

  it('a certificate that nobody vouches for is unhealthy, reason tls', async () => {
    const { url, server } = await secure();
    expect(await ask(url)).toMatchObject({ status: 'unhealthy', reason: 'tls' });
    await server.quiet();
  });

  it('one that is vouched for counts for its name, which Host gives', async () => {
    const { url, ca } = await secure();
    expect(await ask(url, { tls: { ca } })).toMatchObject({ status: 'unhealthy', reason: 'tls' });
    expect((await ask(url, { tls: { ca }, headers: { Host: 'internal.local' } })).status).toBe('healthy');
    expect((await ask(url, { tls: { ca, servername: 'internal.local' } })).status).toBe('healthy');
    expect((await ask(url, { tls: { rejectUnauthorized: false } })).status).toBe('healthy');
  });

  it('a server without TLS is unhealthy, reason tls', async () => {
    const server = await use(Listening.http((_request, response) => response.end()));
    expect(await ask(`https://127.0.0.1:${server.port}/`)).toMatchObject({ status: 'unhealthy', reason: 'tls' });
  });

  it('a handshake that never ends is named', async () => {
    const server = await use(Listening.tcp(() => {}));
    const result = await ask(`https://127.0.0.1:${server.port}/`, { timeoutMs: 200 });
    expect(result).toMatchObject({
      reason: 'timeout',
      message: expect.stringContaining('waiting for the TLS handshake'),
    });
    await server.quiet();
  });
});

it('an upstream that dies and comes back turns readiness, never liveness', async () => {
  const answer = (_request: unknown, response: { end(): void }) => response.end();
  const first = await use(Listening.http(answer));
  const { port } = first;
  const controller = new Controller();
  const recording = recordEvents(controller);
  const changed = () => new Promise((resolve) => controller.once('check', resolve));
  const both = async () => [
    (await controller.readiness()).overallHealthy,
    (await controller.liveness()).overallHealthy,
  ];
  controller.registerCheck(httpCheck({ name: 'upstream', url: first.url, intervalMs: 50, timeoutMs: 1000 }));
  controller.start();
  expect(await controller.whenReady({ timeoutMs: 10_000 })).toBe(true);
  let change = changed();
  await first.close();
  await change;
  expect(await both()).toEqual([false, true]);
  change = changed();
  await use(Listening.http(answer, port));
  await change;
  expect(await both()).toEqual([true, true]);
  await controller.stop();
  expect(recording.lines.filter((line) => line.startsWith('check'))).toEqual([
    'check upstream pending -> healthy',
    'check upstream healthy -> unhealthy',
    'check upstream unhealthy -> healthy',
  ]);
});

it('a poll under way keeps no process alive (case 123)', async () => {
  let connected = () => {};
  const connection = new Promise<void>((resolve) => {
    connected = resolve;
  });
  const server = await use(Listening.tcp((socket) => socket.once('data', connected)));
  const script = new Script(`
    import { Controller } from './src/index.js';
    import { httpCheck } from './src/presets/http-check.js';
    const controller = new Controller();
    controller.registerCheck(httpCheck({ url: '${server.url}', timeoutMs: 600_000, intervalMs: 600_000 }));
    controller.start();
    process.stdin.on('data', () => process.stdin.unref());
  `);
  await connection;
  script.say('go');
  expect(await script.exitCode()).toBe(0);
});
