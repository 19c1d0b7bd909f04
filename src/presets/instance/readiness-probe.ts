import type { Clock } from '../../index.js';
import { checkValue, clip, duration, invalidOption, oneOf, readOptions, where } from '../../kit.js';
import { askStatus } from './ask-status.js';
import type { InstanceContainer } from './container.js';
import { codesOf } from './error-codes.js';
import { httpUrl } from './http-url.js';

/** What one run of a readiness probe found. */
export type ReadinessFinding =
  | { readonly outcome: 'passed' }
  | { readonly outcome: 'failed'; readonly message: string }
  /** The probe cannot be run there at all: the instance runs unvalidated, and the message is logged. */
  | { readonly outcome: 'unvalidated'; readonly message: string };

export interface ReadinessContext {
  /** Aborted at `probeTimeoutMs`, and when the answer is not wanted any more. */
  readonly signal: AbortSignal;
  /** What is left of `probeTimeoutMs`: the whole of it when the probe is called. */
  readonly timeoutMs: number;
  readonly container: InstanceContainer;
  readonly clock: Clock;
}

/** Timing that a probe brings along; what the `Instance` itself was given wins. */
export interface ProbeTiming {
  readonly readinessTimeoutMs?: number | undefined;
  readonly probeTimeoutMs?: number | undefined;
  readonly probeIntervalMs?: number | undefined;
}

/**
 * How an instance is known to be ready: `httpProbe()`, `execProbe()`, or an object of your own. `run` may reject, which
 * counts as failed, and is bounded by the caller. It is called while the container is up and until it has passed, one
 * call at a time.
 */
export interface ReadinessProbe extends ProbeTiming {
  run(context: ReadinessContext): ReadinessFinding | PromiseLike<ReadinessFinding>;
}

export interface HttpProbeOptions {
  /** Which of the statuses from 200 to 399 pass: one, a list, or a function. Absent: all of them. */
  readonly expect?: number | readonly number[] | ((status: number) => boolean) | undefined;
}

const PASSED: ReadinessFinding = Object.freeze({ outcome: 'passed' });

const isPassing = (value: unknown) => Number.isInteger(value) && Number(value) >= 200 && Number(value) <= 399;
const HTTP_OPTIONS = {
  expect: where(
    (value) =>
      typeof value === 'function' ||
      isPassing(value) ||
      (Array.isArray(value) && value.length > 0 && value.every(isPassing)),
    'a status from 200 to 399, a list of such, or a function',
  ),
};

/**
 * Ready when a GET of `url`, sent by this process, is answered with 200 to 399. No redirect is followed and no body
 * read.
 * @throws HealthControllerError `invalid_option`
 */
export function httpProbe(url: string | URL, options: HttpProbeOptions = {}): ReadinessProbe {
  const target = httpUrl('httpProbe(): the URL', url);
  const { expect }: HttpProbeOptions = readOptions('httpProbe()', HTTP_OPTIONS, options);
  return {
    async run({ signal, timeoutMs, clock }) {
      const finding = await askStatus({ method: 'GET', url: target, timeoutMs, clock, signal });
      if (!('status' in finding)) {
        const [code = 'unknown error'] = codesOf(finding.error);
        return failed(`no answer: ${code}`);
      }
      return passes(finding.status, expect) ? PASSED : failed(`answered with status ${finding.status}`);
    },
  };
}

function passes(status: number, expect: HttpProbeOptions['expect']): boolean {
  if (!isPassing(status)) return false;
  if (typeof expect === 'function') return expect(status);
  return expect === undefined || (Array.isArray(expect) ? expect : [expect]).includes(status);
}

/** What an engine or a shell exits with where the command is not there, or cannot be executed. */
const CANNOT_EXECUTE = 126;
const NOT_FOUND = 127;

const isCommand = (value: unknown) =>
  (typeof value === 'string' && value.trim() !== '') ||
  (Array.isArray(value) && value.length > 0 && value.every((part) => typeof part === 'string') && value[0] !== '');

/**
 * Ready when a command in the container exits with 0. A list is executed as it is; a string is given to the container's
 * `sh -c`. A command that is not there (exit code 126 or 127) lets the instance run without validation (seed 003), and
 * what it printed is logged. One that outlives `probeTimeoutMs` has failed; since an engine cannot end it, no other is
 * begun while it still runs.
 * @throws HealthControllerError `invalid_option`
 */
export function execProbe(command: string | readonly string[]): ReadinessProbe {
  checkValue(
    'execProbe(): the command',
    where(isCommand, 'a command line, or a list of a command and its arguments'),
    command,
  );
  const parts = typeof command === 'string' ? ['sh', '-c', command] : [...command];
  return {
    async run({ signal, clock, container }) {
      if (container.exec === undefined) return failed('the container has no way to run a command');
      const ended = await container.exec(parts, { signal, clock });
      if (ended.kind === 'busy') return failed('an earlier run of the command has not ended');
      if (ended.kind === 'refused') return failed(`the command was not run: ${ended.message}`);
      if (ended.exitCode === 0) return PASSED;
      // The engine itself reports on stdout that there is no such command.
      const printed = clip((ended.stderr.trim() || ended.stdout.trim()).replaceAll(/\s+/g, ' '), 300);
      const message = `${parts.join(' ')}: exit code ${ended.exitCode}${printed === '' ? '' : `: ${printed}`}`;
      return isAbsent(ended.exitCode, printed) ? { outcome: 'unvalidated', message } : failed(message);
    },
  };
}

/** What engines say of an executable that is not there or not executable. */
const OF_THE_FILE = /executable file|no such file|not found|permission denied|format error|a directory/i;

/** A container that ends just then gives the same code, and the runtime's words for that. */
function isAbsent(exitCode: number, printed: string): boolean {
  if (exitCode !== CANNOT_EXECUTE && exitCode !== NOT_FOUND) return false;
  return !/OCI runtime|cannot exec in/i.test(printed) || OF_THE_FILE.test(printed);
}

/**
 * The probe of a tool type that has none of its own (seed 003): for a web tool `curl -f http://localhost:PORT` in the
 * container, for a terminal none.
 * @throws HealthControllerError `invalid_option`
 */
export function defaultProbe(kind: 'web', port: number): ReadinessProbe;
export function defaultProbe(kind: 'terminal'): undefined;
export function defaultProbe(kind: 'web' | 'terminal', port?: number): ReadinessProbe | undefined {
  checkValue('defaultProbe(): the kind', oneOf('web', 'terminal'), kind);
  if (kind === 'terminal') return undefined;
  if (!Number.isInteger(port) || Number(port) < 1 || Number(port) > 65_535) {
    throw invalidOption('defaultProbe(): the port', 'a port from 1 to 65535', port);
  }
  return execProbe(['curl', '-f', `http://localhost:${port}`]);
}

export const PROBE_TIMING = {
  readinessTimeoutMs: duration(1),
  probeTimeoutMs: duration(1),
  probeIntervalMs: duration(1),
};

function failed(message: string): ReadinessFinding {
  return { outcome: 'failed', message };
}
