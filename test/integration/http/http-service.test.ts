import { Agent, createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createSecureServer, Agent as SecureAgent, request as secureRequest } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { connect as connectSecurely } from 'node:tls';
import express from 'express';
import express4 from 'express4';
import fastify, { type FastifyInstance } from 'fastify';
import fastify4 from 'fastify4';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { healthRouter } from '../../../src/http/express.js';
import { healthPlugin } from '../../../src/http/fastify.js';
import { createHealthHandler, type HttpServiceOptions, httpService } from '../../../src/http/index.js';
import { Controller, type ControllerOptions, type Outcome } from '../../../src/index.js';
import { Deferred } from '../../controller/support/deferred.js';
import { remembering } from '../../http/support/asking.js';
import { ask } from './support/ask.js';
import { tls } from './support/tls.js';

const closers: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** Begins the shutdown; the drain lasts until it is told to end. */
function drain(controller: Controller): { readonly stopped: Promise<Outcome>; readonly end: () => void } {
  const end = controller.hold('test');
  return { stopped: controller.stop(), end };
}

type Target = Parameters<typeof httpService>[0];

/** A controller with one HTTP service on a port of its own. */
async function run(target: Target, options: Partial<HttpServiceOptions> = {}, lifecycle: ControllerOptions = {}) {
  const controller = new Controller({
    holdTimeoutMs: 30_000,
    shutdownTimeoutMs: 10_000,
    reportRunState: true,
    ...lifecycle,
  });
  closers.push(() => controller.stop());
  const service = httpService(target, { port: 0, host: '127.0.0.1', controller, ...options });
  controller.register('http', service);
  controller.start();
  await controller.whenReady();
  const server = 'server' in target ? target.server : target;
  const { port } = server.address() as AddressInfo;
  return { controller, origin: `http://127.0.0.1:${port}`, port };
}

/** Answers each request when it is told to. */
function held(): { listener: RequestListener; arrived: () => number; release: () => void } {
  const gate = new Deferred();
  let arrived = 0;
  const listener: RequestListener = (_request, response) => {
    arrived++;
    void gate.promise.then(() => response.end('done'));
  };
  return { listener, arrived: () => arrived, release: () => gate.resolve() };
}

const quick: RequestListener = (_request, response) => {
  response.end('quick');
};

function keepAlive(): Agent {
  const agent = new Agent({ keepAlive: true });
  closers.push(() => agent.destroy());
  return agent;
}

async function socketTo(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  closers.push(() => socket.destroy());
  socket.on('error', () => {});
  await new Promise((resolve) => socket.once('connect', resolve));
  return socket;
}

const closed = (socket: Socket) => new Promise<void>((resolve) => socket.once('close', () => resolve()));

const took = async (work: Promise<unknown>) => {
  const began = performance.now();
  await work;
  return performance.now() - began;
};

describe('an HTTP service', () => {
  it('listens at start, and its status says so', async () => {
    const logger = remembering();
    const server = createServer(quick);
    const { controller, origin } = await run(server, { logger });
    expect((await ask(origin, '/')).body).toBe('quick');
    expect((await controller.status()).services).toMatchObject([{ name: 'http', status: 'OK' }]);
    expect(logger.lines).toEqual([`info listening on ${origin}`]);
    server.close();
    expect((await controller.status()).services).toMatchObject([
      { status: 'ERROR', error: 'the server does not listen', reason: 'not_listening' },
    ]);
  });

  it('fails to start with the system’s code where the port is taken', async () => {
    const { port } = await run(createServer(quick));
    const controller = new Controller();
    controller.register('second', httpService(createServer(quick), { port, host: '127.0.0.1' }));
    const failed = new Promise((resolve) => controller.on('service', resolve));
    controller.start();
    expect(await failed).toMatchObject({
      kind: 'unable_to_start',
      error: {
        code: 'EADDRINUSE',
        message: `httpService(): cannot listen on port ${port} of 127.0.0.1: something else listens there`,
      },
    });
    await controller.stop();
  });

  it('starts again after a stop, and keeps connections alive again', async () => {
    const server = createServer(quick);
    const service = httpService(server, { port: 0, host: '127.0.0.1' });
    for (const _time of ['first', 'second']) {
      const controller = new Controller({ reportRunState: true });
      controller.register('http', service);
      controller.start();
      await controller.whenReady();
      const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const agent = keepAlive();
      await ask(origin, '/', { agent });
      expect((await ask(origin, '/', { agent })).reused).toBe(true);
      await controller.stop();
      expect(server.listening).toBe(false);
    }
  });

  it.each([
    [{ port: -1 }, 'httpService(): option "port"'],
    [{}, 'httpService(): option "port"'],
    [{ port: 0, controller: {} }, 'option "controller": expected an object with the methods on'],
    [{ port: 0, onLongLived: 1 }, 'option "onLongLived"'],
    [{ port: 0, timeoutMs: 1 }, 'unknown option "timeoutMs"'],
  ])('refuses %j', (options, sentence) => {
    expect(() => httpService(createServer(), options as never)).toThrow(sentence);
  });

  it.each([undefined, null, {}, () => {}, { server: {}, listen() {}, close() {} }])(
    'refuses %j for a server',
    (target) => {
      expect(() => httpService(target as never, { port: 0 })).toThrow(
        expect.objectContaining({ code: 'invalid_option' }),
      );
    },
  );
});

