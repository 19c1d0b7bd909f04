import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { Line, Stage } from './support/stage.js';

const CHECKED = { readinessCheck: { path: '/readyz' } };

/** What is known after one attempt whose line is answered with this text. */
async function heard(text: string, more = {}) {
  const stage = new Stage({ failureThreshold: 1 });
  stage.observe(more);
  const call = stage.last;
  call.connect();
  call.line.push(text);
  await stage.settle();
  const { state, message, httpStatusCode } = stage.health;
  return { stage, call, known: [state, message, httpStatusCode] };
}

describe('the request', () => {
  it('is one GET of the path, without credentials, on a connection that ends', async () => {
    const { call } = await heard('HTTP/1.1 200 OK\r\n\r\n', CHECKED);
    expect(call.line.sent).toBe(
      'GET /readyz HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nAccept: */*\r\nUser-Agent: health-controller\r\n' +
        'Connection: close\r\n\r\n',
    );
  });

  // Case 74: a Host header that is not the target's.
  it.each([
    ['::1', '[::1]:8080'],
    ['localhost', 'localhost:8080'],
    ['internal.local', 'internal.local:8080'],
  ])('names %s as %s', async (host, expected) => {
    const { call } = await heard('', { host });
    expect(call.line.sent).toContain(`\r\nHost: ${expected}\r\n`);
  });

  it('tells the relay where to connect', () => {
    const stage = new Stage();
    stage.observe({ host: '127.0.0.9' });
    expect(stage.last.target).toEqual({
      workspace: 'team',
      sandbox: 'box',
      service: 'web',
      host: '127.0.0.9',
      port: 8080,
      runtimeId: 'runtime-1',
    });
  });
});

describe('the answer', () => {
  it.each([
    [200, 'pass'],
    [204, 'pass'],
    [299, 'pass'],
    [101, 'fail'],
    [300, 'fail'],
    [301, 'fail'],
    [401, 'fail'],
    [404, 'fail'],
    [500, 'fail'],
    [503, 'fail'],
    [999, 'fail'],
  ])('%i is, for a readiness check, a %s', async (status, expected) => {
    const { known } = await heard(`HTTP/1.1 ${status} Text\r\n\r\n`, CHECKED);
    // Case 70: a redirect is not followed, and says so.
    const note = status >= 300 && status < 400 ? '; redirects are not followed' : '';
    expect(known).toEqual(
      expected === 'pass'
        ? ['healthy', `HTTP ${status}`, status]
        : ['unhealthy', `HTTP ${status}, expected 2xx${note}`, status],
    );
  });

  it.each([101, 200, 302, 404, 500, 599])('%i passes where there is no readiness check', async (status) => {
    const { known } = await heard(`HTTP/1.1 ${status} Text\r\n\r\n`);
    expect(known).toEqual(['healthy', `HTTP ${status}`, status]);
  });

  it.each([
    ['HTTP/1.1 100 Continue\r\n\r\n'],
    ['HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'],
    ['HTTP/1.1 100 Continue\r\n\r\n'.repeat(32)],
  ])('skips informational responses (%#)', async (informational) => {
    const { known } = await heard(`${informational}HTTP/1.1 503 Text\r\n\r\n`, CHECKED);
    expect(known).toEqual(['unhealthy', 'HTTP 503, expected 2xx', 503]);
  });

  const notHttp = 'response is not valid HTTP/1.1';
  const tooLarge = 'response headers are larger than 16384 bytes';

  it.each([
    ['a greeting of SSH', 'SSH-2.0-OpenSSH_9.2\r\n', notHttp],
    ['a record of TLS', '\x16\x03\x01\x02\0', notHttp],
    ['another version', 'HTTP/2 200\r\n\r\n', notHttp],
    ['a status of four digits', 'HTTP/1.1 2000 OK\r\n\r\n', notHttp],
    ['a status below 100', 'HTTP/1.1 099 OK\r\n\r\n', notHttp],
    ['a header that is none', 'HTTP/1.1 200 OK\r\nno colon\r\n\r\n', notHttp],
    ['one huge header', `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(17_000)}`, tooLarge],
    ['many headers', `HTTP/1.1 200 OK\r\n${'X: y\r\n'.repeat(9000)}`, tooLarge],
    ['a status line without end', `HTTP/1.1 200 ${'x'.repeat(17_000)}`, tooLarge],
    [
      'only informational ones',
      'HTTP/1.1 100 Continue\r\n\r\n'.repeat(33),
      'more than 32 informational responses and no final one',
    ],
  ])('is none where it is %s', async (_name, text, message) => {
    expect((await heard(text)).known).toEqual(['unhealthy', message, undefined]);
  });

  it('is not waited for beyond the headers', async () => {
    const { known, call, stage } = await heard('HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\nbeginning', CHECKED);
    expect(known).toEqual(['healthy', 'HTTP 200', 200]);
    expect(call.line.destroyed).toBe(true);
    expect(stage.clock.timers.map(({ delayMs }) => delayMs)).toEqual([5000]);
  });
});

