import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const MAIN = fileURLToPath(new URL('../../examples/gateway/main.mjs', import.meta.url));

it('examples/gateway/ shows the phases of a start, a crash and a restart, and ends by itself', async () => {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [MAIN], { timeout: 50_000 });
  expect(stderr).toBe('');
  const told = stdout.split('\n').map((line) => line.replace(/^ *[\d.]+ s {2}/, ''));
  const phases = told
    .map((line) => line.split(' ')[0] ?? '')
    .filter((word) => /^(cold_start|starting|ready|degraded|dead)$/.test(word));
  expect(phases[0]).toBe('cold_start');
  expect(phases.filter((phase) => phase === 'ready').length).toBeGreaterThanOrEqual(3);
  expect(phases).toContain('dead');
  // It was ready before: from the crash on it is never in a cold start again.
  expect(phases.slice(phases.indexOf('ready'))).not.toContain('cold_start');
  expect(told).toContain('ready        startup ok  readiness ok  liveness ok  (running)');
  expect(told).toContain('200 {"restart":"done"}');
  expect(told.at(-2)).toBe('the stream is closed: 1001 going away');
});