describe('during the drain', () => {
  it('requests under way and new ones are served, each as the last on its connection', async () => {
    const { listener, arrived, release } = held();
    const { controller, origin } = await run(createServer(listener));
    const agent = keepAlive();
    const underWay = ask(origin, '/', { agent });
    await expect.poll(arrived).toBe(1);
    const { stopped, end } = drain(controller);
    const late = ask(origin, '/', { agent });
    await expect.poll(arrived).toBe(2);
    release();
    expect(await underWay).toMatchObject({ body: 'done', headers: { connection: 'close' } });
    expect(await late).toMatchObject({ body: 'done', headers: { connection: 'close' } });
    end();
    expect(await stopped).toMatchObject({ exitCode: 0, unfinished: [] });
  });

  it('a connection that was kept alive is used once more and then closed by the answer', async () => {
    const { controller, origin } = await run(createServer(quick));
    const agent = keepAlive();
    expect((await ask(origin, '/', { agent })).headers.connection).toBe('keep-alive');
    const { stopped, end } = drain(controller);
    expect(await ask(origin, '/', { agent })).toMatchObject({ reused: true, headers: { connection: 'close' } });
    expect(await ask(origin, '/', { agent })).toMatchObject({ reused: false, headers: { connection: 'close' } });
    end();
    await stopped;
  });

  it('without a controller nothing changes before the stop', async () => {
    const { controller, origin } = await run(createServer(quick), { controller: undefined });
    const agent = keepAlive();
    const { stopped, end } = drain(controller);
    expect((await ask(origin, '/', { agent })).headers.connection).toBe('keep-alive');
    end();
    await stopped;
  });
});

