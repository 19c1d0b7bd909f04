import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** A folder outside the repository in which the packed package is installed. */
    consumer: string;
  }
}

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** A folder outside the repository in which the package is installed as `npm install` does it, from a tarball. */
export function installPackage(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'health-controller-')));
  const npm = (cwd: string, ...args: string[]) => execFileSync('npm', args, { cwd, stdio: 'pipe' });
  // The build is what is under test here, so nothing is built on the way.
  npm(root, 'pack', '--ignore-scripts', '--pack-destination', folder);
  const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz'));
  if (tarball === undefined) throw new Error('npm pack made no tarball');
  writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  // Offline: there is nothing to fetch, because nothing is depended on.
  npm(folder, 'install', '--offline', '--no-audit', '--no-fund', '--ignore-scripts', `./${tarball}`);
  return folder;
}

/** What a user has after `npm install health-controller`, with types for Node and a zod of their own. */
export default function install(project: TestProject): () => void {
  const folder = installPackage();
  mkdirSync(join(folder, 'node_modules/@types'), { recursive: true });
  for (const name of ['@types/node', 'zod']) {
    symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name), 'dir');
  }
  project.provide('consumer', folder);
  return () => rmSync(folder, { recursive: true, force: true });
}
