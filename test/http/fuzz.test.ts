import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { HealthReporter } from '../../src/http/index.js';
import type { HealthReport, ServiceStatus } from '../../src/index.js';
import { asking } from './support/asking.js';

const names = ['db', 'a/b', 'host:5432', '100%', '__proto__', 'ünï', '<b>', 'x y'];

const piece = fc.oneof(
  fc.constantFrom(
    '/',
    '//',
    '?',
    '&',
    '=',
    '%',
    '%2F',
    '%zz',
    '%00',
    '%0A',
    ';',
    '#',
    '..',
    '*',
    'http://h',
    'READYZ',
    ...names,
  ),
  fc.constantFrom(
    '/readyz',
    '/livez',
    '/status',
    'exclude=',
    'verbose',
    'format=',
    'json',
    'text',
    'health',
    '<script>',
  ),
  fc.string({ maxLength: 8 }),
  fc.string({ unit: 'binary', maxLength: 8 }),
);
const target = fc.oneof(
  fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join('')),
  fc
    .tuple(fc.constantFrom('/readyz', '/livez/', '/STATUS/'), fc.array(piece, { maxLength: 12 }))
    .map(([path, pieces]) => path + pieces.join('')),
);
const method = fc.oneof(
  { arbitrary: fc.constantFrom('GET', 'HEAD'), weight: 4 },
  { arbitrary: fc.constantFrom('POST', 'get', 'OPTIONS', '', 'PROPFIND'), weight: 1 },
);
const accept = fc.option(
  fc.oneof(
    fc.constantFrom('*/*', 'text/plain', 'application/health+json', 'text/*;q=0.5,*/*;q=0'),
    fc
      .array(
        fc.constantFrom(
          'text',
          'application',
          '*',
          '/',
          'plain',
          'json',
          'health+json',
          ';',
          'q=',
          '0.5',
          '2',
          ',',
          ' ',
        ),
      )
      .map((all) => all.join('')),
    fc.string(),
  ),
  { nil: undefined },
);

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.constantFrom('http://u:s3cret@h', '\n[+]fake ok', '</script>'),
);
const entry = fc.record(
  {
    name: fc.oneof(fc.constantFrom(...names), fc.string({ unit: 'binary', maxLength: 20 })),
    kind: fc.constantFrom('service', 'check', 'other'),
    status: fc.constantFrom('OK', 'DEGRADED', 'ERROR', 'UP', 5),
    error: fc.oneof(text, fc.integer()),
    reason: fc.oneof(fc.constantFrom('failed', 'timeout'), text),
    data: fc.anything({ withBigInt: true, withDate: true, withSet: true }),
    durationMs: fc.double(),
    checkedAt: text,
  },
  { requiredKeys: ['name', 'status'] },
);
const report = fc.oneof(
  {
    arbitrary: fc.record({
      overallHealthy: fc.boolean(),
      state: text,
      reason: fc.option(text, { nil: undefined }),
      services: fc.array(entry, { maxLength: 5 }),
    }),
    weight: 4,
  },
  { arbitrary: fc.anything(), weight: 1 },
);

const MEDIA = /^(application\/json; charset=utf-8|application\/health\+json|text\/plain; charset=utf-8)$/;

it('whatever is asked of whatever reporter, the answer is well-formed, and no 5xx but 503', async () => {
  const given = fc.record({
    target,
    method,
    accept,
    report,
    selective: fc.boolean(),
    details: fc.boolean(),
    rejects: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(given, async ({ target, method, accept, report, selective, details, rejects }) => {
      const answer = () => (rejects ? Promise.reject(report) : report) as HealthReport;
      const reporter: HealthReporter = { status: answer, liveness: answer, readiness: answer };
      const asked = selective ? { ...reporter, names: () => names } : reporter;
      const ask = asking(asked, { details: () => details });
      const began = performance.now();
      const response = await ask(target, { method, ...(accept === undefined ? {} : { accept }) });
      expect(performance.now() - began).toBeLessThan(500);
      if (response === undefined) {
        expect(target).not.toMatch(/^\/(readyz|livez|status)([/?]|$)/i);
        return;
      }
      expect([200, 404, 405, 406, 503]).toContain(response.status);
      const { headers, body } = response;
      expect(headers['Content-Type']).toMatch(MEDIA);
      expect(headers['Content-Length']).toBe(String(Buffer.byteLength(body)));
      for (const value of Object.values(headers)) expect(value).toMatch(/^[\x20-\x7e]+$/);
      expect(response.headerList).toEqual(Object.entries(headers).flat());
      if (headers['Content-Type']?.includes('json')) {
        const parsed = JSON.parse(body);
        expect(JSON.stringify(parsed)).toBe(body);
      } else {
        // One line for each entry: nothing that was sent or reported adds one.
        expect(body).toMatch(/^(ok|([+[\]\-\w][^\p{Cc}\u2028\u2029]*\n)+)$/u);
      }
      expect(body).not.toContain('s3cret');
    }),
    { numRuns: 3000 },
  );
}, 60_000);

it('a healthy reporter is answered with 200, 404, 405 or 406 and never fails', async () => {
  const services = names.map((name) => Object.freeze({ name, kind: 'check', status: 'OK' }) as ServiceStatus);
  const healthy = { overallHealthy: true, state: 'running', services } as const;
  const answer = ({ only, exclude }: { only?: readonly string[]; exclude?: readonly string[] } = {}) => ({
    ...healthy,
    services: services.filter(({ name }) => (only?.includes(name) ?? true) && !exclude?.includes(name)),
  });
  const reporter = { status: answer, liveness: answer, readiness: answer, names: () => names } as HealthReporter;
  const ask = asking(reporter);
  await fc.assert(
    fc.asyncProperty(target, method, accept, async (target, method, accept) => {
      const response = await ask(target, { method, ...(accept === undefined ? {} : { accept }) });
      if (response !== undefined) expect([200, 404, 405, 406]).toContain(response.status);
    }),
    { numRuns: 3000 },
  );
}, 60_000);

it('every name has a path of its own', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 }), async (name) => {
      const entry = { name, kind: 'check', status: 'ERROR' };
      const answer = () => ({ overallHealthy: false, state: 'running', services: [entry] }) as unknown as HealthReport;
      const ask = asking({ status: answer, liveness: answer, readiness: answer, names: () => [name] });
      // Slashes at the end belong to the path where they are not encoded, and dots are no segments of ours.
      const response = await ask(`/readyz/${encodeURIComponent(name)}`);
      expect(response?.status).toBe(503);
    }),
  );
});

it('a target of any length takes time in proportion', async () => {
  const ask = asking({ status: () => null, liveness: () => null, readiness: () => null } as unknown as HealthReporter);
  for (const piece of ['/', '//readyz', '%', '%2F', '?exclude=a&', '&', '=', 'a', 'http://', 'a%72']) {
    const began = performance.now();
    await ask(`/readyz${piece.repeat(50_000)}`);
    await ask(piece.repeat(50_000));
    await ask('/readyz', { accept: piece.repeat(50_000) });
    await ask('/readyz', { accept: 'text/plain;q=0.1,'.repeat(20_000) });
    expect([piece, performance.now() - began < 2000]).toEqual([piece, true]);
  }
});
