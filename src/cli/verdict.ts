import type { CodeRange } from './arguments.js';

/** What one probe came to, for the one line that is printed. */
export interface Verdict {
  readonly healthy: boolean;
  readonly text: string;
}

const TEXTS: ReadonlyMap<unknown, string> = new Map([
  ['ECONNREFUSED', 'connection refused'],
  ['ECONNRESET', 'connection closed before the response headers'],
  ['EPIPE', 'connection closed before the response headers'],
  ['EHOSTUNREACH', 'host is unreachable'],
  ['ENETUNREACH', 'host is unreachable'],
  ['ENOTFOUND', 'host name was not found'],
  ['EAI_AGAIN', 'host name was not found'],
  ['HPE_HEADER_OVERFLOW', 'response headers are too large'],
]);

/** How node:tls names a certificate that it does not take. */
const CERTIFICATE = /CERT|^UNABLE_TO_|^ERR_TLS_CERT_|SELF_SIGNED/;

/** Response headers have arrived. */
export function answered(status: number, expected: readonly CodeRange[], tookMs: number): Verdict {
  const text = `HTTP ${status}`;
  if (expected.some(({ from, to }) => status >= from && status <= to)) {
    return { healthy: true, text: `${text} in ${Math.round(tookMs)} ms` };
  }
  const codes = expected.map(({ from, to }) => (from === to ? from : `${from}-${to}`)).join(',');
  const note = status >= 300 && status <= 399 ? '; redirects are not followed' : '';
  return { healthy: false, text: `${text}, expected ${codes}${note}` };
}

/** No response headers have arrived. By the error's code alone: its text may hold an address. */
export function failed(code: unknown): Verdict {
  const known = TEXTS.get(code);
  if (known !== undefined) return { healthy: false, text: known };
  if (typeof code !== 'string') return { healthy: false, text: 'connection failed' };
  const what = code.startsWith('HPE_')
    ? 'response is not valid HTTP/1.1'
    : CERTIFICATE.test(code)
      ? 'certificate is not trusted'
      : code === 'EPROTO' || code.startsWith('ERR_SSL_')
        ? 'TLS handshake failed'
        : 'connection failed';
  return { healthy: false, text: `${what} (${code.slice(0, 60)})` };
}

export function timedOut(timeoutMs: number): Verdict {
  return { healthy: false, text: `timed out after ${timeoutMs} ms` };
}
