import { describe, expect, it } from 'vitest';
import { remembering } from '../http/support/asking.js';
import { board, pageOf, TestSource } from './support/pages.js';
import { parseHtml } from './support/parse-html.js';

describe('a page at its own path', () => {
  it.each([
    '/status-page',
    '/status-page/',
    '/STATUS-PAGE',
    '//status-page',
    '/status-page?x=1',
    '/%73tatus-page',
    '/status-page?format=html',
  ])('is %s', async (path) => {
    const answer = await pageOf([new TestSource()]).ask(path);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  });

  it('leaves every other path to the application, and nothing below its own', async () => {
    const { page, ask } = pageOf([new TestSource()]);
    for (const path of ['/', '/status', '/status-pages', '/x/status-page']) {
      expect(page.fetch(new Request(`http://host${path}`))).toBeUndefined();
    }
    for (const path of ['/status-page/x', '/status-page/events/x', '/status-page/__proto__']) {
      expect((await ask(path)).status).toBe(404);
    }
    expect((await ask('/status-page?format=xml')).status).toBe(406);
  });

  it('is where path and basePath say', async () => {
    const { page, ask } = pageOf([new TestSource()], { path: 'board', basePath: '/ops/' });
    expect(page.path).toBe('/ops/board');
    expect((await ask('/ops/board/state')).status).toBe(200);
    expect(page.fetch(new Request('http://host/status-page'))).toBeUndefined();
  });

  it('answers HEAD with the head of GET, and other methods with 405', async () => {
    const { ask, clock } = pageOf([new TestSource()]);
    for (const path of ['/status-page', '/status-page/state']) {
      const get = await ask(path);
      const head = await ask(path, { method: 'HEAD' });
      expect([head.status, [...head.headers], await head.text()]).toEqual([200, [...get.headers], '']);
    }
    const events = await ask('/status-page/events', { method: 'HEAD' });
    expect([events.headers.get('content-type'), await events.text()]).toEqual(['text/event-stream; charset=utf-8', '']);
    expect(clock.pending).toBe(0);
    const post = await ask('/status-page', { method: 'POST' });
    expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });

  it('gives its state as JSON: the tree that its HTML is made of', async () => {
    const { html, state } = pageOf([new TestSource(() => ({ entries: [{ name: 'a<b', state: 'ok' }] }), 'Parts')]);
    const page = parseHtml(board(await html()));
    const { ageMs, title, tree } = await state();
    expect([ageMs, title]).toEqual([0, '✔ OK – Status']);
    const texts = (node: unknown): string =>
      typeof node === 'string' ? node : (node as [string, object, unknown[]])[2].map(texts).join('');
    expect((tree as unknown[]).map(texts).join('')).toBe(page.text);
  });

  it('says how old a shared reading is', async () => {
    const source = new TestSource();
    const { clock, state } = pageOf([source]);
    await state();
    await clock.advance(4000);
    expect((await state()).ageMs).toBe(4000);
    expect(source.reads).toHaveLength(1);
    await clock.advance(1000);
    expect((await state()).ageMs).toBe(0);
    expect(source.reads).toHaveLength(2);
  });

  it('tells its path once, and when a source begins to fail', async () => {
    const logger = remembering();
    const { state, clock } = pageOf([new TestSource(() => 'nothing', 'Bad')], { logger });
    await state();
    await clock.advance(5000);
    await state();
    expect(logger.lines).toEqual([
      'info status page at /status-page',
      'error the reading of "Bad" for the status page failed: readings, entries and changes are objects',
    ]);
  });
});

describe('the details policy', () => {
  const secret = () => ({ entries: [{ name: 'a', state: 'error', error: 'at 10.0.0.5' }] });

  it('is asked for each request, with the request', async () => {
    const asked: (string | null)[] = [];
    const details = (request: { headers: { get?: unknown } }): boolean => {
      const who = (request.headers as Headers).get('x-who');
      asked.push(who);
      return who === 'admin';
    };
    const { ask } = pageOf([new TestSource(secret)], { details });
    const seen = async (who: string) =>
      (await (await ask('/status-page', { headers: { 'x-who': who } })).text()).includes('10.0.0.5');
    expect([await seen('admin'), await seen('guest')]).toEqual([true, false]);
    const json = async (who: string) =>
      (await (await ask('/status-page/state', { headers: { 'x-who': who } })).text()).includes('10.0.0.5');
    expect([await json('admin'), await json('guest')]).toEqual([true, false]);
    expect(asked).toEqual(['admin', 'guest', 'admin', 'guest']);
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('no');
      },
    ],
    ['rejects', () => Promise.reject(new Error('no'))],
    ['says something else than true', () => 1 as unknown as boolean],
  ])('that %s is a no', async (_, details) => {
    const { html } = pageOf([new TestSource(secret)], { details });
    expect(await html()).not.toContain('10.0.0.5');
  });

  it('is called on the options that it was given with', async () => {
    class Options {
      sources = [new TestSource(secret)];
      allowed = true;
      details(): boolean {
        return this.allowed;
      }
    }
    const { createStatusPage } = await import('../../src/page/index.js');
    const page = createStatusPage(new Options());
    const answer = await page.fetch(new Request('http://host/status-page'));
    expect(await answer?.text()).toContain('10.0.0.5');
  });
});
