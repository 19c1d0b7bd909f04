import { fileURLToPath } from 'node:url';
import { createContext, runInContext } from 'node:vm';
import { build } from 'esbuild';
import { expect, it } from 'vitest';

it('the fetch handler runs where there is nothing but the language, Request and Response', async () => {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('../../src/http/fetch.ts', import.meta.url))],
    bundle: true,
    write: false,
    platform: 'neutral',
    format: 'iife',
    globalName: 'bundled',
    // As everywhere where packages are for Node and others.
    mainFields: ['module', 'main'],
  });
  const context = createContext({ Request, Response, TextEncoder, AbortController, AbortSignal });
  const reports = 'const r = () => ({ overallHealthy: true, state: "running", services: [] }); ';
  const answer = runInContext(
    `${outputFiles[0]?.text}; ${reports}bundled.createFetchHandler({ status: r, liveness: r, readiness: r })(new Request('http://h/readyz'))`,
    context,
  );
  expect(((await answer) as Response).status).toBe(200);
});
