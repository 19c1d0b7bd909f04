import { close, open, read as readFrom } from 'node:fs';
import { readdir } from 'node:fs/promises';
import type { ListedProcess } from './classify.js';
import type { GatewayContext } from './context.js';

/** The head of a command line is enough to tell what it is; some are megabytes long. */
const MAX_COMMAND_BYTES = 4096;
/**
 * How many are read at a time: reading the command line of a process that is stuck in the kernel can block the thread
 * that does it, of which Node has four by default.
 */
const LANES = 2;
/** Reasons why there is nothing to read: it ended meanwhile. */
const GONE = ['ENOENT', 'ESRCH'];

/**
 * Lists processes by one pass over /proc, reading one file of each. Zombies are left out, those that end meanwhile too;
 * what may not be read is listed as `unreadable`.
 *
 * Read by callbacks: for a few thousand small files promises cost several times as much.
 */
export async function scanProc({ signal }: GatewayContext, root = '/proc'): Promise<readonly ListedProcess[]> {
  const pids = (await readdir(root)).filter((name) => /^\d+$/.test(name));
  // Every namespace has a first process: where it is not shown, those of other users are hidden (hidepid).
  const found: ListedProcess[] = pids.includes('1') ? [] : [unreadable('1')];
  const own = String(process.pid);
  const queue = pids.values();
  const lane = async (): Promise<void> => {
    const buffer = Buffer.allocUnsafe(MAX_COMMAND_BYTES);
    for (const pid of queue) {
      signal.throwIfAborted();
      const read = pid === own ? undefined : await readProcess(root, pid, buffer);
      if (read !== undefined) found.push(read);
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return found;
}

async function readProcess(root: string, id: string, buffer: Buffer): Promise<ListedProcess | undefined> {
  try {
    const bytes = await readHead(`${root}/${id}/cmdline`, buffer);
    // A title that was set is padded with zeros; between arguments stands one.
    const command = buffer.toString('utf8', 0, bytes).replace(/\0+/g, ' ').trim();
    return command === '' ? await readName(root, id, buffer) : { id, command, status: 'running' };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? '';
    return GONE.includes(code) ? undefined : unreadable(id);
  }
}

/** Without a command line it is a zombie, a thread of the kernel, or has erased it: then its name is what is left. */
async function readName(root: string, id: string, buffer: Buffer): Promise<ListedProcess | undefined> {
  const stat = buffer.toString('latin1', 0, await readHead(`${root}/${id}/stat`, buffer));
  const end = stat.lastIndexOf(')');
  const state = stat.slice(end + 2, end + 3);
  if (end < 0 || state === 'Z' || state === 'X') return undefined;
  return { id, command: stat.slice(stat.indexOf('(') + 1, end), status: 'running' };
}

const unreadable = (id: string): ListedProcess => ({ id, command: '', status: 'unreadable' });

function readHead(path: string, buffer: Buffer): Promise<number> {
  return new Promise((resolve, reject) => {
    open(path, 'r', (openError, file) => {
      if (openError !== null) return reject(openError);
      readFrom(file, buffer, 0, MAX_COMMAND_BYTES, 0, (readError, bytes) => {
        close(file, () => {});
        if (readError !== null) reject(readError);
        else resolve(bytes);
      });
    });
  });
}
