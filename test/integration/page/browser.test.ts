import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createHealthHandler } from '../../../src/http/index.js';
import { type CheckReturn, Controller, degraded, healthy, unhealthy } from '../../../src/index.js';
import {
  controllerSource,
  createStatusPage,
  gatewaySource,
  instanceSource,
  type StatusPage,
  type StatusPageOptions,
  sandboxSource,
} from '../../../src/page/index.js';
import { Gateway } from '../../../src/presets/gateway/index.js';
import { SandboxServices } from '../../../src/presets/sandbox-service/index.js';
import { needs } from '../support/needs.js';
import { audit, hasChromium, launch, open, picture, shows } from './support/browser.js';

const SCRIPT_TEXT = 'no <script>document.title="owned"</script><img src=x onerror="document.title=\'owned\'"> here';

const there = await needs('chromium', hasChromium);

interface Site {
  readonly url: string;
  readonly page: StatusPage;
  readonly controller: Controller;
  /** What the check `db` says from its next run on. */
  say(result: CheckReturn): void;
  server: Server;
  refuseEvents: boolean;
}

describe.skipIf(!there)('the status page in Chromium', () => {
  let browser: Browser;
  const closers: (() => unknown)[] = [];
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser.close());
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close();
    for (const context of browser.contexts()) await context.close();
  });

  const listen = (server: Server, port = 0): Promise<number> =>
    new Promise((resolve) => server.listen(port, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)));

  async function site(options: Partial<StatusPageOptions> = {}): Promise<Site> {
    let said: CheckReturn = healthy();
    const controller = new Controller();
    controller.register('api', { status: () => true });
    controller.registerCheck({ name: 'db', intervalMs: 100, check: () => said });
    controller.registerCheck({ name: 'disk', check: () => degraded('91 % full', { path: '/var/data' }, 'low_space') });
    controller.registerCheck({
      name: 'hostile <b>name</b>',
      check: () => unhealthy(SCRIPT_TEXT, { note: SCRIPT_TEXT }),
    });
    controller.start();
    const gateway = new Gateway({
      fetch: async () => new Response('{"ok":true}'),
      processes: () => [{ id: '4711', command: 'openclaw-gateway', status: 'running' }],
    });
    const services = new SandboxServices();
    services.expose({ workspace: 'acme', sandbox: 'dev', service: 'web', port: 1, readinessCheck: {} });
    const instance = {
      name: 'tool-17',
      health: async () =>
        ({
          container_status: 'running',
          tunnel_status: 'tunnel_error',
          status: 'running',
          can_recreate_tunnel: true,
          validated: true,
          message: 'the tunnel is gone',
        }) as const,
    };
    const page = createStatusPage({
      title: 'Orders',
      sources: [
        controllerSource(controller),
        gatewaySource(gateway),
        sandboxSource(services),
        instanceSource([instance]),
      ],
      refreshIntervalMs: 1000,
      ...options,
    });
    const health = createHealthHandler(controller, { page });
    const own: Site = {
      url: '',
      page,
      controller,
      say: (result) => {
        said = result;
      },
      refuseEvents: false,
      server: createServer(),
    };
    const handle = (request: IncomingMessage, response: ServerResponse): void => {
      if (own.refuseEvents && request.url?.includes('format=events')) response.writeHead(403).end();
      else if (!health(request, response)) response.writeHead(404).end();
    };
    own.server.on('request', handle);
    const port = await listen(own.server);
    closers.push(async () => {
      page.close();
      await controller.stop();
      await services.stop();
      own.server.closeAllConnections();
      await new Promise((resolve) => own.server.close(resolve));
    });
    return Object.assign(own, { url: `http://127.0.0.1:${port}/status` });
  }

  const row = (name: string): string => `tr[data-key="${name}"]`;
  const title = (page: Page): Promise<string> => page.title();

  it('is live, and shows a transition without being loaded again, by which it says so to a screen reader', async () => {
    const { url, say } = await site();
    const { page, complaints } = await open(browser, url);
    await shows(page, '#link', /^Live$/);
    await shows(page, row('db'), /OK/);
    const loads: string[] = [];
    page.on('framenavigated', (frame) => loads.push(frame.url()));
    say(unhealthy('no route', undefined, 'connect'));
    await shows(page, row('db'), /Error connect/);
    await shows(page, '#voice', /Services and checks: db: Error connect/);
    expect(await title(page)).toBe('✖ Error – Orders');
    say(healthy());
    await shows(page, row('db'), /OK/);
    await shows(page, '#voice', /Services and checks: db: OK/);
    expect(loads).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it('says nothing to a screen reader while nothing changes, and goes on counting ages', async () => {
    const { url } = await site({ refreshIntervalMs: 60_000 });
    const { page } = await open(browser, url);
    await shows(page, '#link', /^Live$/);
    await shows(page, '#age', /^[2-9] s$/);
    await shows(page, `${row('disk')} td:nth-of-type(2)`, /[2-9] s/);
    expect(await page.textContent('#voice')).toBe('');
  });

  it.each(['server', 'browser'])('shows script in names, errors and data as text, made by the %s', async (by) => {
    const { url } = await site({ details: 'always' });
    const { page, complaints } = await open(browser, url, { javaScriptEnabled: by === 'browser' });
    if (by === 'browser') await shows(page, '#link', /^Live$/);
    const cell = row('hostile <b>name</b>');
    expect(await page.textContent(`${cell} .why`)).toBe(SCRIPT_TEXT);
    expect(await page.textContent(`${cell} bdi`)).toBe('hostile <b>name</b>');
    expect(await page.textContent(`${cell} dl`)).toContain(SCRIPT_TEXT);
    expect(await title(page)).toBe('✖ Error – Orders');
    expect(await page.locator('main img, main script, main b').count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it('withholds details from who may not see them, on every way', async () => {
    const { url } = await site();
    const { page } = await open(browser, url);
    await shows(page, '#link', /^Live$/);
    const texts = [
      await page.content(),
      await (await fetch(`${url}?format=state`)).text(),
      await (await fetch(url, { headers: { accept: 'text/html' } })).text(),
    ];
    for (const text of texts) {
      expect(text).toContain('low_space'.replace('_', ' '));
      for (const secret of ['91 %', '/var/data', '4711', 'the tunnel is gone', '127.0.0.1:1', 'sandbox is not ready']) {
        expect(text).not.toContain(secret);
      }
    }
  });

  it('has the same elements from its server and from its script', async () => {
    const { url, controller } = await site({ details: 'always' });
    await controller.stop();
    const { page } = await open(browser, url);
    await shows(page, '#link', /^Polling$/);
    // Ages, and how long probes took, go on changing.
    const plain = (html: unknown) =>
      String(html)
        .replace(/ data-age="[^"]*"| open=""/g, '')
        .replace(/\d+/g, 'N');
    const sent = await (await fetch(url, { headers: { accept: 'text/html' } })).text();
    // Both as the browser has them: read from HTML, and made and changed by the script.
    const parsed = await page.evaluate((html) => {
      const { DOMParser: Parser } = globalThis as unknown as { DOMParser: new () => Parsing };
      interface Parsing {
        parseFromString(html: string, type: string): { getElementById(id: string): { outerHTML: string } };
      }
      return new Parser().parseFromString(html, 'text/html').getElementById('board').outerHTML;
    }, sent);
    expect(plain(await page.evaluate(`document.getElementById('board').outerHTML`))).toBe(plain(parsed));
    await page.evaluate(`document.getElementById('board').replaceChildren()`);
    await shows(page, row('db'), /OK/);
    expect(plain(await page.evaluate(`document.getElementById('board').outerHTML`))).toBe(plain(parsed));
  });

  it('says everything without its script too', async () => {
    const { url } = await site({ details: 'always' });
    const { page, complaints } = await open(browser, url, { javaScriptEnabled: false });
    expect(await page.textContent('main')).toContain('91 % full');
    expect(await page.textContent('header')).toContain('reload it');
    expect(await page.textContent('#link')).toBe('As loaded');
    expect(complaints).toEqual([]);
  });

  it('says when it is disconnected and how old its data is, and is live again when the server is', async () => {
    const own = await site();
    const { page, complaints } = await open(browser, own.url);
    await shows(page, '#link', /^Live$/);
    const { port } = own.server.address() as AddressInfo;
    const stopped = new Promise((resolve) => own.server.close(resolve));
    own.server.closeAllConnections();
    await stopped;
    await shows(page, '#link', /^Disconnected$/);
    await shows(page, '#voice', /^Disconnected$/);
    const age = async () => Number.parseInt((await page.textContent('#age')) ?? '', 10);
    const first = await age();
    await expect.poll(age, { timeout: 10_000 }).toBeGreaterThan(first + 1);
    await picture(page, 'disconnected');
    await listen(own.server, port);
    await shows(page, '#link', /^Live$/);
    await expect.poll(age, { timeout: 10_000 }).toBeLessThan(2);
    expect(complaints).toEqual([]);
  });

  it('polls where streams are refused, and takes to a stream when there is one again', async () => {
    const own = await site();
    own.refuseEvents = true;
    const { page } = await open(browser, own.url);
    await shows(page, '#link', /^Polling$/);
    expect(own.page.clients).toBe(0);
    own.say(unhealthy('x', undefined, 'connect'));
    await shows(page, row('db'), /Error connect/);
    own.refuseEvents = false;
    await shows(page, '#link', /^Live$/, 20_000);
    expect(own.page.clients).toBe(1);
  });

  it('connects anew when its stream has lasted long enough', async () => {
    const own = await site({ maxStreamMs: 1500 });
    const asked: string[] = [];
    own.server.on('request', (request: IncomingMessage) => asked.push(request.url ?? ''));
    const { page } = await open(browser, own.url);
    await shows(page, '#link', /^Live$/);
    await expect
      .poll(() => asked.filter((url) => url.includes('events')).length, { timeout: 10_000 })
      .toBeGreaterThan(1);
    await shows(page, '#link', /^Live$/);
    expect(asked.filter((url) => url.includes('state'))).toEqual([]);
  });

  it('keeps open what the reader has opened, and where the keyboard is', async () => {
    const own = await site({ details: 'always' });
    const { page } = await open(browser, own.url);
    await shows(page, '#link', /^Live$/);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    expect(await page.locator('details[open]').count()).toBe(1);
    const focused = () => page.evaluate(`document.activeElement.tagName`);
    expect(await focused()).toBe('SUMMARY');
    own.say(unhealthy('x', undefined, 'connect'));
    await shows(page, row('db'), /Error connect/);
    expect([await page.locator('details[open]').count(), await focused()]).toEqual([1, 'SUMMARY']);
    // Everything that can be worked can be reached.
    const stops = await page.locator('summary').count();
    for (let i = 1; i < stops; i++) await page.keyboard.press('Tab');
    expect(await focused()).toBe('SUMMARY');
  });

  describe.each(['light', 'dark'] as const)('in %s', (colorScheme) => {
    it.each([
      ['desktop', 1280, 800],
      ['phone', 375, 700],
    ])(
      'on a %s, with failures, has no fault that axe-core finds, and nothing is wider than the screen',
      async (device, width, height) => {
        const { url, say } = await site({ details: 'always' });
        say(
          unhealthy(
            'connect ECONNREFUSED postgres://app:secret@10.0.0.5:5432/orders',
            { pool: { idle: 0, waiting: 7 } },
            'connect',
          ),
        );
        const { page, complaints } = await open(browser, url, { colorScheme, viewport: { width, height } });
        await shows(page, '#link', /^Live$/);
        await shows(page, row('db'), /Error connect/);
        await picture(page, `${colorScheme}-${device}`);
        expect(await audit(page)).toEqual([]);
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
        // Opened too.
        await page.locator('summary').first().click();
        expect(await audit(page)).toEqual([]);
        expect(complaints).toEqual([]);
      },
    );
  });

  it('moves nothing by itself: there is no animation or transition in it', async () => {
    const { url } = await site();
    const { page } = await open(browser, url);
    expect(await page.evaluate('document.getAnimations().length')).toBe(0);
    expect(await page.content()).not.toMatch(/animation|transition:/);
  });
});