describe('the stop', () => {
  // Case 82: requests under way were cut.
  it('lets every request under way be answered whole, and takes no new connection', async () => {
    const gate = new Deferred();
    let arrived = 0;
    const server = createServer((_request, response) => {
      arrived++;
      response.write('a'.repeat(100_000));
      void gate.promise.then(() => response.end('end'));
    });
    const { controller, origin } = await run(server);
    const agent = keepAlive();
    const answers = Array.from({ length: 5 }, () => ask(origin, '/', { agent }));
    await expect.poll(() => arrived).toBe(5);
    const stopped = controller.stop();
    await expect.poll(() => server.listening).toBe(false);
    await expect(ask(origin, '/')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    gate.resolve();
    for (const { body } of await Promise.all(answers)) expect(body).toHaveLength(100_003);
    expect(await stopped).toMatchObject({ exitCode: 0, stopErrors: [] });
  });

  it('lets an upload under way arrive', async () => {
    const server = createServer((request, response) => {
      let bytes = 0;
      request.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
      });
      request.on('end', () => response.end(String(bytes)));
    });
    const { controller, port } = await run(server);
    const socket = await socketTo(port);
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk;
    });
    socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n12345');
    await new Promise((resolve) => setTimeout(resolve, 50));
    const stopped = controller.stop();
    await expect.poll(() => server.listening).toBe(false);
    socket.write('67890');
    await closed(socket);
    expect(answer).toMatch(/\r\nConnection: close\r\n[\s\S]*10/);
    expect(await stopped).toMatchObject({ exitCode: 0 });
  });

  it('answers a request that had arrived but was not read yet', async () => {
    const server = createServer(quick);
    const { controller, port } = await run(server);
    const socket = await socketTo(port);
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk;
    });
    await new Promise((resolve) => setTimeout(resolve, 20));
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    // The loop is held up, so that the request waits in the kernel while the stop begins.
    const until = performance.now() + 50;
    while (performance.now() < until);
    const stopped = controller.stop();
    await stopped;
    expect(answer).toContain('quick');
  });

  // Case 81: idle sockets held the close up for their keep-alive time.
  it('does not wait for connections that are idle, silent or in the middle of a header', async () => {
    const { controller, origin, port } = await run(createServer({ keepAliveTimeout: 60_000 }, quick));
    const agent = keepAlive();
    await ask(origin, '/', { agent });
    const silent = await socketTo(port);
    const half = await socketTo(port);
    half.write('GET / HTTP/1.1\r\nHos');
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(await took(controller.stop())).toBeLessThan(1000);
    await Promise.all([silent, half].map((socket) => socket.closed || closed(socket)));
    expect(await controller.wait()).toMatchObject({ exitCode: 0, unfinished: [] });
  });

  // Case 86: the whole time was waited although all was done.
  it('ends with the last request, not with its time', async () => {
    const { listener, arrived, release } = held();
    const { controller, origin } = await run(createServer(listener), {}, { shutdownTimeoutMs: 30_000 });
    const answer = ask(origin, '/', { agent: keepAlive() });
    await expect.poll(arrived).toBe(1);
    const stopped = controller.stop();
    setTimeout(release, 50);
    expect(await took(stopped)).toBeLessThan(1500);
    expect((await answer).body).toBe('done');
  });

  it('destroys at the deadline what is left, and says how much of it was in use', async () => {
    const { listener, arrived } = held();
    const { controller, origin } = await run(createServer(listener), {}, { shutdownTimeoutMs: 300 });
    const answers = [1, 2].map(() => ask(origin, '/').catch((error: { code: string }) => error.code));
    await expect.poll(arrived).toBe(2);
    const outcome = await controller.stop();
    expect(await Promise.all(answers)).toEqual(['ECONNRESET', 'ECONNRESET']);
    expect(outcome.exitCode).not.toBe(0);
    expect(outcome.stopErrors).toMatchObject([
      { service: 'http', error: { message: '2 connections were still in use at the deadline and were destroyed' } },
    ]);
  });

  it('with no time at all destroys what is there', async () => {
    const { listener, arrived } = held();
    const { controller, origin } = await run(createServer(listener), {}, { shutdownTimeoutMs: 0 });
    const answer = ask(origin, '/').catch((error: { code: string }) => error.code);
    await expect.poll(arrived).toBe(1);
    expect(await took(controller.stop())).toBeLessThan(500);
    expect(await answer).toBe('ECONNRESET');
  });
});

