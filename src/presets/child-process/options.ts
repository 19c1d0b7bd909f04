import type { Clock, Logger } from '../../index.js';
import { clockPort, duration, flag, loggerPort, type Shape, silentLogger, systemClock, where } from '../../kit.js';

/** When a process counts as up: it was spawned, an address accepts connections, or a URL answers 200 to 399. */
export type ReadyWhen =
  | 'spawned'
  | { readonly tcp: { readonly port: number; readonly host?: string | undefined } }
  | { readonly http: string };

/** Options of {@link childProcess}. Durations are milliseconds. */
export interface ChildProcessOptions {
  /** The program, as `child_process.spawn` takes it. No shell is involved. */
  readonly command: string;
  /** @defaultValue none */
  readonly args?: readonly string[] | undefined;
  /** Absent: this process's. */
  readonly cwd?: string | undefined;
  /** The whole environment, not an addition to it. Absent: this process's. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /**
   * What asks it to stop; sent to its whole process group.
   * @defaultValue 'SIGTERM'
   */
  readonly stopSignal?: NodeJS.Signals | undefined;
  /**
   * How long its group has to go away before it is killed, counted from the stop signal, and never longer than the stop
   * has. 0: it is killed at once.
   * @defaultValue 5000
   */
  readonly killAfterMs?: number | undefined;
  /**
   * When it calls `ready()`. Absent: never, so that it is up when it has run for the restart reset interval. Tried every
   * 250 ms, each try bounded by a second.
   */
  readonly readyWhen?: ReadyWhen | undefined;
  /** Exit codes after which a restart would be useless: it gives up at once. Absent: none. */
  readonly noRestartExitCodes?: readonly number[] | undefined;
  /**
   * Whether it is work that is to be done once: exit code 0 completes it. Otherwise every exit that nobody asked for is
   * a failure, also with code 0.
   * @defaultValue false
   */
  readonly runToCompletion?: boolean | undefined;
  /**
   * Where its output lines go: standard output as `info`, standard error as `warn`. Lines are cut at 4096 characters; of
   * more than 200 lines in a second the rest is counted only. Absent: nowhere, but for the last lines of standard error,
   * which the error of a failed run carries.
   */
  readonly logger?: Logger | undefined;
  /** Absent: the system's clock. */
  readonly clock?: Clock | undefined;
}

/** The options with every one decided. */
export interface ChildProcessSettings {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>> | undefined;
  readonly stopSignal: NodeJS.Signals;
  readonly killAfterMs: number;
  readonly readyWhen: ReadyWhen | undefined;
  readonly noRestartExitCodes: readonly number[];
  readonly runToCompletion: boolean;
  readonly logger: Logger;
  readonly clock: Clock;
}

const isText = (value: unknown): boolean => typeof value === 'string' && value !== '' && !value.includes('\0');
const isTexts = (value: unknown): boolean =>
  Array.isArray(value) && value.every((text) => typeof text === 'string' && !text.includes('\0'));
const isCode = (value: unknown): boolean => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 255;
const isPort = (value: unknown): boolean => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 65_535;

function isReadyWhen(value: unknown): boolean {
  if (value === 'spawned') return true;
  if (typeof value !== 'object' || value === null) return false;
  const { tcp, http } = value as { tcp?: { port?: unknown; host?: unknown } | null; http?: unknown };
  if (http !== undefined) return tcp === undefined && typeof http === 'string' && URL.canParse(http);
  return typeof tcp === 'object' && tcp !== null && isPort(tcp.port) && (tcp.host === undefined || isText(tcp.host));
}

export const CHILD_PROCESS: Shape = {
  command: where(isText, 'the name or path of a program'),
  args: where(isTexts, 'a list of texts'),
  cwd: where(isText, 'the path of a folder'),
  env: where((value) => typeof value === 'object' && value !== null && !Array.isArray(value), 'an object of variables'),
  stopSignal: where((value) => typeof value === 'string' && /^SIG[A-Z0-9]+$/.test(value), "a signal such as 'SIGTERM'"),
  killAfterMs: duration(0),
  readyWhen: where(isReadyWhen, "'spawned', { tcp: { port, host? } } or { http: url }"),
  noRestartExitCodes: where(
    (value) => Array.isArray(value) && value.every(isCode),
    'a list of exit codes from 0 to 255',
  ),
  runToCompletion: flag(),
  logger: loggerPort(),
  clock: clockPort(),
};

export const CHILD_PROCESS_DEFAULTS = Object.freeze({
  args: Object.freeze([]),
  stopSignal: 'SIGTERM',
  killAfterMs: 5000,
  noRestartExitCodes: Object.freeze([]),
  runToCompletion: false,
  logger: silentLogger,
  clock: systemClock,
});
