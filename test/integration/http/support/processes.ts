import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Asks again and again until it holds; what cannot be asked yet does not hold. */
export async function until(what: string, holds: () => boolean | Promise<boolean>, withinMs = 30_000): Promise<void> {
  const end = performance.now() + withinMs;
  for (;;) {
    try {
      if (await holds()) return;
    } catch {
      // Not there yet.
    }
    if (performance.now() > end) throw new Error(`not within ${withinMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

/** Processes and files of one test file, of which none is left behind. */
export class Workbench {
  readonly #folder: string;
  readonly #running = new Set<ChildProcess>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  static async open(): Promise<Workbench> {
    return new Workbench(await mkdtemp(join(tmpdir(), 'health-controller-')));
  }

  async file(name: string, text: string): Promise<string> {
    const path = join(this.#folder, name);
    await writeFile(path, text);
    return path;
  }

  /** Makes one file of `support/backend.ts` and what it imports. */
  async backend(): Promise<string> {
    const outfile = join(this.#folder, 'backend.mjs');
    const entry = fileURLToPath(new URL('./backend.ts', import.meta.url));
    await build({ entryPoints: [entry], outfile, bundle: true, format: 'esm', platform: 'node', target: 'node20' });
    return outfile;
  }

  start(command: string, args: readonly string[]): ChildProcess {
    const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'inherit'] });
    this.#running.add(child);
    child.once('exit', () => this.#running.delete(child));
    return child;
  }

  async close(): Promise<void> {
    const ended = [...this.#running].map((child) => once(child, 'exit'));
    for (const child of this.#running) child.kill('SIGKILL');
    await Promise.all(ended);
    await rm(this.#folder, { recursive: true });
  }
}

/** The exit code of a process that was asked to end, or the signal that ended it. */
export async function ending(child: ChildProcess): Promise<number | string> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return child.exitCode ?? child.signalCode ?? 'nothing';
}