describe('a connection', () => {
  it.each([
    ['ECONNREFUSED', 'connection refused'],
    ['ECONNRESET', 'connection reset'],
    ['ETIMEDOUT', 'connection timed out'],
    ['EHOSTUNREACH', 'host is unreachable'],
    ['ENOTFOUND', 'host name was not found'],
    ['ANYTHING', 'connection failed'],
  ])('that fails with %s says: %s', async (code, message) => {
    const stage = new Stage({ failureThreshold: 1 });
    stage.observe();
    stage.last.refuse(code);
    await stage.settle();
    expect(stage.health).toMatchObject({ state: 'unhealthy', message });
  });

  it.each([
    ['undefined', undefined],
    ['a string', 'refused'],
    ['null', null],
    [
      'an error whose code throws',
      Object.defineProperty(new Error('x'), 'code', {
        get() {
          throw new Error('y');
        },
      }),
    ],
  ])('that fails with %s is a failure', async (_name, error) => {
    const stage = new Stage({ failureThreshold: 1 });
    stage.observe();
    stage.last.fail(error);
    await stage.settle();
    expect(stage.health).toMatchObject({ state: 'unhealthy', message: 'connection failed' });
  });

  it('whose relay throws at once is a failure', async () => {
    const relay = () => {
      throw Object.assign(new Error('no'), { code: 'ECONNREFUSED' });
    };
    const stage = new Stage({ relay, failureThreshold: 1 });
    stage.observe();
    await stage.settle();
    expect(stage.health).toMatchObject({ state: 'unhealthy', message: 'connection refused' });
  });

  it('may come at once, without a promise', async () => {
    const line = new Line();
    line.answer(200);
    const stage = new Stage({ relay: () => line });
    stage.observe();
    await stage.settle();
    expect(stage.health).toMatchObject({ state: 'healthy', httpStatusCode: 200 });
  });

  it('whose relay is unavailable says nothing about the service', async () => {
    const stage = new Stage();
    stage.observe();
    await stage.ends(200);
    await stage.next('inconclusive');
    expect(stage.health).toEqual({ state: 'unknown', message: 'relay is unavailable' });
  });

  it.each([
    ['undefined', undefined],
    ['an object', {}],
    ['a text', 'stream'],
    ['a stream of objects', new PassThrough({ objectMode: true })],
    ['a stream of text', new PassThrough({ encoding: 'utf8' })],
    [
      'an object that throws',
      new Proxy(
        {},
        {
          get(_target, key) {
            if (key === 'then') return undefined;
            throw new Error('no');
          },
        },
      ),
    ],
  ])('that is %s is a failure', async (name, stream) => {
    const stage = new Stage({ failureThreshold: 1 });
    stage.observe();
    const connected = stage.last;
    connected.connect(stream === undefined ? null : stream);
    await stage.settle();
    const message = name === 'an object that throws' ? 'connection failed' : 'relay returned no stream of bytes';
    expect(stage.health).toMatchObject({ state: 'unhealthy', message });
    expect(stage.clock.timers).toHaveLength(1);
  });

  it.each([
    ['ends', (line: Line) => line.push(null)],
    ['is destroyed', (line: Line) => line.destroy()],
    ['is reset', (line: Line) => line.destroy(Object.assign(new Error('x'), { code: 'ECONNRESET' }))],
  ])('that %s before the headers is a failure', async (_name, end) => {
    const stage = new Stage({ failureThreshold: 1 });
    stage.observe();
    stage.last.connect();
    await stage.settle();
    end(stage.last.line);
    await stage.settle();
    expect(stage.health).toMatchObject({
      state: 'unhealthy',
      message: 'connection closed before the response headers',
    });
  });

  it('that has ended before it is handed over is a failure at once', async () => {
    const stage = new Stage({ failureThreshold: 1 });
    stage.observe();
    stage.last.line.destroy();
    stage.last.connect();
    await stage.settle();
    expect(stage.health).toMatchObject({ message: 'connection closed before the response headers' });
  });

  it('that breaks for another reason is a failure', async () => {
    const stage = new Stage({ failureThreshold: 1 });
    stage.observe();
    stage.last.connect();
    await stage.settle();
    stage.last.line.destroy(Object.assign(new Error('secret of 10.0.0.5'), { code: 'EODD' }));
    await stage.settle();
    expect(stage.health).toMatchObject({ message: 'connection failed before the response headers' });
  });

  it('is let go of, so that it keeps no process alive', async () => {
    const stage = new Stage();
    stage.observe();
    let refs = 1;
    Object.assign(stage.last.line, { unref: () => refs-- });
    stage.last.connect();
    await stage.settle();
    expect(refs).toBe(0);
  });

  it('may fail after its attempt has ended, which harms nobody', async () => {
    const { call, stage, known } = await heard('HTTP/1.1 200 OK\r\n\r\n');
    call.line.emit('error', new Error('late'));
    await stage.settle();
    expect(known[0]).toBe('healthy');
  });
});

