import { describe, expect, it } from 'vitest';
import { httpCheckOver } from '../../src/presets/http-check.js';
import { type Exchanged, type HttpTarget, readFailure } from '../../src/presets/http-exchange.js';
import { type HttpCheckOptions, httpCheck } from '../../src/presets/index.js';
import { FakeClock, runCheck } from '../../src/testing/index.js';

const URL_WITH_SECRETS = 'http://user:pa55word@db.internal:8080/health?key=s3cret';

/** A server that answers one after the other, and what was asked of it. */
function server(...answers: (number | [number, string] | Exchanged)[]) {
  const asked: HttpTarget[] = [];
  const send = async (target: HttpTarget): Promise<Exchanged> => {
    asked.push(target);
    const answer = answers[Math.min(asked.length, answers.length) - 1] ?? 200;
    if (typeof answer === 'number') return { status: answer, location: undefined };
    return Array.isArray(answer) ? { status: answer[0], location: answer[1] } : answer;
  };
  const run = (options: Partial<HttpCheckOptions> = {}) =>
    runCheck(httpCheckOver(send, { url: 'http://upstream:8080/health', ...options }));
  return { asked, run };
}

describe('status codes', () => {
  it.each([
    [200, 'healthy', undefined],
    [204, 'healthy', undefined],
    [299, 'healthy', undefined],
    [101, 'unhealthy', 'http_status'],
    [301, 'unhealthy', 'redirect'],
    [304, 'unhealthy', 'redirect'],
    [399, 'unhealthy', 'redirect'],
    [404, 'unhealthy', 'http_status'],
    [503, 'unhealthy', 'http_status'],
  ])('%s is %s', async (status, expected, reason) => {
    const result = await server(status).run();
    expect([result.status, result.reason, result.data]).toEqual([expected, reason, { statusCode: status }]);
  });

  it('are healthy where expectedStatus lists them, and no others', async () => {
    expect((await server(404).run({ expectedStatus: 404 })).status).toBe('healthy');
    expect((await server(302).run({ expectedStatus: [200, 302] })).status).toBe('healthy');
    expect(await server(200).run({ expectedStatus: 404 })).toMatchObject({
      status: 'unhealthy',
      reason: 'http_status',
    });
  });

  it('are told with what was asked', async () => {
    expect((await server(503).run({ method: 'HEAD' })).message).toBe('HEAD http://upstream:8080/health: answered 503');
  });
});

describe('redirects (case 70)', () => {
  const elsewhere = 'https://user:pw@other.example/login?token=x';

  it('are not followed; the text says where they lead', async () => {
    const { asked, run } = server([302, elsewhere]);
    expect(await run()).toMatchObject({
      status: 'unhealthy',
      reason: 'redirect',
      message:
        'GET http://upstream:8080/health: answered 302, a redirect to https://other.example/login that is not followed',
    });
    expect(asked).toHaveLength(1);
  });

  it('are not followed where their code is expected', async () => {
    const { asked, run } = server([302, '/elsewhere'], 200);
    expect((await run({ expectedStatus: [302], maxRedirects: 3 })).status).toBe('healthy');
    expect(asked).toHaveLength(1);
  });

  it('to the same origin are followed on request, so many and no more', async () => {
    const loop = () => server([302, '/b'], [307, 'c'], [301, 'http://upstream:8080/d'], 200);
    const { asked, run } = loop();
    expect((await run({ maxRedirects: 3 })).status).toBe('healthy');
    expect(asked.map(({ url }) => url.pathname)).toEqual(['/health', '/b', '/c', '/d']);
    expect((await loop().run({ maxRedirects: 2 })).reason).toBe('redirect');
  });

  it('that go round in circles end', async () => {
    const { asked, run } = server([302, '/health']);
    expect((await run({ maxRedirects: 5 })).reason).toBe('redirect');
    expect(asked).toHaveLength(6);
  });

  it.each([
    ['another host', 'http://other:8080/'],
    ['another port', 'http://upstream:8081/'],
    ['another scheme', 'https://upstream:8080/'],
    ['nowhere', 'http://'],
  ])('to %s are never followed', async (_name, location) => {
    const { asked, run } = server([302, location], 200);
    expect(await run({ maxRedirects: 5 })).toMatchObject({ reason: 'redirect' });
    expect(asked).toHaveLength(1);
  });

  it('keep the credentials of the URL', async () => {
    const { asked, run } = server([302, 'http://db.internal:8080/b'], 200);
    await run({ url: URL_WITH_SECRETS, maxRedirects: 1 });
    expect(asked[1]?.url.href).toBe('http://user:pa55word@db.internal:8080/b');
  });
});

