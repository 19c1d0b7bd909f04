import { describe, expect, it } from 'vitest';
import { bearerToken, type GatewayHandlerOptions, gatewaySnapshotSchema } from '../../../src/presets/gateway/index.js';
import { deferred, makeGateway, never, REFUSED, RUNNING, SCRIPT } from './doubles.js';

const ORIGIN = 'http://worker.example';

function makeHandler(options: GatewayHandlerOptions = {}, gatewayOptions: Parameters<typeof makeGateway>[0] = {}) {
  const made = makeGateway(gatewayOptions);
  const handler = made.gateway.handler(options);
  const ask = async (path: string, init: RequestInit = {}) => {
    const answered = handler.fetch(new Request(`${ORIGIN}${path}`, init));
    if (answered === undefined) return undefined;
    const response = await answered;
    return { response, status: response.status, text: await response.text() };
  };
  return { ...made, handler, ask };
}

describe.each(['/api/health', '/api/status', '/api/admin/gateway/status/polling'])('%s', (path) => {
  it('answers with the snapshot', async () => {
    const { ask, gateway } = makeHandler();
    const answer = await ask(path);
    expect(answer?.status).toBe(200);
    expect(JSON.parse(answer?.text ?? '')).toEqual(await gateway.snapshot({ passive: true }));
    expect(Object.fromEntries(answer?.response.headers ?? [])).toEqual({
      'cache-control': 'no-store',
      'content-length': String(answer?.text.length),
      'content-type': 'application/json; charset=utf-8',
      'x-content-type-options': 'nosniff',
    });
  });

  it('is activating, unless passive or HEAD', async () => {
    const done: string[] = [];
    const { ask, world, clock } = makeHandler({}, { ensureGateway: () => done.push('ensure') });
    Object.assign(world, { processes: [], answer: REFUSED });
    for (const query of ['?passive=1', '?passive=true', '?passive', '?x=1&passive=yes']) await ask(`${path}${query}`);
    await ask(path, { method: 'HEAD' });
    await clock.advance(0);
    expect(done).toEqual([]);
    for (const query of ['', '?', '?passive=0', '?passive=false', '?passives=1']) {
      await ask(`${path}${query}`);
      await clock.advance(0);
    }
    expect(done).toHaveLength(5);
  });

  it('answers HEAD like GET, without the body', async () => {
    const { ask } = makeHandler();
    const get = await ask(path);
    const head = await ask(path, { method: 'HEAD' });
    expect(head).toMatchObject({ status: 200, text: '' });
    const lengthOf = (answer: typeof get) => answer?.response.headers.get('content-length');
    expect(lengthOf(head)).toBe(lengthOf(get));
  });

  it.each(['POST', 'PUT', 'DELETE', 'OPTIONS'])('refuses %s and looks at nothing', async (method) => {
    const { ask, world } = makeHandler();
    const answer = await ask(path, { method });
    expect(answer?.status).toBe(405);
    expect(answer?.response.headers.get('allow')).toBe('GET, HEAD');
    expect(world.calls).toEqual([]);
  });
});

it.each(['/api/health/', '//api//health', '/API/Health', '/api/%68ealth', '/api/health/?passive=1'])(
  'takes %s too',
  async (path) => {
    const { ask } = makeHandler();
    expect((await ask(path))?.status).toBe(200);
  },
);

it.each(['/', '/api', '/api/healthy', '/api/health/x', '/api/health/ws', '/health', '/x?/api/health', '/%zz'])(
  'leaves %s to the application',
  async (path) => {
    const { ask, world } = makeHandler({ authorize: () => true });
    expect(await ask(path)).toBeUndefined();
    expect(world.calls).toEqual([]);
  },
);

it.each(['gw', '/gw', 'gw/', '/gw/'])('stands below the base path %s', async (basePath) => {
  const { ask } = makeHandler({ basePath });
  expect((await ask('/gw/api/health'))?.status).toBe(200);
  expect(await ask('/api/health')).toBeUndefined();
});

it('shares a snapshot among requests that come at the same time', async () => {
  const { ask, world } = makeHandler();
  const answers = await Promise.all(Array.from({ length: 50 }, () => ask('/api/health')));
  expect(new Set(answers.map((answer) => answer?.text)).size).toBe(1);
  expect(world.calls.filter((call) => call === 'list')).toHaveLength(1);
});

