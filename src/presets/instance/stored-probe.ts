import { checkValue, invalidOption, oneOf, readOptions, where } from '../../kit.js';
import {
  execProbe,
  type HttpProbeOptions,
  httpProbe,
  PROBE_TIMING,
  type ProbeTiming,
  type ReadinessProbe,
} from './readiness-probe.js';

const AT = 'parseReadinessProbe()';
const anything = where(() => true, 'anything');

const SHAPE = {
  type: oneOf('exec', 'http', 'none'),
  command: anything,
  url: anything,
  expect: anything,
  ...PROBE_TIMING,
};

/**
 * Reads the readiness probe that is stored with a tool type (seed 003): the JSON text of the field, or the value that it
 * was parsed to.
 *
 * - `null`, `undefined`, `""`, `"none"` and `{ "type": "none" }`: no probe, undefined is returned;
 * - `{ "type": "exec", "command": "curl -f http://localhost:8080/health" }`, the command also as a list;
 * - `{ "type": "http", "url": "http://127.0.0.1:8080/health", "expect": 200 }`;
 * - a command line, or a list of strings, by itself: exec.
 *
 * `type` may be left out where `command` or `url` says it. An object may also hold `readinessTimeoutMs`,
 * `probeTimeoutMs` and `probeIntervalMs` of its own.
 * @throws HealthControllerError `invalid_option` for anything else
 */
export function parseReadinessProbe(json: unknown): ReadinessProbe | undefined {
  const value = typeof json === 'string' ? readText(json.trim()) : json;
  if (value === null || value === undefined || value === '' || value === 'none') return undefined;
  if (typeof value === 'string' || Array.isArray(value)) return execProbe(value);
  const stored = readOptions(AT, SHAPE, value);
  const kind = kindOf(stored);
  if (kind === 'none') return undefined;
  const { readinessTimeoutMs, probeTimeoutMs, probeIntervalMs } = stored as ProbeTiming;
  const probe =
    kind === 'http' ? storedHttp(stored) : execProbe(required(stored, 'command', ['url', 'expect']) as string);
  return { ...probe, readinessTimeoutMs, probeTimeoutMs, probeIntervalMs };
}

/** A text that is JSON of a probe, or else a command line. */
function readText(text: string): unknown {
  if (!/^[{["]|^null$/.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    // A command may begin with a quote or with `[`, but none begins with `{"`.
    if (text.startsWith('{')) throw invalidOption(AT, 'JSON, or a command line', text);
    return text;
  }
}

function kindOf(stored: Readonly<Record<string, unknown>>): unknown {
  if (stored.type !== undefined) return stored.type;
  if (stored.url !== undefined) return 'http';
  if (stored.command !== undefined) return 'exec';
  throw invalidOption(AT, 'an object with "type", "command" or "url"', stored);
}

function storedHttp(stored: Readonly<Record<string, unknown>>): ReadinessProbe {
  const url = required(stored, 'url', ['command']) as string;
  checkValue(
    `${AT}: option "expect"`,
    where((value) => typeof value !== 'function', 'a status or a list'),
    stored.expect,
  );
  return httpProbe(url, { expect: stored.expect as HttpProbeOptions['expect'] });
}

function required(stored: Readonly<Record<string, unknown>>, key: string, others: readonly string[]): unknown {
  const wrong = others.find((other) => stored[other] !== undefined);
  if (wrong !== undefined) throw invalidOption(AT, `"${key}" without "${wrong}"`, stored);
  return stored[key];
}
