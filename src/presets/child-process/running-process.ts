import { type ChildProcess, spawn } from 'node:child_process';
import type { Clock } from '../../index.js';
import type { ChildProcessSettings } from './options.js';
import { OutputLines } from './output-lines.js';
import { signalGroup } from './process-group.js';

const LOOK_MS = 20;
const UNKILLABLE_MS = 1000;
const ZOMBIE_MS = 100;
const LAST_LINES = 10;

/** How a process ended: by code, by signal, or because it could not be run at all. */
export type ProcessEnd =
  | { readonly how: 'exited'; readonly code: number | null; readonly signal: NodeJS.Signals | null }
  | { readonly how: 'not_spawned'; readonly error: Error };

/** One operating-system process in a process group of its own, and what it takes to leave nothing of it behind. */
export class RunningProcess {
  readonly #settings: ChildProcessSettings;
  readonly #child: ChildProcess;
  readonly #lastLines: string[] = [];
  #end: ProcessEnd | undefined;
  #killAt = Number.POSITIVE_INFINITY;
  #gone: Promise<void> | undefined;
  readonly ended: Promise<ProcessEnd>;

  constructor(settings: ChildProcessSettings) {
    this.#settings = settings;
    const { command, args, cwd, env, clock, logger } = settings;
    this.#child = spawn(command, args, {
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      windowsHide: true,
      ...(cwd === undefined ? undefined : { cwd }),
      ...(env === undefined ? undefined : { env: { ...env } }),
    });
    const { stdout, stderr } = this.#child;
    if (stdout !== null) new OutputLines(stdout, clock, (line) => logger.info(line, { command }));
    if (stderr !== null) new OutputLines(stderr, clock, (line) => this.#complaint(line));
    this.ended = new Promise((resolve) => {
      const end = (how: ProcessEnd): void => {
        this.#end ??= how;
        resolve(this.#end);
      };
      this.#child.once('error', (error) => {
        if (this.#child.pid === undefined) end({ how: 'not_spawned', error });
      });
      this.#child.on('error', () => {});
      this.#child.once('exit', (code, signal) => end({ how: 'exited', code, signal }));
    });
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** The last lines of its standard error. */
  get lastLines(): readonly string[] {
    return this.#lastLines;
  }

  /** Calls back once it runs; never where it cannot be run. */
  whenSpawned(then: () => void): void {
    this.#child.once('spawn', then);
  }

  /**
   * Asks the whole group to go away and kills what is left after `killAfterMs`. Resolves when nothing of it is left, or
   * when it cannot be killed. Again: the same promise, and the earlier kill counts.
   */
  terminate(killAfterMs: number): Promise<void> {
    this.#killAt = Math.min(this.#killAt, this.#settings.clock.now() + killAfterMs);
    this.#gone ??= this.#terminate();
    return this.#gone;
  }

  /** Kills what is left of the group, now. */
  kill(): void {
    signalGroup(this.#child, 'SIGKILL');
  }

  async #terminate(): Promise<void> {
    const { clock, stopSignal } = this.#settings;
    if (this.#killAt > clock.now()) signalGroup(this.#child, stopSignal);
    let killed = false;
    while (this.#end === undefined || signalGroup(this.#child, 0)) {
      const left = this.#killAt - clock.now();
      if (left <= 0 && !killed) {
        killed = true;
        this.kill();
      }
      // What survives a SIGKILL hangs in the kernel or, orphaned, is a zombie that this machine's first process does not
      // reap and that holds nothing any more: nothing can be done about either.
      if (left <= (this.#end === undefined ? -UNKILLABLE_MS : -ZOMBIE_MS)) break;
      await pause(clock, left > 0 ? Math.min(LOOK_MS, Math.max(1, left)) : LOOK_MS);
    }
    this.#release();
  }

  // A grandchild that left the group may hold the pipes open.
  #release(): void {
    this.#child.stdout?.destroy();
    this.#child.stderr?.destroy();
    this.#child.unref();
  }

  #complaint(line: string): void {
    this.#lastLines.push(line);
    if (this.#lastLines.length > LAST_LINES) this.#lastLines.shift();
    this.#settings.logger.warn(line, { command: this.#settings.command });
  }
}

function pause(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => {
    clock.setTimeout(resolve, ms, { keepAlive: true });
  });
}