describe('the status', () => {
  it('is 200 whatever the snapshot says', async () => {
    const { ask, world } = makeHandler();
    Object.assign(world, { processes: [], answer: REFUSED });
    expect((await ask('/api/health'))?.status).toBe(200);
  });

  it("is 503 when not ready, where statusCode is 'reflect'", async () => {
    const { ask, world } = makeHandler({ statusCode: 'reflect' });
    expect((await ask('/api/health'))?.status).toBe(200);
    world.processes = [SCRIPT];
    const answer = await ask('/api/health');
    expect(answer?.status).toBe(503);
    expect(JSON.parse(answer?.text ?? '')).toMatchObject({ phase: 'degraded' });
    expect((await ask('/api/health', { method: 'HEAD' }))?.status).toBe(503);
  });
});

// Error texts tell hosts and credentials to anybody: cases.md 65.
describe('error texts', () => {
  const secret = Object.assign(new Error('connect ECONNREFUSED postgres://app:s3cret@10.0.0.5:5432/db'), {
    code: 'ECONNREFUSED',
  });
  const make = (options: GatewayHandlerOptions) => {
    const made = makeHandler(options);
    made.world.answer = secret;
    made.world.processes = new Error('ps: s3cret');
    made.world.backup = new Error('bucket s3cret');
    return made;
  };
  const errors = async (ask: ReturnType<typeof make>['ask']) => {
    const text = (await ask('/api/health'))?.text ?? '';
    const { startup, readiness, liveness } = JSON.parse(text);
    return { text, errors: [startup.error, readiness.error, liveness.error] };
  };

  it('are withheld by default: a sentence of ours is in their place', async () => {
    const { text, errors: shown } = await errors(make({}).ask);
    expect(text).not.toMatch(/s3cret|10\.0\.0\.5|ECONNREFUSED/);
    expect(shown).toEqual([
      'nothing listens at the health URL',
      'the processes could not be listed',
      'nothing listens at the health URL',
    ]);
    expect(gatewaySnapshotSchema['~standard'].validate(JSON.parse(text))).not.toHaveProperty('issues');
  });

  it('are shown where the policy allows it, with credentials in URLs masked even then', async () => {
    const { errors: shown } = await errors(make({ details: 'always' }).ask);
    expect(shown[2]).toBe('nothing listens at the health URL: connect ECONNREFUSED postgres://***@10.0.0.5:5432/db');
    expect(shown[1]).toBe('the processes could not be listed: ps: s3cret');
  });

  it('are shown to whom a policy function says', async () => {
    const { ask } = make({ details: bearerToken('right') });
    const with_ = (authorization: string) => ask('/api/health', { headers: { authorization } });
    expect((await with_('Bearer right'))?.text).toContain('ps: s3cret');
    expect((await with_('Bearer wrong'))?.text).not.toContain('s3cret');
  });

  it('of a failed start are withheld as well', async () => {
    const { ask, world, clock } = makeHandler(
      {},
      { ensureGateway: () => Promise.reject(new Error('token s3cret was refused')) },
    );
    Object.assign(world, { processes: [], answer: REFUSED });
    await ask('/api/health');
    await clock.advance(0);
    const { readiness } = JSON.parse((await ask('/api/health'))?.text ?? '');
    expect(readiness.error).toBe('no gateway process is running; the last start failed');
  });
});

