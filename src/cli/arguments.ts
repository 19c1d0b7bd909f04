import { validateHeaderName, validateHeaderValue } from 'node:http';
import { parseArgs } from 'node:util';

/** One GET, as the command line asks for it. */
export interface ProbeRequest {
  readonly url: URL;
  readonly timeoutMs: number;
  readonly expected: readonly CodeRange[];
  /** Names and values, in order. */
  readonly headers: readonly (readonly [name: string, value: string])[];
}

/** Status codes from one to another, both included. */
export interface CodeRange {
  readonly from: number;
  readonly to: number;
}

/** What a command line asks for. `usage`: it cannot be understood, for this reason. */
export type Command =
  | { readonly do: 'probe'; readonly request: ProbeRequest }
  | { readonly do: 'help' }
  | { readonly do: 'usage'; readonly why: string };

export const USAGE = 'health-controller probe <url> [--timeout MS] [--expect CODES] [--header "NAME: VALUE"]...';

export const HELP = `Usage: ${USAGE}

Sends one GET and exits with 0 when it is answered as expected, 1 when it is not, 2 for wrong usage.
Prints one line. Follows no redirect, reads no body.

  --timeout MS     for everything, from the lookup of the name to the response headers (default: 5000)
  --expect CODES   status codes and ranges such as 200,204 or 200-399 (default: 200-299)
  --header H       a header such as "Host: internal.local"; may be repeated`;

const DEFAULT_TIMEOUT = '5000';
const DEFAULT_EXPECT = '200-299';
const MAX_MS = 2_147_483_647;

class WrongUsage extends Error {}

/** Reads a command line, without the names of the runtime and the script. Never throws. */
export function readArguments(given: readonly string[]): Command {
  try {
    return read(given);
  } catch (error) {
    return { do: 'usage', why: error instanceof Error ? (error.message.split('\n')[0] ?? '') : '' };
  }
}

function read(given: readonly string[]): Command {
  const { values, positionals } = parseArgs({
    args: [...given],
    allowPositionals: true,
    options: {
      timeout: { type: 'string', default: DEFAULT_TIMEOUT },
      expect: { type: 'string', default: DEFAULT_EXPECT },
      header: { type: 'string', multiple: true, default: [] },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return { do: 'help' };
  const [command, url, ...rest] = positionals;
  if (command !== 'probe') {
    // Forgotten, where a URL stands in its place.
    const got = command?.includes(':') === true ? 'a URL' : quoted(command);
    throw new WrongUsage(`expected the command "probe", got ${got}`);
  }
  if (url === undefined || rest.length > 0) {
    throw new WrongUsage(`expected one URL, got ${positionals.length - 1} arguments`);
  }
  return {
    do: 'probe',
    request: {
      url: readUrl(url),
      timeoutMs: readTimeout(values.timeout),
      expected: readCodes(values.expect),
      headers: values.header.map(readHeader),
    },
  };
}

// The URL is not repeated: it may hold a password.
function readUrl(given: string): URL {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  throw new WrongUsage('expected a URL that begins with http:// or https://');
}

function readTimeout(given: string): number {
  const ms = /^\d+$/.test(given) ? Number(given) : 0;
  if (ms >= 1 && ms <= MAX_MS) return ms;
  throw new WrongUsage(`--timeout: expected milliseconds from 1 to ${MAX_MS}, got ${quoted(given)}`);
}

function readCodes(given: string): CodeRange[] {
  return given.split(',').map((part) => {
    const [, first, last = first] = /^(\d{3})(?:-(\d{3}))?$/.exec(part.trim()) ?? [];
    const range = { from: Number(first), to: Number(last) };
    if (range.from >= 100 && range.from <= range.to) return range;
    throw new WrongUsage(`--expect: expected codes and ranges such as 200,204 or 200-399, got ${quoted(given)}`);
  });
}

// Nor is a header: it may hold a token.
function readHeader(given: string): readonly [string, string] {
  const at = given.indexOf(':');
  const [name, value] = [given.slice(0, Math.max(at, 0)).trim(), given.slice(at + 1).trim()];
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    return [name, value];
  } catch {
    throw new WrongUsage('--header: expected a header such as "Host: internal.local"');
  }
}

function quoted(given: string | undefined): string {
  return given === undefined ? 'nothing' : JSON.stringify(given.slice(0, 100));
}
