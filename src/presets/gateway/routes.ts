import { decoded } from '../../http/paths.js';

/** What a request target asks for. */
export interface Route {
  readonly to: 'snapshot' | 'restart' | 'stream';
  readonly passive: boolean;
}

/** The endpoint of the seed first; the others are aliases of it. */
const PATHS: Readonly<Record<string, Route['to']>> = {
  '/api/health': 'snapshot',
  '/api/status': 'snapshot',
  '/api/admin/gateway/status/polling': 'snapshot',
  '/api/admin/gateway/restart': 'restart',
  '/api/health/ws': 'stream',
  '/api/admin/gateway/status/ws': 'stream',
};

/** Recognises the paths of a gateway below `basePath`. Case, doubled slashes and a slash at the end make no difference. */
export class Routes {
  readonly #table: ReadonlyMap<string, Route['to']>;

  constructor(basePath: string) {
    this.#table = new Map(Object.entries(PATHS).map(([path, to]) => [plain(`${basePath}${path}`), to]));
  }

  /** What `target` (a request target or a URL) asks for; undefined where it is none of ours. Never throws. */
  match(target: string): Route | undefined {
    const end = target.search(/[?#]/);
    const to = this.#table.get(plain(end < 0 ? target : target.slice(0, end)));
    return to && { to, passive: end >= 0 && isPassive(target.slice(end)) };
  }
}

function plain(path: string): string {
  const local = path.replace(/^[a-z][a-z0-9+.-]{0,30}:\/\/[^/]*/i, '');
  return `/${decoded(local)
    .split('/')
    .filter((segment) => segment !== '')
    .join('/')}`.toLowerCase();
}

/** `?passive=1`; also without a value. Only what says no is no: to do nothing is the safe side. */
function isPassive(query: string): boolean {
  const value = new URLSearchParams(query.replace(/#.*$/s, '')).get('passive');
  return value !== null && !/^(0|false|no|off)$/i.test(value);
}
