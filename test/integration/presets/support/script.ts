import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));

/** A Node process that runs `code`, an ES module that imports from `./src/…`, in the project's folder. */
export class Script {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #lines: AsyncIterator<string>;
  #complaints = '';

  constructor(code: string) {
    this.#child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', code], { cwd: ROOT });
    this.#child.stderr.setEncoding('utf8').on('data', (text) => {
      this.#complaints += text;
    });
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
  }

  /** The next line of its output. */
  async line(): Promise<string> {
    const { done, value } = await this.#lines.next();
    if (done === true) throw new Error(`the script ended early: ${this.#complaints}`);
    return value;
  }

  say(text: string): void {
    this.#child.stdin.write(text);
  }

  async exitCode(): Promise<number | null> {
    if (this.#child.exitCode === null) await once(this.#child, 'exit');
    if (this.#complaints !== '') throw new Error(`the script complained: ${this.#complaints}`);
    return this.#child.exitCode;
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }
}
