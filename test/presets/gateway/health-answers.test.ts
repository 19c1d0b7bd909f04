import { describe, expect, it } from 'vitest';
import type { HealthFetchInit } from '../../../src/presets/gateway/index.js';
import { type Answer, makeGateway, OK } from './doubles.js';

const coded = (code: string, message = code): Error => Object.assign(new Error(message), { code });

describe('liveness', () => {
  it.each<[string, Answer, string, string | undefined]>([
    ['200 with ok: true', OK, 'success', undefined],
    ['200 with ok: true and more', { status: 200, body: ' {"version":1,"ok":true}\n' }, 'success', undefined],
    ['200 with ok: false', { status: 200, body: '{"ok":false}' }, 'failure', 'does not say ok: true'],
    ['200 with ok: "true"', { status: 200, body: '{"ok":"true"}' }, 'failure', 'does not say ok: true'],
    ['200 with true alone', { status: 200, body: 'true' }, 'failure', 'does not say ok: true'],
    ['200 with null', { status: 200, body: 'null' }, 'failure', 'does not say ok: true'],
    ['200 with garbage', { status: 200, body: '\u0000{{' }, 'failure', 'does not say ok: true'],
    ['200 without a body', { status: 200 }, 'failure', 'does not say ok: true'],
    [
      '200 with too much',
      { status: 200, body: `{"ok":true,"x":"${'x'.repeat(65_536)}"}` },
      'failure',
      'longer than 65536',
    ],
    ['200 with as much as is read', { status: 200, body: `{"ok":true}${' '.repeat(65_525)}` }, 'success', undefined],
    ['200 with a page', { status: 200, body: '<p>', type: 'text/html; charset=utf-8' }, 'unknown', 'with a page'],
    [
      '200 with a page that does not say so',
      { status: 200, body: '\n<!DOCTYPE html><html>' },
      'unknown',
      'with a page',
    ],
    ['200 with <html> alone', { status: 200, body: '<html>' }, 'unknown', 'with a page'],
    ['404', { status: 404, body: '{"ok":true}' }, 'unknown', '(404)'],
    ['401', { status: 401 }, 'unknown', '(401)'],
    ['403', { status: 403 }, 'unknown', '(403)'],
    ['500', { status: 500, body: '{"ok":true}' }, 'failure', '(500)'],
    ['503 with a page', { status: 503, body: '<html>', type: 'text/html' }, 'failure', '(503)'],
    ['201 with ok: true', { status: 201, body: '{"ok":true}' }, 'failure', '(201)'],
    ['a redirect', { status: 302 }, 'failure', 'redirect (302)'],
    ['a refused connection', coded('ECONNREFUSED'), 'failure', 'nothing listens at the health URL'],
    ['a name without address', coded('ENOTFOUND'), 'failure', 'has no address'],
    ['a name that cannot be looked up', coded('EAI_AGAIN'), 'failure', 'could not be looked up'],
    ['a certificate', coded('SELF_SIGNED_CERT_IN_CHAIN'), 'failure', 'the health request failed'],
    ['anything else', new Error('socket hang up'), 'failure', 'the health request failed: socket hang up'],
  ])('reads %s', async (_, answer, status, error) => {
    const { gateway, world } = makeGateway();
    world.answer = answer;
    const result = await gateway.liveness();
    expect(result).toMatchObject({ ok: status === 'success', status });
    if (error === undefined) expect(result).not.toHaveProperty('error');
    else expect(result.error).toContain(error);
  });

  // An AggregateError, as of a localhost with two addresses, has an empty message.
  it('names the errors of every address that was tried', async () => {
    const errors = [coded('ECONNREFUSED', 'connect ::1:18789'), coded('ECONNREFUSED', 'connect 127.0.0.1:18789')];
    const { gateway, world } = makeGateway();
    world.answer = Object.assign(new AggregateError(errors), { code: 'ECONNREFUSED' });
    expect((await gateway.liveness()).error).toBe(
      'nothing listens at the health URL: connect ::1:18789; connect 127.0.0.1:18789',
    );
  });

  it('keeps the text of many errors within what the schema of a snapshot takes', async () => {
    const { gateway, world } = makeGateway();
    world.answer = new AggregateError(Array.from({ length: 50 }, () => new Error('x'.repeat(5000))));
    expect((await gateway.liveness()).error?.length).toBeLessThan(2000);
  });

  it('finds the code of an error in its cause, as fetch has it', async () => {
    const { gateway, world } = makeGateway();
    world.answer = new TypeError('fetch failed', { cause: coded('ECONNREFUSED') });
    expect((await gateway.liveness()).error).toBe('nothing listens at the health URL: fetch failed');
  });

  it('survives a fetch that throws at once, or something else than an error', async () => {
    const thrown = [
      null,
      'no',
      {
        get code(): never {
          throw new Error('trap');
        },
      },
    ];
    for (const value of thrown) {
      const { gateway } = makeGateway({
        fetch: () => {
          throw value;
        },
      });
      expect(await gateway.liveness()).toMatchObject({ ok: false, status: 'failure' });
    }
  });
});

