import type { LookupFunction } from 'node:net';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import type { RelayTarget } from './options.js';
import { codeOf } from './verdict.js';

/** What this process or machine has run out of: no fault of the service's. */
const OURS: readonly unknown[] = ['EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM', 'EADDRNOTAVAIL'];

/** Connects directly. The socket never keeps the process alive. */
export function loopbackRelay({ host, port }: RelayTarget, signal: AbortSignal): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, lookup: lookupLocalhost, autoSelectFamily: true });
    const settle = (): void => {
      signal.removeEventListener('abort', aborted);
      socket.off('connect', connected);
      socket.off('error', failed);
    };
    const aborted = (): void => {
      settle();
      socket.on('error', () => {});
      socket.destroy();
      reject(signal.reason);
    };
    const connected = (): void => {
      settle();
      resolve(socket);
    };
    const failed = (error: Error): void => {
      settle();
      reject(OURS.includes(codeOf(error)) ? Object.assign(new Error(), { code: 'relay_unavailable' }) : error);
    };
    socket.unref();
    socket.once('connect', connected);
    socket.once('error', failed);
    signal.addEventListener('abort', aborted);
  });
}

// `localhost` is the loopback (RFC 6761): no resolver is asked, which could be slow, and could answer otherwise.
const lookupLocalhost: LookupFunction = (_host, _options, callback) => {
  callback(null, [
    { address: '127.0.0.1', family: 4 },
    { address: '::1', family: 6 },
  ]);
};
