import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

/** A PostgreSQL of our own. */
export interface Postgres {
  readonly port: number;
  /** A pool whose connections may end without harm, as those of a careful program. */
  pool(options?: pg.PoolConfig): pg.Pool;
  start(): Promise<void>;
  /** As the kernel ends a process for want of memory. */
  kill(): Promise<void>;
  destroy(): Promise<void>;
}

/** Where its programs are: Debian has them beside the path. */
export function postgresFolder(): string | undefined {
  const root = '/usr/lib/postgresql';
  const versions = existsSync(root) ? readdirSync(root).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [...versions.map((version) => `${root}/${version}/bin`), ...(process.env.PATH ?? '').split(':')];
  return folders.find((folder) => ['initdb', 'postgres'].every((name) => existsSync(join(folder, name))));
}

/** It refuses to run as root. */
function owner(): { readonly uid?: number; readonly gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

export async function startPostgres(): Promise<Postgres> {
  const programs = postgresFolder();
  if (programs === undefined) throw new Error('no PostgreSQL');
  const folder = mkdtempSync(join(tmpdir(), 'hc-postgres-'));
  const as = owner();
  chmodSync(folder, 0o700);
  if (as.uid !== undefined && as.gid !== undefined) chownSync(folder, as.uid, as.gid);
  const data = join(folder, 'data');
  const port = await freePort();
  const pools: pg.Pool[] = [];
  let child: ChildProcess | undefined;
  let log = '';

  const pool = (options: pg.PoolConfig = {}) => {
    const made = new pg.Pool({ host: '127.0.0.1', port, user: 'postgres', database: 'postgres', max: 4, ...options });
    made.on('error', () => {});
    pools.push(made);
    return made;
  };
  const start = async () => {
    for (let tries = 0; ; tries++) {
      const args = ['-D', data, '-p', String(port), '-h', '127.0.0.1', '-k', folder];
      const started = spawn(join(programs, 'postgres'), args, {
        ...as,
        cwd: folder,
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      child = started;
      for (const stream of [started.stdout, started.stderr]) {
        stream.setEncoding('utf8').on('data', (text: string) => {
          log = (log + text).slice(-2000);
        });
      }
      while (started.exitCode === null && !(await answers(port))) await sleep(50);
      if (started.exitCode === null) return;
      // Of one that was killed, some processes live for a moment and hold its memory.
      if (tries > 100) throw new Error(`PostgreSQL does not start: ${log}`);
      await sleep(100);
    }
  };
  const end = async (signal: NodeJS.Signals) => {
    const ended = child;
    child = undefined;
    if (ended === undefined || ended.exitCode !== null) return;
    const gone = once(ended, 'exit');
    ended.kill(signal);
    await gone;
  };
  const destroy = async () => {
    await Promise.all(pools.map((each) => (each.ended ? undefined : each.end())));
    await end('SIGINT');
    rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
  };
  try {
    const flags = ['-D', data, '-A', 'trust', '-U', 'postgres', '--locale=C', '--encoding=UTF8', '--no-sync'];
    execFileSync(join(programs, 'initdb'), flags, { ...as, cwd: folder, stdio: 'ignore' });
    await start();
  } catch (error) {
    await destroy();
    throw error;
  }
  return { port, pool, start, kill: () => end('SIGKILL'), destroy };
}

async function answers(port: number): Promise<boolean> {
  const client = new pg.Client({ host: '127.0.0.1', port, user: 'postgres', database: 'postgres' });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query('SELECT 1');
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}
