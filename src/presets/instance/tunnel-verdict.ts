import type { TunnelStatus } from '../../wire/instance.js';
import { codesOf } from './error-codes.js';

/** What one look at a tunnel means. */
export interface TunnelVerdict {
  readonly tunnel: Exclude<TunnelStatus, 'starting' | 'none'>;
  /** Whether the tunnel itself is broken, so that a new one may help. */
  readonly recreate: boolean;
}

/** What one look at a tunnel came to: an HTTP status that came through, or an error. */
export type TunnelFinding = { readonly status: number } | { readonly error: unknown };

const HEALTHY = verdict('healthy');
const APP_ERROR = verdict('app_error');
const TUNNEL_ERROR = verdict('tunnel_error', true);
const TLS_ERROR = verdict('tls_error');
const UNKNOWN = verdict('unknown');

/** The edge answers this by itself when no connector of the tunnel is connected. */
const NO_CONNECTOR = 530;

const BROKEN = new Set([
  // Our own deadline passed before a connection.
  'connect_timeout',
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENETDOWN',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_SOCKET',
  // DNS: of getaddrinfo, then of c-ares.
  'ENOTFOUND',
  'EAI_AGAIN',
  'EAI_FAIL',
  'EAI_NODATA',
  'EAI_NONAME',
  'ENODATA',
  'ESERVFAIL',
  'EREFUSED',
  'ETIMEOUT',
]);

/** Connected, and the application did not answer. `response_timeout` is our own deadline. */
const SILENT = new Set(['response_timeout', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT']);

const CERTIFICATE = new Set([
  'CERT_CHAIN_TOO_LONG',
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'CERT_REJECTED',
  'CERT_REVOKED',
  'CERT_SIGNATURE_FAILURE',
  'CERT_UNTRUSTED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'HOSTNAME_MISMATCH',
  'INVALID_CA',
  'INVALID_PURPOSE',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  // What Node calls a handshake that failed.
  'EPROTO',
]);

/**
 * What one look at a tunnel means and whether recreating it may help (seed 003). An error is a code, or an error whose
 * code is looked for in it, in its `cause` and in the `errors` of an AggregateError; the first one that is known decides.
 * `connect_timeout` and `response_timeout` are deadlines of our own. Pure; never throws.
 */
export function classifyTunnel(finding: TunnelFinding): TunnelVerdict {
  if ('status' in finding) return ofStatus(finding.status);
  for (const code of codesOf(finding.error)) {
    const known = ofCode(code);
    if (known !== undefined) return known;
  }
  return UNKNOWN;
}

function ofStatus(status: number): TunnelVerdict {
  if (status >= 200 && status <= 399) return HEALTHY;
  if (status === NO_CONNECTOR) return TUNNEL_ERROR;
  return status >= 400 && status <= 599 ? APP_ERROR : UNKNOWN;
}

function ofCode(code: string): TunnelVerdict | undefined {
  if (BROKEN.has(code)) return TUNNEL_ERROR;
  if (SILENT.has(code)) return APP_ERROR;
  return CERTIFICATE.has(code) || /^ERR_(TLS|SSL)_/.test(code) ? TLS_ERROR : undefined;
}

function verdict(tunnel: TunnelVerdict['tunnel'], recreate = false): TunnelVerdict {
  return Object.freeze({ tunnel, recreate });
}
