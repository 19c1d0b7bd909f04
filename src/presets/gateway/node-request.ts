import type { LookupAddress } from 'node:dns';
import { get as httpGet, type IncomingMessage } from 'node:http';
import { get as httpsGet } from 'node:https';
import type { LookupFunction } from 'node:net';
import type { HealthFetch, HealthFetchBody } from './health-answer.js';

/**
 * Asks by node:http, on a connection of its own that is not kept. Every address of the name is tried; `localhost` is
 * both loopback addresses, whatever the machine's hosts file says of it (RFC 6761), so that a gateway that listens on one
 * of them only is found.
 */
export const requestHealth: HealthFetch = (url, { headers, signal }) =>
  new Promise((resolve, reject) => {
    const { protocol, hostname } = new URL(url);
    const get = protocol === 'https:' ? httpsGet : httpGet;
    // The types of http do not know what it hands on to the connection.
    const options = { headers, signal, agent: false, autoSelectFamily: true } as const;
    const request = get(url, hostname === 'localhost' ? { ...options, lookup: lookUpLoopback } : options);
    // Stays for good: an error after the answer must not become an uncaught one.
    request.on('error', reject);
    request.on('response', (incoming) => {
      incoming.on('error', () => {});
      resolve({
        status: incoming.statusCode ?? 0,
        headers: { get: (name) => [incoming.headers[name] ?? null].flat()[0] ?? null },
        body: bodyOf(incoming),
      });
    });
  });

const LOOPBACK: LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

const lookUpLoopback: LookupFunction = (_, __, callback) => callback(null, LOOPBACK);

function bodyOf(incoming: IncomingMessage): HealthFetchBody {
  return {
    getReader() {
      const pieces: AsyncIterator<Uint8Array> = incoming[Symbol.asyncIterator]();
      return {
        read: async () => {
          const { done, value } = await pieces.next();
          return done === true ? { done } : { done: false, value };
        },
        cancel: async () => incoming.destroy(),
      };
    },
  };
}
