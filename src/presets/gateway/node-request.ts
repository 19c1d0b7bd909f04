import { get as httpGet, type IncomingMessage } from 'node:http';
import { get as httpsGet } from 'node:https';
import type { HealthFetch, HealthFetchBody } from './health-answer.js';

/**
 * Asks by node:http, on a connection of its own that is not kept. Every address of the name is tried: a gateway that
 * listens on 127.0.0.1 or on ::1 only is found under `localhost` whichever of them is resolved first.
 */
export const requestHealth: HealthFetch = (url, { headers, signal }) =>
  new Promise((resolve, reject) => {
    const get = url.startsWith('https:') ? httpsGet : httpGet;
    // The types of http do not know what it hands on to the connection.
    const options = { headers, signal, agent: false, autoSelectFamily: true } as const;
    const request = get(url, options);
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
