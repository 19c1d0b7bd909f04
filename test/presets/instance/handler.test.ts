import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import {
  createInstanceHandler,
  type InstanceHandlerOptions,
  type InstanceHealth,
  type InstanceRegistry,
} from '../../../src/presets/instance/index.js';

const HEALTH: InstanceHealth = {
  container_status: 'exited',
  tunnel_status: 'app_error',
  status: 'error',
  can_recreate_tunnel: false,
  validated: false,
  exit_code: 3,
  message: 'the container exited with code 3; tunnel: http://user:secret@host refused',
};
const { message: _, ...WITHOUT_DETAILS } = HEALTH;

const registry = new Map([
  ['17', { health: async () => HEALTH }],
  ['a b/c', { health: () => HEALTH }],
]);

const servers: Server[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => new Promise((resolve) => server.close(resolve))));
});

interface Answer {
  readonly status: number | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

async function ask(
  path: string,
  options: InstanceHandlerOptions = {},
  { method = 'GET', instances = registry as InstanceRegistry } = {},
): Promise<Answer> {
  const handle = createInstanceHandler(instances, options);
  const server = createServer((req, res) => {
    if (!handle(req, res)) res.writeHead(299).end('left to the application');
  });
  servers.push(server.listen(0, '127.0.0.1'));
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  return new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port, path, method, agent: false }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (text: string) => {
        body += text;
      });
      response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, body }));
    })
      .on('error', reject)
      .end();
  });
}

describe('GET /instances/:id/health', () => {
  it('answers with the health as JSON, whatever it is, without details', async () => {
    const { status, headers, body } = await ask('/instances/17/health');
    expect(status).toBe(200);
    expect(JSON.parse(body)).toEqual(WITHOUT_DETAILS);
    expect(headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(Buffer.byteLength(body)),
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
  });

  it.each(['/instances/17/health/', '/instances/17/health?x=1', '/instances/17/health/?x', '/instances/%31%37/health'])(
    'is also %s',
    async (path) => {
      expect((await ask(path)).status).toBe(200);
    },
  );

  it('finds an id that has to be encoded', async () => {
    expect((await ask('/instances/a%20b%2Fc/health')).status).toBe(200);
  });

  it.each([
    '/',
    '/instances',
    '/instances/17',
    '/instances//health',
    '/instances/17/healthz',
    '/instances/17/health/more',
    '/other/instances/17/health',
    '/instances/1/7/health',
  ])('leaves %s to the application', async (path) => {
    expect((await ask(path)).status).toBe(299);
  });

  it.each(['/instances/18/health', '/instances/__proto__/health', '/instances/%ff/health'])(
    'knows no instance at %s',
    async (path) => {
      expect(await ask(path)).toMatchObject({ status: 404, body: 'not found\n' });
    },
  );

  it('answers HEAD like GET without a body', async () => {
    const { headers } = await ask('/instances/17/health');
    const head = await ask('/instances/17/health', {}, { method: 'HEAD' });
    expect([head.status, head.body]).toEqual([200, '']);
    expect(head.headers['content-length']).toBe(headers['content-length']);
  });

  it.each(['POST', 'DELETE', 'OPTIONS'])('refuses %s, and asks nothing', async (method) => {
    let asked = 0;
    const instances = {
      get() {
        asked++;
        return undefined;
      },
    };
    const { status, headers } = await ask('/instances/17/health', {}, { method, instances });
    expect([status, headers.allow, asked]).toEqual([405, 'GET, HEAD', 0]);
  });

  it.each(['/api', 'api', '/api/'])('may be below a base path: %s', async (basePath) => {
    expect((await ask('/api/instances/17/health', { basePath })).status).toBe(200);
    expect((await ask('/instances/17/health', { basePath })).status).toBe(299);
  });

  it('shows the message where details are allowed, with credentials masked', async () => {
    const message = 'the container exited with code 3; tunnel: http://***@host refused';
    for (const details of ['always', () => true, async () => true] as const) {
      const { body } = await ask('/instances/17/health', { details });
      expect(JSON.parse(body)).toEqual({ ...WITHOUT_DETAILS, message });
    }
    const refusing = () => {
      throw new Error('no');
    };
    for (const details of ['never', () => false, refusing] as const) {
      expect(JSON.parse((await ask('/instances/17/health', { details })).body)).toEqual(WITHOUT_DETAILS);
    }
  });

  it.each<[string, InstanceRegistry]>([
    [
      'a registry that throws',
      {
        get() {
          throw new Error('secret');
        },
      },
    ],
    ['an instance that rejects', { get: () => ({ health: () => Promise.reject(new Error('secret')) }) }],
  ])('answers 503 for %s, logs why, and does not show it', async (_, instances) => {
    const lines: string[] = [];
    const log = (line: string) => lines.push(line);
    const logger = { debug: log, info: log, warn: log, error: log };
    expect(await ask('/instances/17/health', { logger }, { instances })).toMatchObject({
      status: 503,
      body: 'unavailable\n',
    });
    expect(lines).toEqual(['the health of an instance could not be told: secret']);
  });

  it.each<[unknown, object]>([
    [undefined, {}],
    [{}, {}],
    [registry, { basePath: '/a?b' }],
    [registry, { details: true }],
    [registry, { path: '/x' }],
  ])('refuses %j with %j', (instances, options) => {
    expect(() => createInstanceHandler(instances as InstanceRegistry, options)).toThrow(
      expect.objectContaining({ code: 'invalid_option' }),
    );
  });
});
