import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { ConnectionOptions } from 'node:tls';
import { printable } from '../kit.js';

/** What may be said about TLS: a part of the options of `tls.connect`. */
export type TlsOptions = Pick<
  ConnectionOptions,
  'ca' | 'cert' | 'key' | 'passphrase' | 'servername' | 'rejectUnauthorized'
>;

export interface HttpTarget {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly tls: TlsOptions;
}

/** The head of an answer came. */
export interface Answered {
  readonly status: number;
  readonly location: string | undefined;
}

/** None came, and why. */
export interface Unanswered {
  readonly reason: 'connect' | 'dns' | 'tls' | 'protocol' | 'timeout';
  readonly text: string;
}

export type Exchanged = Answered | Unanswered;

/** What the request is waiting for, and what a failure then means. */
type Phase = 'connect' | 'tls' | 'answer';

const WAITING_FOR: Readonly<Record<Phase, string>> = {
  connect: 'a connection',
  tls: 'the TLS handshake',
  answer: 'an answer',
};

/**
 * One request on a connection of its own, closed as soon as the head of the answer is there: the body is not read.
 * No redirect is followed and no proxy asked. Ends when the signal aborts. Never rejects for what the other side does.
 */
export function exchange({ url, method, headers, tls }: HttpTarget, signal: AbortSignal): Promise<Exchanged> {
  return new Promise((resolve) => {
    const secure = url.protocol === 'https:';
    let phase: Phase = 'connect';
    const options = { method, headers: { ...headers }, agent: false, autoSelectFamily: true };
    const request = secure ? httpsRequest(url, { ...tls, ...options }) : httpRequest(url, options);
    const end = (exchanged: Exchanged): void => {
      signal.removeEventListener('abort', abort);
      request.destroy();
      resolve(exchanged);
    };
    const abort = (): void => end({ reason: 'timeout', text: `still waiting for ${WAITING_FOR[phase]}` });
    const answer = (message: IncomingMessage): void => {
      // Told once more that the rest of the body does not come.
      message.on('error', () => {});
      end({ status: message.statusCode ?? 0, location: message.headers.location });
    };
    // Stays for good: an error after the end must not become an uncaught one.
    request.on('error', (error) => end(readFailure(error, phase)));
    request.on('close', () => end({ reason: 'protocol', text: 'the connection was closed without an answer' }));
    request.on('response', answer);
    request.on('upgrade', answer);
    request.on('socket', (socket) => {
      // A poll must not keep the process alive; who awaits a run has its deadline for that.
      socket.unref();
      socket.once('connect', () => {
        phase = secure ? 'tls' : 'answer';
      });
      socket.once('secureConnect', () => {
        phase = 'answer';
      });
    });
    signal.addEventListener('abort', abort);
    request.end();
    if (signal.aborted) abort();
  });
}

/** Names the step that failed. */
export function readFailure(error: Error, phase: Phase): Unanswered {
  const { code = '', syscall } = error as NodeJS.ErrnoException;
  const text = printable(error).replace(/\s+/g, ' ').trim();
  if (syscall === 'getaddrinfo' || code === 'ENOTFOUND' || code.startsWith('EAI_')) return { reason: 'dns', text };
  if (phase === 'tls') return { reason: 'tls', text };
  // What is no HTTP at all: the parser says so. A connection that is cut says less.
  return { reason: code.startsWith('HPE_') ? 'protocol' : 'connect', text };
}