describe('readiness', () => {
  it.each<[string, Answer, string]>([
    ['200 whatever the body says', { status: 200, body: 'garbage' }, 'success'],
    ['200 with an endless body', { status: 200, body: 'x'.repeat(1_000_000) }, 'success'],
    ['200 with a page', { status: 200, body: '<html>', type: 'text/html' }, 'success'],
    ['204', { status: 201 }, 'failure'],
    ['404', { status: 404 }, 'failure'],
    ['401', { status: 401 }, 'failure'],
    ['503', { status: 503 }, 'failure'],
    ['a redirect', { status: 307 }, 'failure'],
    ['a refused connection', coded('ECONNREFUSED'), 'failure'],
  ])('reads %s', async (_, answer, status) => {
    const { gateway, world } = makeGateway();
    world.answer = answer;
    expect(await gateway.readiness()).toMatchObject({ ok: status === 'success', status });
  });
});

// Older releases had no health route: /health gave 404 or the page of the control surface.
it('an old gateway is ready and alive for all one knows, but never completes its startup', async () => {
  const { gateway, world } = makeGateway({ stuckAfterMs: 1000 });
  world.answer = { status: 200, body: '<!doctype html>', type: 'text/html' };
  const { startup, readiness, liveness, phase } = await gateway.snapshot();
  expect([startup.status, readiness.status, liveness.status]).toEqual(['unknown', 'success', 'unknown']);
  expect(phase).toBe('starting');
});

describe('the health request', () => {
  const asked = async (healthUrl: string | URL | undefined): Promise<{ url: string; init: HealthFetchInit }[]> => {
    const requests: { url: string; init: HealthFetchInit }[] = [];
    const { gateway } = makeGateway({
      healthUrl,
      fetch: async (url, init) => {
        requests.push({ url, init });
        return new Response('{"ok":true}');
      },
    });
    await gateway.snapshot();
    return requests;
  };

  it('goes to the health URL, does not follow redirects, and wants JSON', async () => {
    const requests = await asked('http://127.0.0.1:9/h?x=1#part');
    expect(requests).toHaveLength(2);
    for (const { url, init } of requests) {
      expect(url).toBe('http://127.0.0.1:9/h?x=1');
      expect(init).toMatchObject({ method: 'GET', redirect: 'manual' });
      expect(init.headers).toEqual({ accept: 'application/json', 'user-agent': 'health-controller' });
    }
  });

  it('goes to port 18789 by default', async () => {
    expect((await asked(undefined))[0]?.url).toBe('http://localhost:18789/health');
  });

  it('takes a URL object', async () => {
    expect((await asked(new URL('https://gw.example/h')))[0]?.url).toBe('https://gw.example/h');
  });

  it('sends the credentials of the URL as a header', async () => {
    const [request] = await asked('http://me:p%40ss%C3%A9@127.0.0.1:9/h');
    expect(request?.url).toBe('http://127.0.0.1:9/h');
    const { authorization = '' } = request?.init.headers ?? {};
    expect(Buffer.from(authorization.replace('Basic ', ''), 'base64').toString()).toBe('me:p@ssé');
  });

  it('reads the text of an implementation without streams', async () => {
    const { gateway } = makeGateway({ fetch: async () => ({ status: 200, text: async () => '{"ok":true}' }) });
    expect((await gateway.snapshot()).startup.ok).toBe(true);
    const long = makeGateway({ fetch: async () => ({ status: 200, text: async () => ' '.repeat(65_537) }) });
    expect((await long.gateway.liveness()).error).toContain('longer than 65536');
  });

  it('cancels a body that it does not read to its end', async () => {
    let cancelled = 0;
    const endless = (): ReadableStream<Uint8Array> =>
      new ReadableStream({
        pull: (controller) => controller.enqueue(new Uint8Array(10_000)),
        cancel: () => {
          cancelled++;
        },
      });
    const { gateway } = makeGateway({ fetch: async () => new Response(endless()) });
    const { liveness, readiness } = await gateway.snapshot();
    expect(liveness.error).toContain('longer than 65536');
    expect(readiness.ok).toBe(true);
    expect(cancelled).toBe(2);
  });
});
