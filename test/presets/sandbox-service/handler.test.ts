import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { parseServiceHealth, type ServicesHandlerOptions } from '../../../src/presets/sandbox-service/index.js';
import { Stage } from './support/stage.js';

async function ask(url: string, method = 'GET', options?: ServicesHandlerOptions) {
  const stage = new Stage();
  stage.observe({ readinessCheck: { path: '/readyz' } });
  await stage.ends(200);
  stage.services.expose({ workspace: 'team', sandbox: 'other', port: 9 });
  stage.services.expose({ workspace: 'w', sandbox: 'box', port: 9, host: 'internal' });
  const request = Object.assign(new IncomingMessage(new Socket()), { url, method });
  const response = new ServerResponse(request);
  const written: unknown[] = [];
  Object.assign(response, { end: (body?: string) => written.push(body) });
  const calls = stage.calls.length;
  const taken = stage.services.handler(options)(request, response);
  expect(stage.calls).toHaveLength(calls);
  await stage.services.stop();
  return { taken, status: response.statusCode, head: String(Reflect.get(response, '_header')), body: written[0] };
}

const listed = async (url: string) => JSON.parse(String((await ask(url)).body)).services;

describe('handler()', () => {
  it('lists the services with health and labels, in the names of the published message', async () => {
    const { taken, status, head, body } = await ask('/services');
    expect([taken, status]).toEqual([true, 200]);
    expect(head).toContain('Content-Type: application/json; charset=utf-8\r\n');
    expect(head).toContain('Cache-Control: no-store\r\n');
    expect(head).toContain('X-Content-Type-Options: nosniff\r\n');
    expect(head).toContain(`Content-Length: ${Buffer.byteLength(String(body))}\r\n`);
    const [first, second] = JSON.parse(String(body)).services;
    expect(first).toEqual({
      endpoint: {
        workspace: 'team',
        sandbox: 'box',
        service: 'web',
        host: '127.0.0.1',
        port: 8080,
        readiness_check: { path: '/readyz' },
      },
      url: 'http://127.0.0.1:8080/',
      health: {
        state: 'SERVICE_HEALTH_STATE_HEALTHY',
        last_checked_time: '2024-01-01T00:00:00.000Z',
        message: 'HTTP 200',
        http_status_code: 200,
      },
      label: 'Ready',
    });
    expect(second).toMatchObject({ label: 'Unknown', health: { state: 'SERVICE_HEALTH_STATE_UNKNOWN' } });
    expect(second.endpoint).not.toHaveProperty('readiness_check');
    expect(parseServiceHealth(first.health)).toMatchObject({ state: 'healthy', httpStatusCode: 200 });
  });

  it.each([
    ['/services?workspace=team', ['box', 'other']],
    ['/services?sandbox=box', ['box', 'box']],
    ['/services/?workspace=w&sandbox=box&x=1', ['box']],
    ['/services?workspace=no', []],
    ['/services?workspace=', []],
    ['/services?%zz', ['box', 'other', 'box']],
  ])('%s', async (url, sandboxes) => {
    const services = await listed(url);
    expect(services.map(({ endpoint }: { endpoint: { sandbox: string } }) => endpoint.sandbox)).toEqual(sandboxes);
  });

  it('answers HEAD with the same headers and no body', async () => {
    const [get, head] = [await ask('/services'), await ask('/services', 'HEAD')];
    expect([head.taken, head.status, head.body ?? '']).toEqual([true, 200, '']);
    expect(head.head.replace(/Date: .*\r\n/, '')).toBe(get.head.replace(/Date: .*\r\n/, ''));
  });

  it('refuses other methods', async () => {
    const { taken, status, head } = await ask('/services', 'POST');
    expect([taken, status]).toEqual([true, 405]);
    expect(head).toContain('Allow: GET, HEAD\r\n');
  });

  it.each(['/', '/servicesx', '/services/web', '/Services', '', '/x?/services'])('leaves %j alone', async (url) => {
    expect(await ask(url)).toMatchObject({ taken: false, body: undefined });
  });

  it('may be somewhere else', async () => {
    expect((await ask('/api/v1/services', 'GET', { path: '/api/v1/services' })).taken).toBe(true);
    expect((await ask('/services', 'GET', { path: '/api/v1/services' })).taken).toBe(false);
  });
});
