import { describe, expect, it } from 'vitest';
import type { HealthHandlerOptions, HealthResponse, PageWant, ReportPage } from '../../src/http/index.js';
import { createHealthHandler } from '../../src/http/index.js';
import { makeResponse } from '../../src/http/response.js';
import { expectRefusal } from '../config/support/refusal.js';
import { asking, remembering, reporterOf, reportOf } from './support/asking.js';

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const page: ReportPage = { answer: (want) => makeResponse(200, 'text/html', `page ${want}`) };

function both(given: ReportPage = page, options: HealthHandlerOptions<unknown> = {}) {
  const reporter = reporterOf(() => reportOf({ name: 'db', status: 'ERROR' }, { name: 'html' }));
  const beside = asking(reporter, { ...options, page: given });
  const without = asking(reporter, options);
  return { beside, without };
}

describe('a page beside the report', () => {
  it.each(['/status', '/status/', '/STATUS?x=1', '//status', 'http://h/status'])(
    'is shown at %s to who prefers HTML',
    async (target) => {
      expect((await both().beside(target, { accept: BROWSER }))?.body).toBe('page html');
    },
  );

  it.each<[string, PageWant]>([
    ['/status?format=html', 'html'],
    ['/status?format=events', 'events'],
    ['/status/?a=b&format=state', 'state'],
  ])('is asked by %s, whatever is accepted', async (target, want) => {
    for (const accept of [undefined, 'text/event-stream', 'application/json']) {
      expect((await both().beside(target, { ...(accept && { accept }) }))?.body).toBe(`page ${want}`);
    }
  });

  it('changes nothing for anybody else', async () => {
    const { beside, without } = both();
    const accepts = [
      undefined,
      '*/*',
      'application/json',
      'text/plain',
      'application/health+json',
      'text/html, application/json',
      'image/png',
    ];
    const targets = [
      '/status',
      '/status?verbose',
      '/status/db',
      '/status/html',
      '/status/none',
      '/status?format=json',
      '/status?format=no',
      '/readyz',
      '/livez',
    ];
    for (const target of targets) {
      for (const method of ['GET', 'HEAD', 'POST']) {
        for (const accept of accepts) {
          const asked = { method, ...(accept && { accept }) };
          expect([target, method, accept, await beside(target, asked)]).toEqual([
            target,
            method,
            accept,
            await without(target, asked),
          ]);
        }
      }
    }
  });

  it('is at no other path, and not at those of entries', async () => {
    const { beside, without } = both();
    for (const target of ['/readyz', '/livez', '/status/db', '/status/html', '/readyz?format=html']) {
      expect(await beside(target, { accept: BROWSER })).toEqual(await without(target, { accept: BROWSER }));
    }
  });

  it('is where the path of the status report is', async () => {
    const { beside } = both(page, { basePath: '/health', paths: { status: '/all' } });
    expect((await beside('/health/all', { accept: BROWSER }))?.body).toBe('page html');
    expect(await beside('/status', { accept: BROWSER })).toBeUndefined();
  });

  it('answers no other method than GET and HEAD', async () => {
    expect((await both().beside('/status', { accept: BROWSER, method: 'HEAD' }))?.body).toBe('page html');
    expect((await both().beside('/status', { accept: BROWSER, method: 'POST' }))?.status).toBe(405);
  });

  it('is given the request of the framework', async () => {
    const seen: unknown[] = [];
    const request = { headers: {} };
    const curious: ReportPage = {
      answer: (want, asked) => {
        seen.push(asked);
        return page.answer(want, asked);
      },
    };
    await both(curious).beside('/status', { accept: BROWSER, request });
    expect(seen).toEqual([request]);
  });

  it.each<[string, ReportPage['answer']]>([
    [
      'throws',
      () => {
        throw new Error('secret');
      },
    ],
    ['rejects', () => Promise.reject<HealthResponse>(new Error('secret'))],
    ['gives nothing', () => undefined as never],
    ['gives something else', async () => ({ status: 200, body: 'x' }) as never],
  ])('that %s is a 503 that says no more, and the log is told', async (_, answer) => {
    const logger = remembering();
    let broken = true;
    const own: ReportPage = { answer: (...asked) => (broken ? answer(...asked) : page.answer(...asked)) };
    const { beside } = both(own, { logger });
    for (let i = 0; i < 2; i++) {
      const failed = await beside('/status', { accept: BROWSER });
      expect([failed?.status, failed?.body]).toEqual([503, 'the page cannot be shown\n']);
    }
    broken = false;
    expect((await beside('/status', { accept: BROWSER }))?.body).toBe('page html');
    // After the paths, told by each of both.
    expect(logger.lines.slice(2)).toEqual([
      expect.stringMatching(/^error the page of the health handler failed: (?:secret|it gave no response)$/),
      'info the page of the health handler works again',
    ]);
  });

  it('is refused where it is none, or where there is no path for it', () => {
    const reporter = reporterOf(() => reportOf());
    const at = 'createHealthHandler()';
    for (const wrong of [{}, 'page', null, true, { answer: 1 }]) {
      expectRefusal(
        () => createHealthHandler(reporter, { page: wrong as never }),
        at,
        'option "page"',
        'createStatusPage()',
      );
    }
    expectRefusal(() => createHealthHandler(reporter, { page, paths: { status: false } }), at, '"status"', 'a path');
  });
});
