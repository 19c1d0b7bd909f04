import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';

/** How the stand-in behaves: forwards, misbehaves, or answers with that status. */
export type Mode =
  | 'forward'
  | 'refuse'
  | 'silent'
  | 'endless'
  | 'reset'
  | 'no-head'
  | 'head-unknown'
  | 'redirect'
  | 'garbage'
  | 'half'
  | 'upgrade'
  | `${number}`;

/** A tunnel whose connector is a process of ours. */
export interface Tunnel {
  readonly url: string;
  /** `METHOD path` of each request that came through. */
  readonly asked: string[];
  behave(mode: Mode, upstream?: string): Promise<void>;
  /** The process dies. */
  kill(): Promise<void>;
  /** The process stops reading and writing; the kernel still connects the first few. */
  freeze(): void;
  thaw(): void;
  /** Frozen, and its queue filled: further connections hang. */
  jam(): Promise<void>;
}

export async function openTunnel(): Promise<Tunnel> {
  const child = fork(fileURLToPath(new URL('./stand-in.mjs', import.meta.url)), { stdio: 'ignore', execArgv: [] });
  const asked: string[] = [];
  child.on('message', (message) => {
    if (typeof message === 'object' && message !== null && 'asked' in message) asked.push(String(message.asked));
  });
  const { port } = await told(child, 'port');
  const queued: Socket[] = [];
  return {
    url: `http://127.0.0.1:${port}/`,
    asked,
    async behave(mode, upstream) {
      const done = told(child, 'told');
      child.send({ mode, upstream });
      await done;
    },
    async kill() {
      for (const socket of queued) socket.destroy();
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
    },
    freeze: () => child.kill('SIGSTOP'),
    thaw: () => child.kill('SIGCONT'),
    async jam() {
      child.kill('SIGSTOP');
      for (let full = false; !full; ) {
        const socket = connect(Number(port), '127.0.0.1').on('error', () => {});
        queued.push(socket);
        full = await Promise.race([
          once(socket, 'connect').then(() => false),
          new Promise<boolean>((resolve) => setTimeout(() => resolve(true), 300)),
        ]);
      }
    },
  };
}

function told(child: ChildProcess, key: string): Promise<Record<string, unknown>> {
  return new Promise((resolve, reject) => {
    const hear = (message: unknown) => {
      if (typeof message !== 'object' || message === null || !(key in message)) return;
      child.off('message', hear);
      resolve(message as Record<string, unknown>);
    };
    child.on('message', hear);
    child.once('exit', () => reject(new Error('the stand-in has ended')));
  });
}
