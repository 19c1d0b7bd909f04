import { fileURLToPath } from 'node:url';
import { createContext, runInContext } from 'node:vm';
import { build } from 'esbuild';
import { expect, it } from 'vitest';

it('the page runs where there is nothing but the language, timers, Request, Response and streams', async () => {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('../../src/page/index.ts', import.meta.url))],
    bundle: true,
    write: false,
    platform: 'neutral',
    format: 'iife',
    globalName: 'bundled',
    // As everywhere where packages are for Node and others.
    mainFields: ['module', 'main'],
  });
  const context = createContext({
    Request,
    Response,
    ReadableStream,
    TextEncoder,
    AbortController,
    AbortSignal,
    performance,
    setTimeout,
    clearTimeout,
  });
  const ask = (path: string) =>
    runInContext(`page.fetch(new Request('http://h/status-page${path}'))`, context) as Promise<Response>;
  runInContext(
    `${outputFiles[0]?.text}; var page = bundled.createStatusPage({ sources: [{ name: 'Parts', read: () => ({ entries: [] }) }] })`,
    context,
  );
  expect(await (await ask('')).text()).toContain('<bdi>Parts</bdi>');
  const stream = await ask('/events');
  runInContext('page.close()', context);
  expect(await stream.text()).toContain('event: end');
});
