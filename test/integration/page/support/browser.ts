import { existsSync, mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import axe from 'axe-core';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { expect } from 'vitest';

const CHROMIUM = '/usr/bin/chromium';
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export const hasChromium = (): boolean => existsSync(CHROMIUM);

export function launch(): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM, headless: true, args: FLAGS });
}

/** A page that is open, and whatever it complained of: script errors, failed policies. */
export interface Opened {
  readonly page: Page;
  readonly complaints: readonly string[];
}

/** Messages of the console that only say that a server did not answer, which some tests want. */
const NETWORK = /^Failed to load resource/;

export async function open(browser: Browser, url: string, options: BrowserContextOptions = {}): Promise<Opened> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(`script: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error' && !NETWORK.test(message.text())) complaints.push(`console: ${message.text()}`);
  });
  await page.exposeFunction('__violation', (text: string) => complaints.push(`policy: ${text}`));
  await page.addInitScript(
    `addEventListener('securitypolicyviolation', (event) => __violation(event.violatedDirective + ' ' + event.blockedURI))`,
  );
  await page.goto(url);
  return { page, complaints };
}

interface AxeResult {
  readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[];
}

/** Everything that axe-core finds fault with. Run by the debugger, which the page's policy does not bind. */
export async function audit(page: Page): Promise<string[]> {
  const client = await page.context().newCDPSession(page);
  await client.send('Runtime.evaluate', { expression: axe.source });
  const { result } = await client.send('Runtime.evaluate', {
    expression: 'axe.run(document, { resultTypes: ["violations"] })',
    awaitPromise: true,
    returnByValue: true,
  });
  return (result.value as AxeResult).violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`,
  );
}

/** Takes a picture for people to look at, in .cache/, which is not committed. */
export async function picture(page: Page, name: string): Promise<void> {
  const folder = fileURLToPath(new URL('../../../../.cache/pages/', import.meta.url));
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: `${folder}${name}.png`, fullPage: true });
}

/** Waits until the text of what a selector finds matches. */
export async function shows(page: Page, selector: string, pattern: RegExp, timeout = 10_000): Promise<void> {
  await expect.poll(() => page.textContent(selector), { timeout, interval: 50 }).toMatch(pattern);
}
