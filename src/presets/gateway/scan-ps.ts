import { execFile } from 'node:child_process';
import type { ListedProcess } from './classify.js';
import type { GatewayContext } from './context.js';

/** What thousands of processes with long command lines take. */
const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;

/** Lists processes by `ps`, for systems without /proc. Its own process and ours are left out, zombies too. */
export function scanPs({ signal }: GatewayContext, command = 'ps'): Promise<readonly ListedProcess[]> {
  return new Promise((resolve, reject) => {
    const args = ['-A', '-ww', '-o', 'pid=', '-o', 'state=', '-o', 'args='];
    // The environment's settings of ps must not change its output.
    const options = { signal, maxBuffer: MAX_OUTPUT_BYTES, env: { PATH: process.env.PATH ?? '', LC_ALL: 'C' } };
    const child = execFile(command, args, options, (error, stdout) => {
      if (error !== null) reject(error);
      else resolve(parsePs(stdout, [process.pid, child.pid]));
    });
  });
}

/** Lines of `pid state args`. */
export function parsePs(output: string, left: readonly (number | undefined)[]): ListedProcess[] {
  return output.split('\n').flatMap((line) => {
    const [, id, state, command] = /^\s*(\d+)\s+(\S+)\s+(\S.*?)\s*$/.exec(line) ?? [];
    if (id === undefined || state === undefined || command === undefined) return [];
    if (/^[ZX]/.test(state) || left.includes(Number(id))) return [];
    return [{ id, command, status: 'running' }];
  });
}
