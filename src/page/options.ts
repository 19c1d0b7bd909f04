import type { DetailsPolicy } from '../http/options.js';
import { pathShape, resolvePaths } from '../http/paths.js';
import type { PolicyRequest } from '../http/policies.js';
import { type Clock, type Logger, systemClock } from '../index.js';
import {
  abortSignal,
  clockPort,
  count,
  duration,
  invalidOption,
  loggerPort,
  readOptions,
  type Shape,
  safeLogger,
  silentLogger,
  where,
} from '../kit.js';
import type { PageSource } from './source.js';

/** Options of {@link createStatusPage}. Durations are milliseconds, from 1 to 2 147 483 647. */
export interface StatusPageOptions {
  /** What it shows, in this order: what `controllerSource()` and its like give, or sources of your own. One at least. */
  readonly sources: readonly PageSource[];
  /**
   * The heading, and the title of the window.
   * @defaultValue 'Status'
   */
  readonly title?: string | undefined;
  /**
   * Who sees error texts, data, URLs and process ids. Everyone else sees names, states, reason codes, ages and history.
   * A stream is asked for once, when it begins, and again after `maxStreamMs`. Credentials in URLs are masked for all.
   * @defaultValue 'never'
   */
  readonly details?: 'never' | 'always' | DetailsPolicy<PolicyRequest> | undefined;
  /**
   * Where the page's own handlers have it: it takes this path and all below it. Not where it is given to a health handler.
   * @defaultValue '/status-page'
   */
  readonly path?: string | undefined;
  /** Put before `path`; slashes at its ends make no difference. A mount point of the framework comes before it. */
  readonly basePath?: string | undefined;
  /**
   * How often the sources are read while somebody looks, and how often a browser without a stream asks. What a source
   * says has changed is shown a quarter of a second later.
   * @defaultValue 5000
   */
  readonly refreshIntervalMs?: number | undefined;
  /**
   * How long a source is waited for. Then its section shows what was known, and says so.
   * @defaultValue 5000
   */
  readonly readTimeoutMs?: number | undefined;
  /**
   * How much time a history strip shows; each of its thirty slots shows the worst that was seen in it.
   * @defaultValue 1800000
   */
  readonly historyMs?: number | undefined;
  /**
   * How many entries of a source are shown. Of more, those that need attention come first.
   * @defaultValue 200
   */
  readonly maxEntries?: number | undefined;
  /**
   * How many browsers may have a stream at one time; more of them poll.
   * @defaultValue 100
   */
  readonly maxClients?: number | undefined;
  /**
   * How often a stream says that it is there, beside what it has to say.
   * @defaultValue 15000
   */
  readonly heartbeatIntervalMs?: number | undefined;
  /**
   * A client that has left more than this unread, in bytes, is dropped when there is something new. At least 1.
   * @defaultValue 1048576
   */
  readonly maxBufferedBytes?: number | undefined;
  /**
   * How long a stream lasts. Then its browser connects anew, and the details policy is asked again.
   * @defaultValue 300000
   */
  readonly maxStreamMs?: number | undefined;
  /** Aborted: the streams end, as by `close()`. Absent: they end with the first controller that is shown. */
  readonly signal?: AbortSignal | undefined;
  /** Told the path once, and when a source or the policy begins to fail and works again. Absent: nobody is told. */
  readonly logger?: Logger | undefined;
  /** Absent: the system's clock. */
  readonly clock?: Clock | undefined;
}

const isTitle = (value: unknown): boolean => typeof value === 'string' && value.length > 0 && value.length <= 256;
const isPolicy = (value: unknown): boolean => value === 'never' || value === 'always' || typeof value === 'function';

const SHAPE: Shape = {
  sources: where((value) => Array.isArray(value) && value.length > 0, 'a list of sources, one at least'),
  title: where(isTitle, 'a text of 1 to 256 characters'),
  details: where(isPolicy, "'never', 'always' or a function"),
  path: pathShape(),
  basePath: pathShape(),
  refreshIntervalMs: duration(1),
  readTimeoutMs: duration(1),
  historyMs: duration(1),
  maxEntries: count(1),
  maxClients: count(1),
  heartbeatIntervalMs: duration(1),
  maxBufferedBytes: count(1),
  maxStreamMs: duration(1),
  signal: abortSignal(),
  logger: loggerPort(),
  clock: clockPort(),
};

/** A page's options with every one decided. */
export interface StatusPageSettings {
  readonly sources: readonly PageSource[];
  readonly title: string;
  readonly details: 'never' | 'always' | DetailsPolicy<PolicyRequest>;
  /** Its own path below a prefix of the framework's. */
  readonly pathBelow: (prefix: string) => string;
  readonly refreshIntervalMs: number;
  readonly readTimeoutMs: number;
  readonly historyMs: number;
  readonly maxEntries: number;
  readonly maxClients: number;
  readonly heartbeatIntervalMs: number;
  readonly maxBufferedBytes: number;
  readonly maxStreamMs: number;
  readonly signals: readonly AbortSignal[];
  readonly logger: Logger;
  readonly clock: Clock;
}

const AT = 'createStatusPage()';

export function resolveStatusPage(given: unknown): StatusPageSettings {
  const options = readOptions(AT, SHAPE, given, ['sources']) as unknown as StatusPageOptions;
  const { sources, details, path = '/status-page', basePath, signal } = options;
  checkSources(sources);
  const pathBelow = (prefix: string): string => {
    const paths = { liveness: false, readiness: false, status: path } as const;
    return resolvePaths(AT, { basePath, paths }, prefix).status || path;
  };
  // Refused at once, and not at the first mounting.
  pathBelow('');
  const signals = [signal, ...sources.map((source) => source.signal)];
  return Object.freeze({
    sources: [...sources],
    title: options.title ?? 'Status',
    details: typeof details === 'function' ? details.bind(given) : (details ?? 'never'),
    pathBelow,
    refreshIntervalMs: options.refreshIntervalMs ?? 5000,
    readTimeoutMs: options.readTimeoutMs ?? 5000,
    historyMs: options.historyMs ?? 1_800_000,
    maxEntries: options.maxEntries ?? 200,
    maxClients: options.maxClients ?? 100,
    heartbeatIntervalMs: options.heartbeatIntervalMs ?? 15_000,
    maxBufferedBytes: options.maxBufferedBytes ?? 1_048_576,
    maxStreamMs: options.maxStreamMs ?? 300_000,
    signals: signals.filter((each) => each !== undefined),
    logger: options.logger === undefined ? silentLogger : safeLogger(options.logger),
    clock: options.clock ?? systemClock,
  });
}

const isSource = (value: unknown): value is PageSource => {
  if (typeof value !== 'object' || value === null) return false;
  const { name, read, watch } = value as { [Key in keyof PageSource]?: unknown };
  if (typeof name !== 'string' || name === '' || name.length > 256) return false;
  return typeof read === 'function' && (watch === undefined || typeof watch === 'function');
};

function checkSources(sources: readonly unknown[]): void {
  const names = new Set<string>();
  for (const [index, source] of sources.entries()) {
    const at = `${AT}: option "sources"[${index}]`;
    if (!isSource(source)) throw invalidOption(at, 'a source with a name and a function read', source);
    if (names.has(source.name)) throw invalidOption(at, 'a source with a name of its own', source.name);
    names.add(source.name);
  }
}