describe('POST /api/admin/gateway/restart', () => {
  const path = '/api/admin/gateway/restart';
  const make = (options: GatewayHandlerOptions = { authorize: bearerToken('s3cret') }, more: object = {}) => {
    const done: string[] = [];
    const made = makeHandler(options, {
      stopGateway: () => {
        done.push('stop');
      },
      ensureGateway: () => {
        done.push('ensure');
      },
      ...more,
    });
    const post = (headers: Record<string, string> = {}) => made.ask(path, { method: 'POST', headers });
    return { ...made, done, post };
  };
  const bearer = { authorization: 'Bearer s3cret' };

  it('is not there without authorize', async () => {
    const { post, ask, done } = make({});
    expect(await post(bearer)).toBeUndefined();
    expect(await ask(path)).toBeUndefined();
    expect(done).toEqual([]);
  });

  it('restarts for who may', async () => {
    const { post, done } = make();
    const answer = await post(bearer);
    expect(answer).toMatchObject({ status: 200, text: '{"restart":"done"}' });
    expect(answer?.response.headers.get('cache-control')).toBe('no-store');
    expect(done).toEqual(['stop', 'ensure']);
  });

  it.each([
    ['no token', {}, 401],
    ['a wrong one', { authorization: 'Bearer s3cret2' }, 403],
    ['another scheme', { authorization: 'Basic s3cret' }, 403],
  ])('refuses %s', async (_, headers, status) => {
    const { post, done } = make();
    const answer = await post(headers);
    expect(answer).toMatchObject({ status, text: '{"restart":"refused"}' });
    expect(answer?.response.headers.get('www-authenticate')).toBe(status === 401 ? 'Bearer' : null);
    expect(done).toEqual([]);
  });

  it.each(['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS'])('refuses %s without asking authorize', async (method) => {
    const { ask, done } = make({ authorize: () => expect.unreachable() });
    const answer = await ask(path, { method, headers: bearer });
    expect(answer?.status).toBe(405);
    expect(answer?.response.headers.get('allow')).toBe('POST');
    expect(done).toEqual([]);
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('no');
      },
    ],
    ['rejects', () => Promise.reject(new Error('no'))],
    ['says something else than true', () => 'yes' as never],
  ])('is refused where authorize %s', async (_, authorize) => {
    const { post, done } = make({ authorize });
    expect((await post())?.status).toBe(401);
    expect(done).toEqual([]);
  });

  it('is refused where authorize hangs', async () => {
    const { post, done, clock } = make({ authorize: () => never() });
    const asked = post();
    await clock.advance(5000);
    expect((await asked)?.status).toBe(401);
    expect(done).toEqual([]);
  });

  // A page of another site can have a browser send such requests, with its user's cookies.
  it.each<[string, Record<string, string>]>([
    ['another site by Sec-Fetch-Site', { 'sec-fetch-site': 'cross-site' }],
    ['a sibling site', { 'sec-fetch-site': 'same-site' }],
    ['another origin', { origin: 'https://evil.example' }],
    ['an opaque origin', { origin: 'null' }],
    ['another port', { origin: 'http://worker.example:8080' }],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['a form with files', { 'content-type': 'multipart/form-data; boundary=x' }],
    ['a form of text', { 'content-type': 'text/plain;charset=UTF-8' }],
    ['a form with a saved password', { 'content-type': 'text/plain', authorization: 'Basic dTpw' }],
  ])('is refused from %s, whatever authorize says', async (_, headers) => {
    const { post, done } = make({ authorize: () => true });
    expect([401, 403]).toContain((await post({ host: 'worker.example', ...headers }))?.status);
    expect(done).toEqual([]);
  });

  it.each<[string, Record<string, string>]>([
    ['a program', {}],
    ['a program with JSON', { 'content-type': 'application/json' }],
    ['a page of ours', { origin: ORIGIN, 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' }],
    ['a page of ours in an old browser', { origin: ORIGIN }],
    [
      'a page of ours behind a proxy that changes the host',
      { origin: 'https://public.example', 'sec-fetch-site': 'same-origin' },
    ],
    [
      'a page of another site that has the token',
      { origin: 'https://admin.example', 'sec-fetch-site': 'cross-site', ...bearer },
    ],
  ])('is taken from %s', async (_, headers) => {
    const { post, done } = make({ authorize: () => true });
    expect((await post({ host: 'worker.example', ...headers }))?.status).toBe(200);
    expect(done).toEqual(['stop', 'ensure']);
  });

  it('says that it failed, but not why', async () => {
    const lines: string[] = [];
    const line = (text: string) => lines.push(text);
    const { post } = make(undefined, {
      stopGateway: () => Promise.reject(new Error('kill s3cret')),
      logger: { debug: line, info: line, warn: line, error: line },
    });
    expect(await post(bearer)).toMatchObject({ status: 500, text: '{"restart":"failed"}' });
    expect(lines).toEqual(['gateway: a restart that was asked for by HTTP failed: kill s3cret']);
  });

  it('does not hold the request longer than an activating snapshot', async () => {
    const ensure = deferred();
    const { post, clock } = make(undefined, { ensureGateway: () => ensure.promise, activeTimeoutMs: 2000 });
    const asked = post(bearer);
    await clock.advance(2000);
    expect(await asked).toMatchObject({ status: 202, text: '{"restart":"under way"}' });
    ensure.reject(new Error('later'));
    await clock.advance(0);
  });
});

it('wrong options are refused', () => {
  const { gateway } = makeGateway();
  for (const options of [
    { basePath: '/a/../b' },
    { authorize: 'token' },
    { statusCode: 503 },
    { details: true },
    { autorize: () => true },
  ]) {
    expect(() => gateway.handler(options as object)).toThrow(expect.objectContaining({ code: 'invalid_option' }));
  }
});

it('functions of the options are called on them', async () => {
  class Options {
    readonly #token = 'x';
    authorize() {
      return this.#token === 'x';
    }
    details() {
      return this.#token === 'x';
    }
  }
  const { ask, world } = makeHandler(new Options());
  world.processes = [RUNNING];
  expect((await ask('/api/admin/gateway/restart', { method: 'POST' }))?.status).toBe(200);
  world.processes = new Error('why');
  expect((await ask('/api/health'))?.text).toContain('why');
});
