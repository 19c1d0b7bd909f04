import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { installPackage } from '../../package/support/install.js';
import { needs } from '../support/needs.js';

const runtimes = fileURLToPath(new URL('installed/node_modules/', import.meta.url));
const there = await needs('runtimes', () => existsSync(`${runtimes}.bin/bun`));

describe.skipIf(!there)('the installed package', () => {
  const folder = there ? installPackage() : '';
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each([
    ['this Node', process.execPath, []],
    ['Node 24', join(runtimes, 'node24/bin/node'), []],
    ['Bun', join(runtimes, '.bin/bun'), []],
    [
      'Deno',
      join(runtimes, '.bin/deno'),
      [
        'run',
        '--allow-read',
        '--allow-env',
        '--allow-net',
        '--allow-sys',
        '--node-modules-dir=manual',
        '--no-remote',
        '--no-prompt',
      ],
    ],
  ])('runs under %s, all of it that claims to need no Node included', (_name, command, args) => {
    const program = join(folder, 'smoke.mjs');
    copyFileSync(fileURLToPath(new URL('smoke.mjs', import.meta.url)), program);
    const { stdout, stderr, status } = spawnSync(command, [...args, program], {
      cwd: folder,
      encoding: 'utf8',
      timeout: 50_000,
    });
    expect({ status, stderr: status === 0 ? '' : stderr }).toEqual({ status: 0, stderr: '' });
    expect(JSON.parse(stdout)).toEqual({
      ready: true,
      hung: 'timeout',
      twice: [200, 200, 503],
      byFetch: 200,
      running: true,
      transport: 'http',
      recorded: true,
      page: true,
      required: 'function',
      exitCode: 0,
    });
  });
});
