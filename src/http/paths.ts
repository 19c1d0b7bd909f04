import type { ReportKind } from '../index.js';
import { invalidOption, readOptions, where } from '../kit.js';
import type { PathOptions } from './options.js';

/** The effective path of each report, or false where there is none. */
export type HealthPaths = { readonly [Kind in ReportKind]: string | false };

/** What a request asks for by its target. */
export interface Target {
  readonly kind: ReportKind;
  /** The entry that is asked for; undefined for the whole report. */
  readonly entry: string | undefined;
  /** Without its question mark. */
  readonly query: string;
}

export const KINDS: readonly ReportKind[] = ['liveness', 'readiness', 'status'];
const DEFAULT_PATHS: { readonly [Kind in ReportKind]: string } = {
  liveness: '/livez',
  readiness: '/readyz',
  status: '/status',
};

/** Path characters of RFC 3986 that stand for themselves. */
const PATH = /^[\w.~!$&'()*+,;=:@/-]*$/;

const isPath = (value: unknown): value is string =>
  typeof value === 'string' &&
  PATH.test(value) &&
  value.split('/').every((segment) => segment !== '.' && segment !== '..');

const PATH_RULE = 'a path of letters, digits and characters that need no encoding, without query or dot segments';
const pathOrFalse = () => where((value) => value === false || isPath(value), `false or ${PATH_RULE}`);

const SHAPE = { liveness: pathOrFalse(), readiness: pathOrFalse(), status: pathOrFalse() };

/** The options that `resolvePaths` reads. */
export const PATH_SHAPE = { basePath: where(isPath, PATH_RULE), paths: where(() => true, 'an object of paths') };

/** An option that is such a path. */
export const pathShape = () => where(isPath, PATH_RULE);

/** Joins in any spelling: `''`, `'/'`, `'health'`, `'/health/'` and `'//health'` are told apart only by their segments. */
function join(...parts: readonly string[]): string {
  return parts
    .flatMap((part) => part.split('/'))
    .filter((segment) => segment !== '')
    .map((segment) => `/${segment}`)
    .join('');
}

/** Decides the paths from options that passed `PATH_SHAPE`. */
export function resolvePaths(at: string, options: PathOptions, prefix = ''): HealthPaths {
  const given: NonNullable<PathOptions['paths']> = readOptions(`${at}: option "paths"`, SHAPE, options.paths ?? {});
  const full = (kind: ReportKind): string | false => {
    const own = given[kind] ?? DEFAULT_PATHS[kind];
    if (own === false) return false;
    const joined = join(prefix, options.basePath ?? '', own);
    // It would take every request of the application.
    if (joined === '') throw invalidOption(`${at}: option "paths"."${kind}"`, 'a path with at least one segment', own);
    return joined;
  };
  const paths: HealthPaths = Object.freeze({
    liveness: full('liveness'),
    readiness: full('readiness'),
    status: full('status'),
  });
  refuseTwice(at, paths);
  return paths;
}

function refuseTwice(at: string, paths: HealthPaths): void {
  const seen = new Map<string, ReportKind>();
  for (const kind of KINDS) {
    const own = paths[kind];
    if (own === false) continue;
    const other = seen.get(own.toLowerCase());
    if (other !== undefined)
      throw invalidOption(`${at}: option "paths"."${kind}"`, `another path than "${other}"`, own);
    seen.set(own.toLowerCase(), kind);
  }
}

/**
 * The effective paths of a handler with these options, as it logs them: for mounting, for documentation, for asking
 * them from elsewhere. `prefix` is what the framework puts before them: an Express mount point, a Fastify prefix.
 * @throws HealthControllerError `invalid_option`
 */
export function healthPaths(options: PathOptions = {}, prefix = ''): HealthPaths {
  const at = 'healthPaths()';
  const { basePath, paths } = options;
  const known: PathOptions = readOptions(at, PATH_SHAPE, { basePath, paths });
  if (!isPath(prefix)) throw invalidOption(`${at}: the prefix`, PATH_RULE, prefix);
  return resolvePaths(at, known, prefix);
}

/** The effective paths as a text for people. */
export function listPaths(paths: HealthPaths): string {
  return KINDS.flatMap((kind) => (paths[kind] === false ? [] : [`${kind} at ${paths[kind]}`])).join(', ');
}

/** What a request for a report asks for that names no entry and has no query. */
export function wholeReport(kind: ReportKind): Target {
  return Object.freeze({ kind, entry: undefined, query: '' });
}

/**
 * Recognises what is ours. One rule for all spellings, so that none of them falls through to a catch-all page that
 * answers 200: case, doubled slashes, a slash at the end, the query and needless percent-encoding make no difference.
 */
export class PathTable {
  /** Targets as probes send them, which need no parsing. */
  readonly #exact = new Map<string, Target>();
  readonly #kinds: readonly ReportKind[];
  readonly #pattern: RegExp;

  constructor(paths: HealthPaths) {
    const known = KINDS.flatMap((kind) => {
      const own = paths[kind];
      return own === false ? [] : [{ kind, own }];
    });
    for (const { kind, own } of known) {
      this.#exact.set(own, wholeReport(kind));
    }
    // Of two that lie within each other the longer one is meant.
    const byLength = known.sort((a, b) => b.own.length - a.own.length);
    this.#kinds = byLength.map(({ kind }) => kind);
    const groups = byLength.map(({ own }) => `(${escapePattern(own).replaceAll('/', '/+')})`).join('|');
    this.#pattern = new RegExp(groups === '' ? '^(?!)' : `^(?:${groups})(?:/([^]*))?$`, 'i');
  }

  /** What `target` (a request target or a URL) asks for; undefined where it is none of ours. Never throws. */
  match(target: string): Target | undefined {
    const exact = this.#exact.get(target);
    if (exact !== undefined) return exact;
    if (target.charCodeAt(0) === SLASH) return this.#parse(target);
    const relative = withoutOrigin(target);
    return this.#exact.get(relative) ?? this.#parse(relative);
  }

  #parse(target: string): Target | undefined {
    const end = target.indexOf('?');
    let path = end < 0 ? target : target.slice(0, end);
    if (path.includes('%')) path = path.replace(/%[0-9a-f]{2}/gi, decodeUnreserved);
    const found = this.#pattern.exec(path);
    if (found === null) return undefined;
    const kind = this.#kinds[found.findIndex((group, i) => i > 0 && group !== undefined) - 1];
    if (kind === undefined) return undefined;
    const rest = trimSlashes(found[this.#kinds.length + 1] ?? '');
    return { kind, entry: rest === '' ? undefined : decoded(rest), query: end < 0 ? '' : target.slice(end + 1) };
  }
}

const SLASH = 0x2f;

/** Of a URL, as `Request` has it and proxies may send it, what comes after the host. */
function withoutOrigin(url: string): string {
  const scheme = url.indexOf('://');
  const path = scheme <= 0 ? -1 : url.indexOf('/', scheme + 3);
  const query = url.indexOf('?');
  return path < 0 || (query >= 0 && query < path) ? '' : url.slice(path);
}

function decodeUnreserved(code: string): string {
  const char = String.fromCharCode(Number.parseInt(code.slice(1), 16));
  return /[\w.~-]/.test(char) ? char : code;
}

function trimSlashes(text: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && text.charCodeAt(from) === SLASH) from++;
  while (to > from && text.charCodeAt(to - 1) === SLASH) to--;
  return text.slice(from, to);
}

/** A text that is not percent-encoded properly stands for itself. */
export function decoded(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
