import type { ChildProcess } from 'node:child_process';

/**
 * Signals a process and everything it has started in its group; says whether anything was there. Windows has no process
 * groups: there it is the process alone.
 */
export function signalGroup(child: ChildProcess, signal: NodeJS.Signals | 0): boolean {
  const { pid } = child;
  if (pid === undefined) return false;
  try {
    if (process.platform === 'win32') return signal === 0 ? child.exitCode === null : child.kill(signal);
    return process.kill(-pid, signal);
  } catch (error) {
    // EPERM: something is there that is not ours to signal. ESRCH: nothing is.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
