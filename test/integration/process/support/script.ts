import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { afterAll, afterEach } from 'vitest';
import type * as Library from '../../../../src/index.js';

const SOURCE = fileURLToPath(new URL('../../../../src/index.ts', import.meta.url));

/** What a script may use beside the globals of Node. */
export interface Given {
  readonly library: typeof Library;
  /** Writes a line for the test. */
  readonly say: (line: string) => void;
}

type Body = (given: Given) => unknown;

/** How a process ended. */
export interface End {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly lines: readonly string[];
  readonly stderr: string;
}

/** Makes one file of the sources, once for a test file, and leaves no process and no file behind. */
export async function scripts(): Promise<(body: Body) => Script> {
  const folder = await mkdtemp(join(tmpdir(), 'health-controller-'));
  const outfile = join(folder, 'library.mjs');
  await build({ entryPoints: [SOURCE], outfile, bundle: true, format: 'esm', platform: 'node', target: 'node20' });
  const running = new Set<Script>();
  afterEach(() => {
    for (const script of running) script.dispose();
    running.clear();
  });
  afterAll(() => rm(folder, { recursive: true }));
  return (body) => {
    const script = new Script(pathToFileURL(outfile).href, body);
    running.add(script);
    return script;
  };
}

/**
 * A function that runs in a Node process of its own. It is handed over as text, so it sees nothing of the test file
 * but what it is given.
 */
class Script {
  readonly lines: string[] = [];
  readonly #child: ChildProcess;
  readonly #ended: Promise<End>;
  readonly #said = new Set<() => void>();
  #stderr = '';

  constructor(library: string, body: Body) {
    const source = `
      import * as library from ${JSON.stringify(library)};
      const say = (line) => process.stdout.write(line + '\\n');
      void (${body.toString()})({ library, say });
    `;
    const args = ['--input-type=module', '--eval', source];
    this.#child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    let rest = '';
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      const parts = (rest + text).split('\n');
      rest = parts.pop() ?? '';
      this.lines.push(...parts);
      for (const heard of this.#said) heard();
    });
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr += text;
    });
    this.#ended = once(this.#child, 'close').then(([code, signal]) => {
      for (const heard of this.#said) heard();
      return { code, signal, lines: this.lines, stderr: this.#stderr };
    });
  }

  get running(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Waits until it has said this line. */
  async said(line: string): Promise<void> {
    while (!this.lines.includes(line)) {
      if (!this.running) throw new Error(`it ended without saying ${line}: ${this.lines.join('\n')}\n${this.#stderr}`);
      await new Promise<void>((resolve) => {
        const heard = () => {
          this.#said.delete(heard);
          resolve();
        };
        this.#said.add(heard);
      });
    }
  }

  send(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Waits for its end, which must come by itself. */
  ended(): Promise<End> {
    return this.#ended;
  }

  /** Ends it, where a failed test has left it running. */
  dispose(): void {
    if (this.running) this.#child.kill('SIGKILL');
  }
}
