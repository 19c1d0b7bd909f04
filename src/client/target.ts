import { HealthControllerError } from '../index.js';
import { takeCredentials } from '../wire/url-credentials.js';

/** Where the snapshots of an instance are, and how it is shown to people. */
export interface Target {
  readonly httpUrl: string;
  /** Absent where no WebSocket is wanted: ten thousand of them are a lot of text. */
  readonly socketUrl: string | undefined;
  /** Without credentials. */
  readonly shown: string;
  /** The user and password of the URL as a header. A `fetch` refuses them in a URL. */
  readonly authorization: string | undefined;
}

interface Given {
  readonly url: unknown;
  readonly webSocketUrl: unknown;
  readonly passive: boolean;
  readonly wantsSocket: boolean;
}

/** The path of seed 000. */
const PATH = '/api/health';
const SECRET = /passw|pwd|secret|token|key|credential|signature|^sig$/i;
const MASK = '***';

/** @throws HealthControllerError `invalid_option`; what is refused is not shown: it may hold a password */
export function readTarget(at: string, given: Given): Target {
  const { url, webSocketUrl, passive, wantsSocket } = given;
  const http = readUrl(at, 'url', url, ['http:', 'https:']);
  const authorization = takeCredentials(http);
  http.hash = '';
  if (http.pathname === '/') http.pathname = PATH;
  if (passive) http.searchParams.set('passive', '1');
  const shown = new URL(http);
  for (const name of new Set(shown.searchParams.keys())) if (SECRET.test(name)) shown.searchParams.set(name, MASK);
  const httpUrl = http.href;
  return Object.freeze({
    httpUrl,
    socketUrl: wantsSocket ? socketUrl(at, http, webSocketUrl, passive) : undefined,
    // One text, not two, for most.
    shown: shown.href === httpUrl ? httpUrl : shown.href,
    authorization,
  });
}

function socketUrl(at: string, http: URL, given: unknown, passive: boolean): string {
  if (given !== undefined) {
    const socket = readUrl(at, 'webSocketUrl', given, ['ws:', 'wss:']);
    // Those of the other URL are sent; a WebSocket of a browser refuses both.
    if (takeCredentials(socket) !== undefined) throw refuse(at, 'webSocketUrl', 'a URL without user and password');
    socket.hash = '';
    if (passive) socket.searchParams.set('passive', '1');
    return socket.href;
  }
  const socket = new URL(http);
  socket.protocol = http.protocol === 'https:' ? 'wss:' : 'ws:';
  socket.pathname = `${http.pathname.replace(/\/+$/, '')}/ws`;
  return socket.href;
}

function readUrl(at: string, option: string, given: unknown, protocols: readonly string[]): URL {
  const text = typeof given === 'string' || given instanceof URL ? String(given) : '';
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && protocols.includes(url.protocol)) return url;
  throw refuse(at, option, `an absolute URL that begins with ${protocols.join(' or ')}`);
}

function refuse(at: string, option: string, expected: string): HealthControllerError {
  const sentence = `${at}: option "${option}": expected ${expected}, got something else`;
  return new HealthControllerError('invalid_option', sentence);
}
