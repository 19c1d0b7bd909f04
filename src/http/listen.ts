import type { Server } from 'node:http';
import { networkInterfaces } from 'node:os';
import { printable, readOptions, where } from '../kit.js';

/** Where to listen. */
export interface ListenOptions {
  /** 0 to 65535. 0: one that is free. */
  readonly port: number;
  /** Absent: every address, IPv6 and IPv4, where the machine has IPv6. */
  readonly host?: string | undefined;
}

const isPort = (value: unknown): boolean =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 65_535;

export const LISTEN_SHAPE = {
  port: where(isPort, 'a whole number from 0 to 65535'),
  host: where((value) => typeof value === 'string' && value !== '', 'a host name or an address'),
};

/** Reads them from the options of a function that has more. */
export function readListen(at: string, { port, host }: ListenOptions): ListenOptions {
  return readOptions(at, LISTEN_SHAPE, { port, host }, ['port']) as unknown as ListenOptions;
}

/** Listens; rejects as the system does. */
export function listen(server: Server, where: ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    const failed = (error: Error): void => {
      server.off('listening', listening);
      reject(error);
    };
    const listening = (): void => {
      server.off('error', failed);
      resolve();
    };
    server.once('error', failed);
    server.once('listening', listening);
    server.listen(where);
  });
}

/** What stands for every address in a `host`: IPv6 takes IPv4 along, where the machine has it. */
export function everyAddress(): string {
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  return addresses.some(({ family }) => family === 'IPv6') ? '::' : '0.0.0.0';
}

const CAUSES: Readonly<Record<string, string>> = {
  EADDRINUSE: 'something else listens there',
  EACCES: 'this process may not listen there',
  EADDRNOTAVAIL: 'this machine has no such address',
  ENOTFOUND: 'the host is not known',
};

/** An error of the system, its `code` kept, in a sentence that says what was tried. */
export function listenFailure(at: string, { port, host }: ListenOptions, error: unknown): Error {
  const { code } = (error ?? {}) as { code?: unknown };
  const place = host === undefined ? `port ${port}` : `port ${port} of ${host}`;
  const why = CAUSES[String(code)] ?? printable(error);
  return Object.assign(new Error(`${at}: cannot listen on ${place}: ${why}`, { cause: error }), { code });
}

/** Where a listening server is reached from this machine. */
export function urlOf(server: Server): string {
  const address = server.address();
  const scheme = 'setSecureContext' in server ? 'https' : 'http';
  if (address === null || typeof address === 'string') return `${scheme}+unix:${address ?? ''}`;
  const { address: ip, port, family } = address;
  // Nobody can connect to the address that stands for all.
  const host = ip === '::' || ip === '0.0.0.0' ? 'localhost' : family === 'IPv6' ? `[${ip}]` : ip;
  return `${scheme}://${host}:${port}`;
}
