import { connect, createServer, type Http2ServerRequest } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createHealthHandler } from '../../../src/http/index.js';
import { reporterOf, reportOf } from '../../http/support/asking.js';

// The compatibility API of node:http2 takes the same handler.
const handler = createHealthHandler<Http2ServerRequest>(reporterOf(() => reportOf({ name: 'a' })));
const server = createServer((request, response) => {
  if (!handler(request, response)) response.end('app');
});

beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
afterAll(() => new Promise((resolve) => server.close(resolve)));

it.each([
  ['GET', '/readyz', 200, 'ok'],
  ['HEAD', '/readyz', 200, ''],
  ['POST', '/readyz', 405, 'method not allowed\n'],
  ['GET', '/readyz/none', 404, 'not found\n'],
  ['GET', '/other', 200, 'app'],
])('over HTTP/2 %s %s is answered with %i', async (method, path, status, body) => {
  const client = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const stream = client.request({ ':method': method, ':path': path, accept: 'text/plain' });
  const headers = await new Promise<Record<string, unknown>>((resolve) => stream.once('response', resolve));
  let text = '';
  for await (const chunk of stream) text += chunk;
  client.close();
  expect([headers[':status'], text]).toEqual([status, body]);
  if (path.startsWith('/readyz')) expect(headers['cache-control']).toBe('no-store');
});
