import { request } from 'node:http';
import type { Duplex } from 'node:stream';
import { codeOf, type Head, MAX_HEADER_BYTES, MAX_INFORMATIONAL } from './verdict.js';

/** What is asked for on a stream. */
export interface HeadRequest {
  readonly path: string;
  /** The Host header. */
  readonly host: string;
}

const ignore = (): void => {};

/**
 * Sends one GET on a connected stream and calls back when the response headers have arrived or cannot come any more;
 * only the first call counts. No credentials, no cookies; no body is waited for. The caller destroys the stream.
 */
export function requestHead(stream: Duplex, { path, host }: HeadRequest, done: (head: Head) => void): void {
  // node:http tells nothing of a stream that has ended before it gets it.
  if (stream.destroyed || stream.readableEnded || stream.writableEnded) {
    done({ fault: 'closed' });
    return;
  }
  let informational = 0;
  const call = request({
    createConnection: () => stream,
    path,
    setHost: false,
    headers: { Host: host, Accept: '*/*', 'User-Agent': 'health-controller', Connection: 'close' },
    maxHeaderSize: MAX_HEADER_BYTES,
    insecureHTTPParser: false,
  });
  call.on('information', () => {
    informational++;
    if (informational > MAX_INFORMATIONAL) done({ fault: 'too_many_informational' });
  });
  call.on('response', ({ statusCode }) => done(headOf(statusCode)));
  // 101 is a final response too, though nobody asked for another protocol.
  call.on('upgrade', ({ statusCode }) => done(headOf(statusCode)));
  call.on('error', (error) => done({ fault: faultOf(codeOf(error)) }));
  call.end();
}

/** Whether a relay resolved to what it has to: a stream that bytes go through both ways. */
export function isByteStream(value: unknown): value is Duplex {
  if (typeof value !== 'object' || value === null) return false;
  const stream = value as Partial<Duplex>;
  const methods = [stream.on, stream.write, stream.destroy];
  if (!methods.every((method) => typeof method === 'function')) return false;
  // The parser would throw at the first text or object.
  return stream.readableObjectMode !== true && typeof stream.readableEncoding !== 'string';
}

/** Observing keeps no process alive, and a relay may have given a socket, which would. */
export function letGo(stream: Duplex): void {
  const { unref } = stream as { unref?: unknown };
  if (typeof unref === 'function') unref.call(stream);
}

/** Destroys a stream, and takes whatever error it still has to tell. */
export function discard(stream: Duplex): void {
  stream.on('error', ignore);
  stream.destroy();
}

function headOf(status: number | undefined): Head {
  return status === undefined || status < 100 ? { fault: 'not_http' } : { status };
}

function faultOf(code: unknown): 'closed' | 'not_http' | 'headers_too_large' | 'broken' {
  if (code === 'HPE_HEADER_OVERFLOW') return 'headers_too_large';
  if (typeof code === 'string' && code.startsWith('HPE_')) return 'not_http';
  return code === 'ECONNRESET' || code === 'EPIPE' ? 'closed' : 'broken';
}
