import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const MAIN = fileURLToPath(new URL('../../examples/sandbox-services/main.mjs', import.meta.url));

it('examples/sandbox-services/ shows each service becoming what it is, and ends by itself', async () => {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [MAIN]);
  expect(stderr).toBe('');
  const of = (service: string) =>
    stdout.split('\n').flatMap((line) => (line.match(` ${service}: (\\w+ -> \\w+ .*)`)?.[1] ?? '') || []);
  const gone = 'healthy -> unknown (Unknown: runtime was replaced, not checked yet)';
  const stopped = 'healthy -> unknown (Unknown: sandbox is not ready)';
  const ready = 'unknown -> healthy (Ready: HTTP 200)';
  expect(of('steady')).toEqual([ready, gone, ready, stopped]);
  const slow = 'unknown -> unhealthy (Not ready: HTTP 503, expected 2xx)';
  expect(of('slow')).toEqual([slow, 'unhealthy -> healthy (Ready: HTTP 200)', gone, ready, stopped]);
  const failed = 'HTTP 500, expected 2xx';
  expect(of('failing')).toEqual([
    ready,
    `healthy -> unhealthy (Not ready: ${failed})`,
    'unhealthy -> unknown (Unknown: runtime was replaced, not checked yet)',
    `unknown -> unhealthy (Not ready: ${failed})`,
    'unhealthy -> unknown (Unknown: sandbox is not ready)',
  ]);
  expect(stdout).toContain('what is known now:');
});
