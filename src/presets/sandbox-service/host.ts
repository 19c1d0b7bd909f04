import { isIP, isIPv4, isIPv6 } from 'node:net';
import { checkValue, where } from '../../kit.js';

/** A name as it may stand in a Host header: no port, no credentials, no brackets. */
const NAME = /^[a-z0-9_](?:[a-z0-9_.-]{0,251}[a-z0-9_.])?$/i;

const LOOPBACK = 'a loopback host (an address of 127.0.0.0/8, ::1, or localhost), since no relay is given';
const ANY = 'a host name or an IP address, without port or brackets';

/**
 * The host of an endpoint in its one spelling, so that exposing it again with another changes nothing. Without a relay
 * only loopback hosts are accepted: observing must not become a way to reach other machines.
 * @throws HealthControllerError `invalid_option`
 */
export function endpointHost(at: string, given: unknown, relayed: boolean): string {
  const host = typeof given === 'string' ? canonical(given) : undefined;
  checkValue(
    at,
    where(() => host !== undefined && (relayed || isLoopback(host)), relayed ? ANY : LOOPBACK),
    given,
  );
  return host ?? '';
}

function canonical(host: string): string | undefined {
  // The URL parser shortens an IPv6 address to its one spelling; it would also take 0x7f.1 for an address of IPv4.
  if (isIPv6(host)) return host.includes('%') ? undefined : new URL(`http://[${host}]`).hostname.slice(1, -1);
  return isIPv4(host) || NAME.test(host) ? host.toLowerCase() : undefined;
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'));
}

/** The host and port as they stand in a URL and in the Host header. */
export function authority(host: string, port: number): string {
  return isIP(host) === 6 ? `[${host}]:${port}` : `${host}:${port}`;
}
