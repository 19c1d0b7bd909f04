import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));

/** A Node process that runs `code`, an ES module that imports from `./src/…`, in the project's folder. */
export interface NodeProcess {
  /** The lines that it has written so far. */
  readonly lines: readonly string[];
  kill(): Promise<void>;
  /** Resolves when it has ended well; rejects with what it complained of otherwise. */
  ended(): Promise<void>;
}

export function runNode(code: string): NodeProcess {
  const args = ['--import', 'tsx', '--input-type=module', '-e', code];
  const child: ChildProcessWithoutNullStreams = spawn(process.execPath, args, { cwd: ROOT });
  const exited = once(child, 'exit');
  const lines: string[] = [];
  let complaints = '';
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
  child.stderr.setEncoding('utf8').on('data', (text) => {
    complaints += text;
  });
  return {
    lines,
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
    async ended() {
      const [code] = await exited;
      if (code !== 0) throw new Error(`ended with ${code}: ${complaints}`);
    },
  };
}
