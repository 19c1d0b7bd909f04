import type { GatewayProcessType } from '../../wire/gateway.js';

/** One process of a list. */
export interface ListedProcess {
  readonly id?: string | number | undefined;
  /** Its command line. */
  readonly command: string;
  /**
   * `running` and `starting` count as present, any other does not. But `unreadable` says that this may be anything: a
   * list with such a process and with neither gateway nor start script is no answer.
   */
  readonly status: string;
}

/** A running gateway rewrites its command line to its title; the kernel's name for it is that, cut to 15 characters. */
const TITLES = ['openclaw-gateway', 'openclaw-gatewa'];
const START_SCRIPT = 'start-openclaw.sh';
const RUNTIMES = /^(node|nodejs|bun)$/;
const SHELLS = /^-?(sh|bash|dash|ash|ksh|zsh)$/;
/** How the program is called when a runtime is given it: its own launcher, or the entry of the image that runs it. */
const ENTRIES = /^(openclaw(\.[mc]?js)?|(index|entry)\.[mc]?js)$/;
/** Options that come before the subcommand and take the next word with them. */
const WITH_VALUE = ['--profile', '--log-level', '--require', '-r', '--import', '--loader', '--env-file'];

/** Whether a process of that status is there. */
export const isPresent = ({ status }: ListedProcess): boolean => status === 'running' || status === 'starting';

/**
 * Whether a process is an OpenClaw gateway, its start script `start-openclaw.sh`, or neither. By the whole command line,
 * not by a word somewhere in it: other subcommands, editors and wrappers (`timeout`, `sudo`) are neither. Only what is
 * `running` or `starting` is anything.
 */
export function classifyOpenClawProcess(process: ListedProcess): GatewayProcessType | null {
  if (!isPresent(process)) return null;
  const command = process.command.trim();
  const words = command.split(/\s+/);
  const [first = '', ...rest] = words;
  const program = baseName(first);
  if (words.length === 1 && TITLES.includes(program)) return 'gateway';
  if (program === START_SCRIPT) return 'script';
  if (SHELLS.test(program)) return baseName(scriptOf(rest)) === START_SCRIPT ? 'script' : null;
  if (program === 'openclaw') return isGatewayCommand(rest) ? 'gateway' : null;
  if (!RUNTIMES.test(program)) return null;
  const [entry, ...args] = afterOptions(rest);
  return entry !== undefined && ENTRIES.test(baseName(entry)) && isGatewayCommand(args) ? 'gateway' : null;
}

/** `gateway` alone or with options, or `gateway run`: every other subcommand talks to a gateway. */
function isGatewayCommand(args: readonly string[]): boolean {
  const [command, next] = afterOptions(args);
  return command === 'gateway' && (next === undefined || next === 'run' || next.startsWith('-'));
}

function afterOptions(words: readonly string[]): readonly string[] {
  let at = 0;
  for (let word = words[0]; word?.startsWith('-'); word = words[at]) at += WITH_VALUE.includes(word) ? 2 : 1;
  return words.slice(at);
}

/** What a shell runs: the first word that is no option; also the first word of `-c`, whose text follows it. */
function scriptOf(args: readonly string[]): string {
  const [script = '', next = ''] = afterOptions(args);
  return script === 'exec' ? next : script;
}

const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
