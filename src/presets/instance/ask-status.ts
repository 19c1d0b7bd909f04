import * as http from 'node:http';
import * as https from 'node:https';
import type { Clock } from '../../index.js';
import type { TunnelFinding } from './tunnel-verdict.js';

export interface StatusQuestion {
  readonly method: 'GET' | 'HEAD';
  readonly url: URL;
  /** Over name look-up, connecting, TLS and response headers together; counted from the call. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  /** Ends it early; what it resolves to then means nothing. */
  readonly signal: AbortSignal;
}

/**
 * Asks once for the status, on a connection of its own: no redirect is followed, no body read, nothing kept open.
 * Never rejects. The codes `connect_timeout` and `response_timeout` say how far it came by the deadline: whether the
 * request could be sent, which over TLS is after the handshake.
 */
export function askStatus({ method, url, timeoutMs, clock, signal }: StatusQuestion): Promise<TunnelFinding> {
  return new Promise((resolve) => {
    let connected = false;
    let ended = false;
    const secure = url.protocol === 'https:';
    const headers = { accept: '*/*', 'user-agent': 'health-controller' };
    const request = (secure ? https : http).request(url, { method, agent: false, headers });
    const end = (finding: TunnelFinding) => {
      if (ended) return;
      ended = true;
      clock.clearTimeout(timer);
      signal.removeEventListener('abort', abort);
      resolve(finding);
      request.destroy();
    };
    const abort = () => end({ error: signal.reason });
    const late = () => end({ error: connected ? 'response_timeout' : 'connect_timeout' });
    // An answer that came while the loop was blocked must win: sockets are read only after the timers.
    const timer = clock.setTimeout(() => clock.nextTurn(late), Math.max(0, timeoutMs), { keepAlive: true });
    signal.addEventListener('abort', abort);
    request.on('socket', (socket) => socket.once(secure ? 'secureConnect' : 'connect', () => (connected = true)));
    request.on('response', (response) => {
      response.on('error', () => {});
      end({ status: response.statusCode ?? 0 });
    });
    // An answer that switches protocols is no response event.
    request.on('upgrade', (response, socket) => {
      socket.destroy();
      end({ status: response.statusCode ?? 0 });
    });
    request.on('error', (error) => end({ error }));
    if (signal.aborted) abort();
    else request.end();
  });
}
