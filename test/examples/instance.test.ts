import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const MAIN = fileURLToPath(new URL('../../examples/instance/main.mjs', import.meta.url));

// With an engine it is run by test/integration/instance.
it('examples/instance/ says in one line what is missing where there is no container engine, and ends with 0', async () => {
  const env = { ...process.env, DOCKER_HOST: 'unix:///nowhere/docker.sock' };
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [MAIN], { env });
  expect(stderr).toBe('');
  expect(stdout).toBe('Nothing to show here. Missing: a container engine that may be asked (ENOENT)\n');
});
