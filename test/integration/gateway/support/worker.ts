import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { classifyOpenClawProcess, Gateway, type GatewayOptions } from '../../../../src/presets/gateway/index.js';

const STAND_IN = fileURLToPath(new URL('./stand-in', import.meta.url));

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Asks again and again until it is so. */
export async function until(what: string, holds: () => unknown, timeoutMs = 20_000): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`not within ${timeoutMs} ms: ${what}`);
    await sleep(20);
  }
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (typeof address !== 'object' || address === null) throw new Error('no port');
  return address.port;
}

/** A folder with a stand-in gateway and its start script, which are run as real processes. */
export class Worker {
  readonly folder = mkdtempSync(join(tmpdir(), 'hc-gateway-'));
  readonly port: number;
  readonly #scripts = new Set<ChildProcess>();

  private constructor(port: number) {
    this.port = port;
    cpSync(STAND_IN, this.folder, { recursive: true });
  }

  static async make(): Promise<Worker> {
    return new Worker(await freePort());
  }

  /** A gateway over the real /proc, which sees the processes of this folder only: other tests may run beside it. */
  gateway(options: GatewayOptions = {}): Gateway {
    return new Gateway({
      healthUrl: `http://localhost:${this.port}/health`,
      classifyProcess: (process) => (this.owns(Number(process.id)) ? classifyOpenClawProcess(process) : null),
      ensureGateway: () => this.start(),
      stopGateway: () => this.kill('SIGKILL'),
      ...options,
    });
  }

  owns(pid: number): boolean {
    try {
      return readlinkSync(`/proc/${pid}/cwd`) === this.folder;
    } catch {
      return false;
    }
  }

  /** Runs the start script until it exits. */
  async start(): Promise<void> {
    const exitCode = await new Promise<number | null>((resolve, reject) => {
      const script = spawn(join(this.folder, 'start-openclaw.sh'), [String(this.port)], {
        cwd: this.folder,
        stdio: 'ignore',
      });
      this.#scripts.add(script);
      script.once('error', reject);
      script.once('exit', (code) => {
        this.#scripts.delete(script);
        resolve(code);
      });
    });
    if (exitCode !== 0) throw Object.assign(new Error(`the start script exited with ${exitCode}`), { exitCode });
  }

  get pid(): number | undefined {
    const path = join(this.folder, 'gateway.pid');
    const pid = existsSync(path) ? Number(readFileSync(path, 'utf8')) : 0;
    return pid > 0 && this.owns(pid) ? pid : undefined;
  }

  async kill(signal: NodeJS.Signals): Promise<void> {
    const { pid } = this;
    if (pid === undefined) return;
    process.kill(pid, signal);
    if (signal === 'SIGKILL') await until(`${pid} is gone`, () => !this.owns(pid));
  }

  set(name: 'mode' | 'delay' | 'host' | 'linger' | 'refuse', value: string): void {
    writeFileSync(join(this.folder, name), value);
  }

  unset(name: string): void {
    rmSync(join(this.folder, name), { force: true });
  }

  async dispose(): Promise<void> {
    this.unset('linger');
    for (const script of this.#scripts) script.kill('SIGKILL');
    await this.kill('SIGCONT');
    await this.kill('SIGKILL');
    rmSync(this.folder, { recursive: true, force: true });
  }
}
