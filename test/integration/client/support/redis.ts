import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { freePort } from '../../gateway/support/worker.js';

/** A Redis of the test's own, on a high port, which keeps nothing. */
export class RedisServer {
  readonly url: string;
  readonly #process: ChildProcess;
  readonly #folder: string;

  private constructor(port: number) {
    this.url = `redis://127.0.0.1:${port}`;
    this.#folder = mkdtempSync(join(tmpdir(), 'hc-redis-'));
    const options = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
    this.#process = spawn('redis-server', [...options, '--dir', this.#folder], { stdio: 'ignore' });
  }

  static async start(): Promise<RedisServer> {
    const server = new RedisServer(await freePort());
    const client = new Redis(server.url, { retryStrategy: () => 50, maxRetriesPerRequest: null });
    // Until it listens.
    client.on('error', () => {});
    await client.ping();
    client.disconnect();
    return server;
  }

  async stop(): Promise<void> {
    const exited = once(this.#process, 'exit');
    this.#process.kill('SIGKILL');
    await exited;
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
