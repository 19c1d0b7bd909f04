import { get as httpGet } from 'node:http';
import { get as httpsGet } from 'node:https';
import { connect } from 'node:net';
import type { Clock } from '../../index.js';
import type { ReadyWhen } from './options.js';

const EVERY_MS = 250;
const TRY_MS = 1000;

/** Tries until it succeeds once or is aborted, one try at a time; then calls `ready`. */
export function watchReady(when: ReadyWhen, clock: Clock, signal: AbortSignal, ready: () => void): void {
  if (when === 'spawned') {
    ready();
    return;
  }
  const attempt = (): void => {
    if (signal.aborted) return;
    tryOnce(when, clock, signal, (passed) => {
      if (signal.aborted) return;
      if (passed) {
        ready();
        return;
      }
      const timer = clock.setTimeout(
        () => {
          signal.removeEventListener('abort', clear);
          attempt();
        },
        EVERY_MS,
        { keepAlive: false },
      );
      const clear = (): void => clock.clearTimeout(timer);
      signal.addEventListener('abort', clear, { once: true });
    });
  };
  attempt();
}

function tryOnce(
  when: Exclude<ReadyWhen, 'spawned'>,
  clock: Clock,
  signal: AbortSignal,
  done: (passed: boolean) => void,
): void {
  const over = new AbortController();
  const stop = (): void => over.abort();
  let settled = false;
  const settle = (passed: boolean): void => {
    if (settled) return;
    settled = true;
    clock.clearTimeout(timer);
    signal.removeEventListener('abort', stop);
    over.abort();
    done(passed);
  };
  const timer = clock.setTimeout(() => settle(false), TRY_MS, { keepAlive: false });
  signal.addEventListener('abort', stop, { once: true });
  if ('tcp' in when) {
    const { port, host = '127.0.0.1' } = when.tcp;
    const socket = connect({ port, host, signal: over.signal });
    socket.once('connect', () => settle(true));
    socket.once('error', () => settle(false));
    return;
  }
  const get = when.http.startsWith('https:') ? httpsGet : httpGet;
  const request = get(
    when.http,
    { agent: false, signal: over.signal, headers: { connection: 'close' } },
    (response) => {
      const { statusCode = 0 } = response;
      response.on('error', () => {});
      settle(statusCode >= 200 && statusCode < 400);
    },
  );
  request.once('error', () => settle(false));
  request.on('error', () => {});
}
