import type { ClientRequest, IncomingMessage } from 'node:http';
import { systemClock } from '../kit.js';
import type { ProbeRequest } from './arguments.js';
import { lookupWithin } from './lookup.js';
import { answered, failed, timedOut, type Verdict } from './verdict.js';

/** Sends one GET and says what came of it within the timeout. Never rejects; leaves nothing behind. */
export async function probe({ url, timeoutMs, expected, headers }: ProbeRequest): Promise<Verdict> {
  const beganAt = systemClock.now();
  // Only the one that is needed is loaded.
  const { request } = url.protocol === 'https:' ? await import('node:https') : await import('node:http');
  return new Promise((resolve) => {
    const abort = new AbortController();
    let call: ClientRequest | undefined;
    const end = (verdict: Verdict): void => {
      systemClock.clearTimeout(deadline);
      abort.abort();
      call?.destroy();
      resolve(verdict);
    };
    const heard = ({ statusCode = 0 }: IncomingMessage): void =>
      end(answered(statusCode, expected, systemClock.now() - beganAt));
    const deadline = systemClock.setTimeout(() => end(timedOut(timeoutMs)), timeoutMs, { keepAlive: true });
    try {
      call = request(url, { agent: false, lookup: lookupWithin(abort.signal), headers: headersOf(headers) });
      call.on('response', heard);
      call.on('upgrade', heard);
      call.on('error', (error: NodeJS.ErrnoException) => end(failed(error.code)));
      call.end();
    } catch (error) {
      end(failed((error as NodeJS.ErrnoException).code));
    }
  });
}

function headersOf(given: ProbeRequest['headers']): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = { accept: '*/*', 'user-agent': 'health-controller' };
  const own = new Map<string, string[]>();
  for (const [name, value] of given) own.set(name.toLowerCase(), [...(own.get(name.toLowerCase()) ?? []), value]);
  // A list of one is no header that node:https takes for a Host.
  for (const [name, [only = '', ...more]] of own) headers[name] = more.length === 0 ? only : [only, ...more];
  return headers;
}