describe('connections that do not end by themselves', () => {
  it('of WebSockets are handed to the hook, which says goodbye', async () => {
    const server = createServer(quick);
    const sockets = new WebSocketServer({ server });
    const seen: string[] = [];
    const { controller, port } = await run(server, {
      onLongLived: ({ kind, request, response }) => {
        seen.push(`${kind} ${request.url} ${response}`);
        for (const client of sockets.clients) client.close(1001, 'restart');
      },
    });
    const client = new WebSocket(`ws://127.0.0.1:${port}/live`);
    await new Promise((resolve) => client.once('open', resolve));
    const goodbye = new Promise((resolve) => client.once('close', (code, reason) => resolve(`${code} ${reason}`)));
    const outcome = await controller.stop();
    expect(await goodbye).toBe('1001 restart');
    expect(seen).toEqual(['upgrade /live undefined']);
    expect(outcome).toMatchObject({ exitCode: 0 });
  });

  it('without a hook are waited for until the deadline, then destroyed and counted', async () => {
    const server = createServer(quick);
    new WebSocketServer({ server });
    const { controller, port } = await run(server, {}, { shutdownTimeoutMs: 200 });
    const client = new WebSocket(`ws://127.0.0.1:${port}/`);
    client.on('error', () => {});
    await new Promise((resolve) => client.once('open', resolve));
    const gone = new Promise((resolve) => client.once('close', resolve));
    const { stopErrors } = await controller.stop();
    expect(await gone).toBe(1006);
    expect(String(stopErrors[0]?.error)).toContain('1 connections were still in use');
  });

  it('of event streams are handed to the hook, however their headers were written', async () => {
    const server = createServer((request, response) => {
      if (request.url === '/a') response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      else response.setHeader('Content-Type', 'text/event-stream');
      response.write('data: 1\n\n');
    });
    const { controller, origin } = await run(server, {
      onLongLived: ({ kind, response }) => {
        if (kind === 'event-stream') response?.end('data: bye\n\n');
      },
    });
    // A client of event streams says what it accepts.
    const streams = [ask(origin, '/a', { headers: { accept: 'text/event-stream' } }), ask(origin, '/b')];
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await controller.stop()).toMatchObject({ exitCode: 0 });
    for (const { body } of await Promise.all(streams)) expect(body).toBe('data: 1\n\ndata: bye\n\n');
  });

  it('are not lost by a hook that throws or rejects', async () => {
    const logger = remembering();
    const server = createServer(quick);
    server.on('upgrade', (_request, socket: Socket) => socket.write('HTTP/1.1 101 Switching Protocols\r\n\r\n'));
    let calls = 0;
    const { controller, port } = await run(
      server,
      {
        logger,
        onLongLived: () => {
          calls++;
          if (calls === 1) throw new Error('thrown');
          return Promise.reject(new Error('rejected'));
        },
      },
      { shutdownTimeoutMs: 200 },
    );
    const upgraded = await Promise.all([socketTo(port), socketTo(port)]);
    for (const socket of upgraded) {
      socket.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n');
      await new Promise((resolve) => socket.once('data', resolve));
    }
    const { stopErrors } = await controller.stop();
    expect(String(stopErrors[0]?.error)).toContain('2 connections');
    expect(logger.lines.slice(1)).toEqual(['error onLongLived failed: thrown', 'error onLongLived failed: rejected']);
  });

  it('an upgrade that nobody listens for is answered as any request', async () => {
    const { origin, controller } = await run(createServer(quick));
    const headers = { connection: 'Upgrade', upgrade: 'websocket' };
    expect((await ask(origin, '/', { headers })).body).toBe('quick');
    await controller.stop();
  });

  it('an application may begin and cease to take upgrades', async () => {
    const server = createServer(quick);
    const { origin, controller } = await run(server);
    const refuse = (_request: unknown, socket: Socket) => {
      socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n');
    };
    const headers = { connection: 'Upgrade', upgrade: 'x' };
    server.on('upgrade', refuse);
    expect((await ask(origin, '/', { headers })).status).toBe(403);
    server.off('upgrade', refuse);
    expect((await ask(origin, '/', { headers })).status).toBe(200);
    expect(server.listenerCount('upgrade')).toBe(0);
    expect(await took(controller.stop())).toBeLessThan(1000);
  });
});

describe('over TLS', () => {
  const asked = (port: number, agent: SecureAgent) =>
    new Promise<{ body: string; connection: string | undefined }>((resolve, reject) => {
      secureRequest({ port, host: '127.0.0.1', agent, rejectUnauthorized: false }, (response) => {
        let body = '';
        response.on('data', (chunk) => {
          body += chunk;
        });
        response.on('end', () => resolve({ body, connection: response.headers.connection }));
      })
        .on('error', reject)
        .end();
    });

  it('the same holds, and a handshake that never comes is not waited for', async () => {
    const { listener, arrived, release } = held();
    const server = createSecureServer(tls, listener) as unknown as Server;
    const { controller, port } = await run(server);
    const agent = new SecureAgent({ keepAlive: true });
    closers.push(() => agent.destroy());
    const answer = asked(port, agent);
    await expect.poll(arrived).toBe(1);
    const noHandshake = await socketTo(port);
    const idle = connectSecurely({ port, host: '127.0.0.1', rejectUnauthorized: false });
    idle.on('error', () => {});
    await new Promise((resolve) => idle.once('secureConnect', resolve));
    const { stopped, end } = drain(controller);
    const during = asked(port, agent);
    await expect.poll(arrived).toBe(2);
    end();
    await expect.poll(() => server.listening).toBe(false);
    release();
    expect(await answer).toEqual({ body: 'done', connection: 'close' });
    expect(await during).toEqual({ body: 'done', connection: 'close' });
    expect(await took(stopped)).toBeLessThan(2000);
    expect(await stopped).toMatchObject({ exitCode: 0, unfinished: [] });
    await (noHandshake.closed || closed(noHandshake));
  });

  it('its URL says so', async () => {
    const logger = remembering();
    const { port } = await run(createSecureServer(tls, quick) as unknown as Server, { logger });
    expect(logger.lines).toEqual([`info listening on https://127.0.0.1:${port}`]);
  });
});