describe('what is asked', () => {
  it('is a GET with our name, unless told otherwise', async () => {
    const { asked, run } = server(200);
    await run();
    await run({ method: 'HEAD', headers: { Host: 'internal.local', 'User-Agent': 'me' }, tls: { servername: 'x' } });
    expect(asked.map(({ method, headers, tls }) => [method, { ...headers }, tls])).toEqual([
      ['GET', { 'user-agent': 'health-controller' }, {}],
      ['HEAD', { host: 'internal.local', 'user-agent': 'me' }, { servername: 'x' }],
    ]);
  });

  it('takes a URL object', async () => {
    const { asked, run } = server(200);
    await run({ url: new URL('https://h/p?q=1') });
    expect(asked[0]?.url.href).toBe('https://h/p?q=1');
  });
});

describe('failures', () => {
  it('keep their reason', async () => {
    const refused = await server({ reason: 'connect', text: 'connect ECONNREFUSED' }).run();
    expect(refused).toMatchObject({
      status: 'unhealthy',
      reason: 'connect',
      message: 'GET http://upstream:8080/health: no answer: connect ECONNREFUSED',
    });
    expect(refused.data).toBeUndefined();
  });

  it.each([
    ['an unknown name', { code: 'ENOTFOUND', syscall: 'getaddrinfo' }, 'connect', 'dns'],
    ['a resolver that is away', { code: 'EAI_AGAIN', syscall: 'getaddrinfo' }, 'connect', 'dns'],
    ['a refused connection', { code: 'ECONNREFUSED', syscall: 'connect' }, 'connect', 'connect'],
    ['an unreachable host', { code: 'EHOSTUNREACH' }, 'connect', 'connect'],
    ['a reset in the handshake', { code: 'ECONNRESET' }, 'tls', 'tls'],
    ['a certificate of its own', { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' }, 'tls', 'tls'],
    ['a cut connection', { code: 'ECONNRESET' }, 'answer', 'connect'],
    ['what is no HTTP', { code: 'HPE_INVALID_CONSTANT' }, 'answer', 'protocol'],
    ['an error without a code', {}, 'answer', 'connect'],
  ] as const)('%s is named by its step', (_name, fields, phase, reason) => {
    const error = Object.assign(new Error('some\n  text '), fields);
    expect(readFailure(error, phase)).toEqual({ reason, text: 'some text' });
  });

  it('never show the credentials, the query or the headers', async () => {
    const texts: (string | undefined)[] = [];
    for (const answer of [500, [302, `${URL_WITH_SECRETS}x`], { reason: 'dns', text: 'no' }] as const) {
      const headers = { Authorization: 'Bearer t0ken' };
      texts.push((await server(answer as Exchanged).run({ url: URL_WITH_SECRETS, headers })).message);
    }
    expect(texts).toEqual([
      'GET http://db.internal:8080/health: answered 500',
      'GET http://db.internal:8080/health: answered 302, a redirect to http://db.internal:8080/health that is not followed',
      'GET http://db.internal:8080/health: no answer: no',
    ]);
  });
});

describe('time', () => {
  /** A server that is silent until its request is aborted. */
  function silent(options: Partial<HttpCheckOptions>, answerAfterMs = Number.POSITIVE_INFINITY) {
    const clock = new FakeClock();
    const log: string[] = [];
    const send = (_target: HttpTarget, signal: AbortSignal) =>
      new Promise<Exchanged>((resolve) => {
        clock.setTimeout(() => resolve({ status: 200, location: undefined }), answerAfterMs, { keepAlive: false });
        signal.addEventListener('abort', () => {
          log.push(`aborted at ${clock.now()}`);
          resolve({ reason: 'timeout', text: 'still waiting for an answer' });
        });
      });
    const check = httpCheckOver(send, { url: 'http://upstream/', clock, ...options });
    return { clock, log, result: runCheck(check, { clock }) };
  }

  it('is bounded by timeoutMs, and the text says what it waited for', async () => {
    for (const [timeoutMs, abortedAt] of [
      [5000, 4990],
      [211, 201],
      [50, 45],
    ] as const) {
      const { clock, log, result } = silent({ timeoutMs });
      await clock.advance(timeoutMs);
      expect(await result).toMatchObject({
        status: 'unhealthy',
        reason: 'timeout',
        message: `GET http://upstream/: no answer within ${timeoutMs} ms: still waiting for an answer`,
      });
      expect(log).toEqual([`aborted at ${abortedAt}`]);
    }
  });

  it('an answer that is there when the deadline fires late wins', async () => {
    const { clock, result } = silent({ timeoutMs: 1000 }, 995);
    clock.freeze(3000);
    await clock.advance(0);
    expect((await result).status).toBe('healthy');
  });

  it('leaves no timer behind', async () => {
    const { clock, result } = silent({}, 10);
    await clock.advance(10);
    await result;
    expect(clock.pending).toBe(0);
  });

  it('a slow answer is degraded where degradedAboveMs says so', async () => {
    const slow = async (took: number, options: Partial<HttpCheckOptions>) => {
      const { clock, result } = silent(options, took);
      await clock.advance(took);
      return result;
    };
    expect(await slow(301, { degradedAboveMs: 300 })).toMatchObject({
      status: 'degraded',
      reason: 'slow',
      message: 'GET http://upstream/: answered 200 after 301 ms, more than 300 ms',
    });
    expect((await slow(300, { degradedAboveMs: 300 })).status).toBe('healthy');
    expect((await slow(4000, {})).status).toBe('healthy');
  });

  it('ends when the signal of the run aborts', async () => {
    const aborted = new AbortController();
    const clock = new FakeClock();
    const seen: AbortSignal[] = [];
    const check = httpCheckOver(
      (_target, signal) => {
        seen.push(signal);
        return new Promise(() => {});
      },
      { url: 'http://upstream/', clock },
    );
    void check.check({ signal: aborted.signal });
    aborted.abort();
    expect(seen.map((signal) => signal.aborted)).toEqual([true]);
  });
});

describe('refusals', () => {
  it.each<[string, object]>([
    ['no url', {}],
    ['a relative url', { url: '/secret' }],
    ['another scheme', { url: 'ftp://user:secret@h/' }],
    ['a url that is none', { url: 'http://user:secret@' }],
    ['credentials that cannot be decoded', { url: 'http://secret:%@h/' }],
    ['a url of another type', { url: { secret: 1 } }],
    ['another method', { url: 'http://h/', method: 'POST' }],
    ['headers that are no object', { url: 'http://h/', headers: 'secret' }],
    ['a header name that HTTP does not allow', { url: 'http://h/', headers: { 'a b': 'secret' } }],
    ['a header with a line break', { url: 'http://h/', headers: { a: 'secret\r\nb: c' } }],
    ['a header that is no text', { url: 'http://h/', headers: { a: 5 } }],
    ['a header without a value', { url: 'http://h/', headers: { a: undefined } }],
    ['a status that is none', { url: 'http://h/', expectedStatus: 99 }],
    ['a status that is text', { url: 'http://h/', expectedStatus: '200' }],
    ['no status at all', { url: 'http://h/', expectedStatus: [] }],
    ['half a redirect', { url: 'http://h/', maxRedirects: 0.5 }],
    ['a negative limit', { url: 'http://h/', degradedAboveMs: -1 }],
    ['tls that is no object', { url: 'http://h/', tls: true }],
    ['a timeout of 0', { url: 'http://h/', timeoutMs: 0 }],
    ['a misspelt option', { url: 'http://h/', expectStatus: 200 }],
  ])('%s', (_name, options) => {
    let thrown: unknown;
    try {
      httpCheck(options as HttpCheckOptions);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toMatchObject({ code: 'invalid_option' });
    expect(String(thrown)).not.toContain('secret');
  });
});
