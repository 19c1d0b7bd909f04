import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { needs } from '../support/needs.js';
import { audit, hasChromium, launch, open, picture, shows } from './support/browser.js';

const MAIN = fileURLToPath(new URL('../../../examples/control-plane/main.mjs', import.meta.url));
const there = await needs('chromium', hasChromium);

describe.skipIf(!there)('the page of examples/control-plane in Chromium', () => {
  let browser: Browser;
  let plane: ChildProcess;
  let output = '';
  let url = '';

  beforeAll(async () => {
    plane = spawn(process.execPath, [MAIN], {
      env: { ...process.env, PORT: '0' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const { stdout } = plane;
    url = await new Promise((resolve, reject) => {
      plane.once('exit', () => reject(new Error(`ended: ${output}`)));
      stdout?.setEncoding('utf8').on('data', (text: string) => {
        output += text;
        const address = /open (http:\S+\/status) in a browser/.exec(output)?.[1];
        if (address !== undefined) resolve(address);
      });
    });
    browser = await launch();
  });

  afterAll(async () => {
    await browser.close();
    const exit = once(plane, 'exit');
    plane.kill('SIGTERM');
    expect(await exit).toEqual([0, null]);
  });

  it('shows a worker that is killed, and its recovery, without being loaded again', async () => {
    const { page, complaints } = await open(browser, url);
    const bravo = 'section[data-key="Workers"] tr[data-key="bravo"]';
    await shows(page, bravo, /OK ready/, 20_000);
    const pid = /process id(\d+)/.exec((await page.textContent(bravo)) ?? '')?.[1];
    process.kill(Number(pid), 'SIGKILL');
    await shows(page, bravo, /unreachable/);
    expect(await page.title()).toMatch(/Control plane$/);
    await picture(page, 'control-plane-crash');
    await shows(page, bravo, /OK ready/, 20_000);
    await expect.poll(() => page.locator(`${bravo} rect.degraded, ${bravo} rect.error`).count()).toBeGreaterThan(0);
    const next = /process id(\d+)/.exec((await page.textContent(bravo)) ?? '')?.[1];
    expect(next).not.toBe(pid);
    expect(complaints).toEqual([]);
  });

  it.each([
    ['light', 1280],
    ['dark', 375],
  ] as const)('has no fault that axe-core finds in %s, %i pixels wide', async (colorScheme, width) => {
    const { page } = await open(browser, url, { colorScheme, viewport: { width, height: 800 } });
    await shows(page, '#link', /^Live$/);
    await picture(page, `control-plane-${colorScheme}-${width}`);
    expect(await audit(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
  });
});
