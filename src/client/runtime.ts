import { HealthControllerError } from '../index.js';
import type { SnapshotFetch } from './fetch.js';
import type { WebSocketConstructor } from './snapshot-socket.js';

/** Which WebSockets are to be used. */
export type Wanted = boolean | WebSocketConstructor | 'where there is one';

/** What the runtime may bring along. Node has a WebSocket from 22 on. */
const runtime = (): { readonly fetch?: unknown; readonly WebSocket?: unknown } => globalThis;

/** @throws HealthControllerError `invalid_option` */
export function readFetch(at: string, given: SnapshotFetch | undefined, owner: unknown): SnapshotFetch {
  const { fetch: own } = runtime();
  const fetch = given ?? own;
  if (typeof fetch !== 'function') throw missing(at, 'fetch', 'a function, since this runtime has no fetch');
  // A platform's own refuses to be called on another object in some runtimes.
  return fetch === own ? (url, init) => fetch(url, init) : fetch.bind(owner);
}

/**
 * The class of WebSockets to use; undefined: none.
 * @throws HealthControllerError `invalid_option`
 */
export function readWebSocket(at: string, wanted: Wanted): WebSocketConstructor | undefined {
  if (wanted === false) return undefined;
  if (typeof wanted === 'function') return wanted;
  const { WebSocket: own } = runtime();
  if (typeof own === 'function') return own as WebSocketConstructor;
  if (wanted === 'where there is one') return undefined;
  throw missing(at, 'webSocket', 'a class such as that of the package ws, since this runtime has no WebSocket');
}

function missing(at: string, option: string, expected: string): HealthControllerError {
  return new HealthControllerError('invalid_option', `${at}: option "${option}": expected ${expected}, got nothing`);
}