describe('the deadline', () => {
  it('covers the relay', async () => {
    const stage = new Stage({ failureThreshold: 1, timeoutMs: 700 });
    stage.observe();
    await stage.clock.advance(699);
    expect([stage.health.state, stage.last.signal.aborted]).toEqual(['unknown', false]);
    await stage.clock.advance(1);
    expect(stage.health).toMatchObject({ state: 'unhealthy', message: 'timed out after 700 ms while connecting' });
    expect(stage.last.signal.reason).toMatchObject({ name: 'HealthControllerError', code: 'timeout' });
  });

  it('covers the response headers too, counted from the beginning', async () => {
    const stage = new Stage({ failureThreshold: 1 });
    stage.observe();
    await stage.clock.advance(900);
    stage.last.connect();
    await stage.clock.advance(100);
    expect(stage.health.message).toBe('timed out after 1000 ms waiting for the response headers');
    expect(stage.last.line.destroyed).toBe(true);
  });

  it('is not put off by headers that come byte by byte', async () => {
    const stage = new Stage({ failureThreshold: 1 });
    stage.observe();
    stage.last.connect();
    for (const byte of 'HTTP/1.1 200 OK\r\nX-A: ') {
      stage.last.line.push(byte);
      await stage.clock.advance(45);
    }
    await stage.clock.advance(100);
    expect(stage.health).toMatchObject({
      state: 'unhealthy',
      message: 'timed out after 1000 ms waiting for the response headers',
    });
  });

  it('lets an answer win that came while the process was blocked', async () => {
    const stage = new Stage({ failureThreshold: 1 });
    stage.observe();
    stage.last.connect();
    await stage.settle();
    stage.clock.freeze(3000);
    // Read in the turn that follows the overdue timer.
    stage.clock.setTimeout(() => stage.last.line.answer(200), 0, { keepAlive: false });
    await stage.settle();
    expect(stage.health).toMatchObject({ state: 'healthy', httpStatusCode: 200 });
  });
});

describe('what comes too late', () => {
  it('a stream is destroyed', async () => {
    const stage = new Stage();
    stage.observe();
    await stage.clock.advance(1000);
    const { health } = stage;
    stage.last.answer(200);
    await stage.settle();
    expect([stage.last.line.destroyed, stage.last.line.sent]).toEqual([true, '']);
    expect(stage.health).toBe(health);
  });

  it('a rejection harms nobody', async () => {
    const stage = new Stage();
    stage.observe();
    await stage.clock.advance(1000);
    const { health } = stage;
    stage.last.refuse('relay_unavailable');
    await stage.settle();
    expect(stage.health).toBe(health);
  });
});

describe('a relay that ignores its signal', () => {
  const hung = () => new Stage({ intervalMs: 1000, timeoutMs: 500, failureThreshold: 100 });

  // Case 16, as it shows here: one call left behind for every timeout.
  it('is called no more while two calls hang, and again after ten timeouts', async () => {
    const stage = hung();
    stage.observe();
    const counts: number[] = [];
    for (let i = 0; i < 12; i++) {
      await stage.clock.advance(1000);
      counts.push(stage.calls.length);
    }
    expect(counts).toEqual([2, 2, 2, 2, 3, 4, 4, 4, 4, 5, 6, 6]);
    expect(stage.health.message).toBe('earlier connection attempts have not ended');
  });

  it('is called again once one of them has settled', async () => {
    const stage = hung();
    stage.observe();
    await stage.clock.advance(2000);
    expect(stage.calls).toHaveLength(2);
    stage.calls[0]?.refuse();
    await stage.clock.advance(1000);
    expect(stage.calls).toHaveLength(3);
  });

  it('is called at once for a new runtime', async () => {
    const stage = hung();
    stage.observe();
    await stage.clock.advance(2000);
    stage.box.ready('runtime-2');
    expect(stage.calls).toHaveLength(3);
  });
});
