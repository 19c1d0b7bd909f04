import { describe, expect, it } from 'vitest';
import { createFetchHandler } from '../../src/http/fetch.js';
import { bearerToken } from '../../src/http/index.js';
import { reporterOf, reportOf } from './support/asking.js';

const reporter = reporterOf(() => reportOf({ name: 'ü', status: 'ERROR', error: 'why' }));
const health = createFetchHandler(reporter);

describe('the fetch handler', () => {
  it('says undefined at once for what is not ours', () => {
    expect(health(new Request('http://h/'))).toBeUndefined();
    expect(health(new Request('http://readyz/other?/readyz#/readyz'))).toBeUndefined();
  });

  it('gives a response with the length in bytes', async () => {
    const response = await health(new Request('http://h/readyz?x#fragment'));
    expect(response?.status).toBe(503);
    const bytes = (await response?.arrayBuffer())?.byteLength;
    expect(response?.headers.get('content-length')).toBe(String(bytes));
    expect(response?.headers.get('cache-control')).toBe('no-store');
  });

  it('gives each caller a response of its own', async () => {
    const [a, b] = await Promise.all([health(new Request('http://h/readyz')), health(new Request('http://h/readyz'))]);
    expect(await a?.text()).toBe(await b?.text());
    a?.headers.set('x-mine', '1');
    expect((await health(new Request('http://h/readyz')))?.headers.get('x-mine')).toBeNull();
  });

  it('gives HEAD the headers and no body', async () => {
    const response = await health(new Request('http://h/readyz', { method: 'HEAD' }));
    expect(response?.body).toBeNull();
    expect(Number(response?.headers.get('content-length'))).toBeGreaterThan(0);
  });

  it('finds entries whose name the URL encodes', async () => {
    expect((await health(new Request('https://h:8443/readyz/ü')))?.status).toBe(503);
    expect((await health(new Request('https://h:8443/readyz/u')))?.status).toBe(404);
  });

  it('shows its policy the request', async () => {
    const shown = createFetchHandler(reporter, { details: bearerToken('secret-token') });
    const text = async (headers: Record<string, string>) =>
      (await shown(new Request('http://h/readyz', { headers })))?.text();
    expect(await text({ authorization: 'Bearer secret-token' })).toContain('why');
    expect(await text({})).not.toContain('why');
  });

  it('refuses options that are wrong', () => {
    expect(() => createFetchHandler(reporter, { details: 'no' as 'never' })).toThrow(
      'createFetchHandler(): option "details"',
    );
  });
});
