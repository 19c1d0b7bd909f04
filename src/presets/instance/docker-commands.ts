import type { Clock } from '../../index.js';
import type { ExecContext, ExecOutcome } from './container.js';
import type { DockerContainerHandle, DockerExec, DockerStream } from './docker-client.js';
import { ExecOutput } from './exec-output.js';

/** How long to wait before asking again whether a command has ended. */
const ASK_AGAIN_MS = 50;

/**
 * Runs commands in a container, never one while an earlier one still runs there: the Engine API cannot end a command, so
 * that one that hangs would be joined by another at every probe.
 */
export class DockerCommands {
  /** The last command that was begun and not seen ended. */
  #last: DockerExec | undefined;

  /** Rejects where the engine does, or when the signal aborts. */
  async run(container: DockerContainerHandle, command: readonly string[], context: ExecContext): Promise<ExecOutcome> {
    const { signal, clock } = context;
    if (this.#last !== undefined && (await isRunning(this.#last, signal))) return { kind: 'busy' };
    this.#last = undefined;
    const exec = await container.exec({
      Cmd: [...command],
      AttachStdout: true,
      AttachStderr: true,
      abortSignal: signal,
    });
    this.#last = exec;
    const output = new ExecOutput();
    await readAll(await exec.start({ Detach: false, Tty: false, abortSignal: signal }), output, signal);
    const exitCode = await endOf(exec, signal, clock);
    this.#last = undefined;
    return { kind: 'ended', exitCode, stdout: output.stdout, stderr: output.stderr };
  }
}

async function readAll(stream: DockerStream, output: ExecOutput, signal: AbortSignal): Promise<void> {
  const close = () => stream.destroy();
  signal.addEventListener('abort', close);
  try {
    if (signal.aborted) close();
    for await (const chunk of stream) if (chunk instanceof Uint8Array) output.push(chunk);
  } finally {
    signal.removeEventListener('abort', close);
    stream.destroy();
  }
}

/** The engine closes the output a little before it knows the exit code, and a command may close it while it works on. */
async function endOf(exec: DockerExec, signal: AbortSignal, clock: Clock): Promise<number> {
  for (;;) {
    signal.throwIfAborted();
    const { running, exitCode } = await stateOf(exec, signal);
    if (!running && exitCode !== undefined) return exitCode;
    await pause(ASK_AGAIN_MS, signal, clock);
  }
}

function pause(delayMs: number, signal: AbortSignal, clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clock.clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = clock.setTimeout(end, delayMs, { keepAlive: true });
    signal.addEventListener('abort', end);
  });
}

async function isRunning(exec: DockerExec, signal: AbortSignal): Promise<boolean> {
  try {
    return (await stateOf(exec, signal)).running;
  } catch (error) {
    // The engine forgets commands that have ended, and all of them with their container.
    if ((error as { statusCode?: unknown } | null)?.statusCode === 404) return false;
    throw error;
  }
}

/** Podman says exit code 0 of a command that still runs. */
async function stateOf(
  exec: DockerExec,
  signal: AbortSignal,
): Promise<{ running: boolean; exitCode: number | undefined }> {
  const state = (await exec.inspect({ abortSignal: signal })) as { Running?: unknown; ExitCode?: unknown } | null;
  const exitCode = state?.ExitCode;
  return { running: state?.Running === true, exitCode: typeof exitCode === 'number' ? exitCode : undefined };
}
