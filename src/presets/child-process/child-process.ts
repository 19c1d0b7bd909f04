import type { ServiceDescription, StartContext, StopContext } from '../../index.js';
import { readOptions, safeLogger } from '../../kit.js';
import {
  CHILD_PROCESS,
  CHILD_PROCESS_DEFAULTS,
  type ChildProcessOptions,
  type ChildProcessSettings,
} from './options.js';
import { watchReady } from './ready-probe.js';
import { type ProcessEnd, RunningProcess } from './running-process.js';

/** A process that ended, or could not be run. Recognise it by `name`. */
export class ChildProcessError extends Error {
  override readonly name = 'ChildProcessError';
  readonly command: string;
  /** Its exit code; null where a signal ended it, or it never ran. */
  readonly exitCode: number | null;
  /** The signal that ended it. */
  readonly signal: string | null;
  /** The last lines of its standard error, at most ten. */
  readonly lastLines: readonly string[];

  constructor(command: string, end: ProcessEnd, lastLines: readonly string[]) {
    super(sentence(command, end), end.how === 'not_spawned' ? { cause: end.error } : undefined);
    this.command = command;
    this.exitCode = end.how === 'exited' ? end.code : null;
    this.signal = end.how === 'exited' ? end.signal : null;
    this.lastLines = [...lastLines];
  }
}

/**
 * A service that is an operating-system process: `controller.register('worker', childProcess({ command: 'node', args:
 * ['worker.js'] }), withRestartPolicy({}))`. It runs in a process group of its own and in the foreground until it exits;
 * an exit that nobody asked for is a failure, with code and signal in the {@link ChildProcessError}. Stopping sends
 * `stopSignal` to the group and kills what is left of it after `killAfterMs`; it is over when nothing of the group is
 * left. What the process started in its group is killed too when it crashes, so that a restart finds its port free.
 *
 * One fragment is for one service. A process that makes itself a new group or session leaves the supervision, and a
 * SIGKILL of this process leaves its children behind: see the limitations.
 *
 * @throws HealthControllerError `invalid_option`
 */
export function childProcess(options: ChildProcessOptions): ServiceDescription {
  const settings = resolve(options);
  const { killAfterMs, noRestartExitCodes, runToCompletion } = settings;
  let current: RunningProcess | undefined;
  return {
    start: async (context) => {
      // One that did not come up in time has been told to go, and may hold its port still.
      if (current !== undefined) await current.terminate(killAfterMs);
      context.signal.throwIfAborted();
      current = new RunningProcess(settings);
      await follow(current, context, settings);
    },
    stop: (context) => (current === undefined ? undefined : halt(current, context, killAfterMs)),
    giveUpOn: (error) => isExit(error) && error.exitCode !== null && noRestartExitCodes.includes(error.exitCode),
    runToCompletion,
  };
}

async function follow(running: RunningProcess, context: StartContext, settings: ChildProcessSettings): Promise<void> {
  const { command, killAfterMs, readyWhen, runToCompletion, clock } = settings;
  const { signal, ready } = context;
  const over = new AbortController();
  const terminate = (): void => {
    over.abort();
    void running.terminate(killAfterMs);
  };
  signal.addEventListener('abort', terminate, { once: true });
  running.whenSpawned(() => {
    if (readyWhen !== undefined && !over.signal.aborted) watchReady(readyWhen, clock, over.signal, ready);
  });
  const end = await running.ended;
  over.abort();
  signal.removeEventListener('abort', terminate);
  // Asked to go, its group has its time; crashed, what is left of it is in the way of the next run.
  await running.terminate(signal.aborted ? killAfterMs : 0);
  if (runToCompletion && end.how === 'exited' && end.code === 0) return;
  throw new ChildProcessError(command, end, running.lastLines);
}

async function halt(running: RunningProcess, context: StopContext, killAfterMs: number): Promise<void> {
  const { signal, deadlineMs } = context;
  const kill = (): void => running.kill();
  if (signal.aborted) kill();
  else signal.addEventListener('abort', kill, { once: true });
  // Killed a little before the time is over, so that its end is still seen.
  await running.terminate(Math.min(killAfterMs, deadlineMs * 0.9));
  signal.removeEventListener('abort', kill);
}

function resolve(options: ChildProcessOptions): ChildProcessSettings {
  const values = readOptions('childProcess()', CHILD_PROCESS, options, ['command']);
  const given = values as unknown as ChildProcessOptions;
  const defaults = CHILD_PROCESS_DEFAULTS;
  return Object.freeze({
    command: given.command,
    args: Object.freeze([...(given.args ?? defaults.args)]),
    cwd: given.cwd,
    env: given.env,
    stopSignal: given.stopSignal ?? defaults.stopSignal,
    killAfterMs: given.killAfterMs ?? defaults.killAfterMs,
    readyWhen: given.readyWhen,
    noRestartExitCodes: Object.freeze([...(given.noRestartExitCodes ?? defaults.noRestartExitCodes)]),
    runToCompletion: given.runToCompletion ?? defaults.runToCompletion,
    logger: given.logger === undefined ? defaults.logger : safeLogger(given.logger),
    clock: given.clock ?? defaults.clock,
  });
}

function isExit(error: unknown): error is ChildProcessError {
  return error instanceof Error && error.name === 'ChildProcessError';
}

function sentence(command: string, end: ProcessEnd): string {
  const what = `process ${JSON.stringify(command)}`;
  if (end.how === 'not_spawned') return `${what} could not be run: ${end.error.message}`;
  return end.signal === null ? `${what} exited with code ${end.code}` : `${what} was ended by ${end.signal}`;
}