describe.each([
  ['Express 5', express],
  ['Express 4', express4],
])('%s', (_name, make) => {
  it('serves its requests and its health to the end of the drain', async () => {
    const gate = new Deferred();
    const app = make();
    const server = createServer(app);
    const { controller, origin } = await run(server);
    app.use(healthRouter(controller));
    app.get('/work', async (_request, response) => {
      await gate.promise;
      response.send('worked');
    });
    const work = ask(origin, '/work');
    const { stopped, end } = drain(controller);
    expect((await ask(origin, '/readyz')).status).toBe(503);
    expect((await ask(origin, '/livez')).status).toBe(200);
    end();
    await expect.poll(() => server.listening).toBe(false);
    gate.resolve();
    expect(await work).toMatchObject({ status: 200, body: 'worked', headers: { connection: 'close' } });
    expect(await stopped).toMatchObject({ exitCode: 0 });
  });
});

const fastifies: readonly [string, () => FastifyInstance][] = [
  ['Fastify 5', () => fastify()],
  ['Fastify 4', () => fastify4() as unknown as FastifyInstance],
  ['Fastify 5 with forceCloseConnections', () => fastify({ forceCloseConnections: true })],
];

describe.each(fastifies)('%s', (name, make) => {
  // Case 90: the framework answered 503 to everything from the moment the shutdown began.
  it('answers its own 503 only after the drain, and runs its hooks', async () => {
    const gate = new Deferred();
    const app = make();
    const events: string[] = [];
    const controller = new Controller({ holdTimeoutMs: 30_000, reportRunState: true });
    await app.register(healthPlugin, { reporter: controller });
    app.get('/work', async () => {
      await gate.promise;
      return 'worked';
    });
    app.get('/quick', async () => 'quick');
    app.addHook('onClose', async () => {
      events.push('onClose');
    });
    controller.register('http', httpService(app, { port: 0, host: '127.0.0.1', controller }));
    controller.start();
    closers.push(() => controller.stop());
    await controller.whenReady();
    const origin = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
    const work = ask(origin, '/work').catch((error: { code: string }) => error);
    await ask(origin, '/quick');
    const { stopped, end } = drain(controller);
    for (let i = 0; i < 5; i++) {
      expect(await ask(origin, '/quick')).toMatchObject({ status: 200, headers: { connection: 'close' } });
      expect((await ask(origin, '/readyz')).status).toBe(503);
      expect((await ask(origin, '/livez')).status).toBe(200);
    }
    expect(events).toEqual([]);
    end();
    await expect.poll(() => app.server.listening).toBe(false);
    gate.resolve();
    // Who asks Fastify to cut what is under way gets that.
    if (name.includes('force')) expect(await work).toMatchObject({ code: 'ECONNRESET' });
    else expect(await work).toMatchObject({ status: 200, body: 'worked', headers: { connection: 'close' } });
    expect(await stopped).toMatchObject({ exitCode: 0, unfinished: [] });
    expect(events).toEqual(['onClose']);
  });
});

it('health and application may share one server', async () => {
  const server = createServer();
  const { controller, origin } = await run(server);
  const health = createHealthHandler(controller);
  server.on('request', (request, response) => {
    if (!health(request, response)) response.end('app');
  });
  expect((await ask(origin, '/readyz')).status).toBe(200);
  expect((await ask(origin, '/')).body).toBe('app');
  const { stopped, end } = drain(controller);
  expect(await ask(origin, '/readyz')).toMatchObject({ status: 503, headers: { connection: 'close' } });
  end();
  await stopped;
});
