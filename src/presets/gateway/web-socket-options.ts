import type { IncomingMessage } from 'node:http';
import type { DrainSource } from '../../http/http-service.js';
import type { DetailsPolicy } from '../../http/options.js';
import { pathShape } from '../../http/paths.js';
import { count, duration, having, readOptions, type Shape, where } from '../../kit.js';
import { detailsShape } from './details-shape.js';

/** Options of {@link Gateway.attachWebSocket}. */
export interface GatewayWebSocketOptions {
  /** Put before both paths; slashes at its ends make no difference. */
  readonly basePath?: string | undefined;
  /**
   * How often a snapshot is taken and sent while somebody listens. At least 1.
   * @defaultValue 5000
   */
  readonly pollIntervalMs?: number | undefined;
  /**
   * How many may listen at a time. One more is answered with 503.
   * @defaultValue 1000
   */
  readonly maxClients?: number | undefined;
  /**
   * How often each client is pinged. One that has not answered by the next time is dropped. At least 1.
   * @defaultValue 30000
   */
  readonly heartbeatIntervalMs?: number | undefined;
  /**
   * A client for which more than this is waiting to be sent when the next snapshot comes is dropped: it does not keep up.
   * @defaultValue 65536
   */
  readonly maxBufferedBytes?: number | undefined;
  /**
   * Which pages may listen, by their `Origin`: a list such as `['https://admin.example']`, or a function. What sends no
   * `Origin`, as programs do, passes a list. Refused: 403. Absent: all may.
   */
  readonly allowOrigin?: readonly string[] | ((origin: string | undefined) => boolean) | undefined;
  /**
   * Who sees error texts in full, as of the handler; asked once, when a client comes.
   * @defaultValue 'never'
   */
  readonly details?: 'never' | 'always' | DetailsPolicy<IncomingMessage> | undefined;
  /** Whose shutdown ends the streams, for a gateway that is not attached to one. */
  readonly controller?: DrainSource | undefined;
}

const isOrigins = (value: unknown): boolean =>
  typeof value === 'function' || (Array.isArray(value) && value.every((origin) => typeof origin === 'string'));
const SHAPE: Shape = {
  basePath: pathShape(),
  pollIntervalMs: duration(1),
  maxClients: count(1),
  heartbeatIntervalMs: duration(1),
  maxBufferedBytes: count(1),
  allowOrigin: where(isOrigins, 'a list of origins or a function'),
  details: detailsShape(),
  controller: having('on'),
};

/** The same with every one decided. */
export interface WebSocketSettings {
  readonly basePath: string;
  readonly pollIntervalMs: number;
  readonly maxClients: number;
  readonly heartbeatIntervalMs: number;
  readonly maxBufferedBytes: number;
  readonly allowOrigin: (origin: string | undefined) => boolean;
  readonly details: 'never' | 'always' | DetailsPolicy<IncomingMessage>;
  readonly controller: DrainSource | undefined;
}

export function resolveWebSocket(at: string, given: unknown): WebSocketSettings {
  const options: GatewayWebSocketOptions = readOptions(at, SHAPE, given);
  const { allowOrigin, details } = options;
  const listed = new Set(typeof allowOrigin === 'function' ? [] : allowOrigin);
  return {
    basePath: options.basePath ?? '',
    pollIntervalMs: options.pollIntervalMs ?? 5000,
    maxClients: options.maxClients ?? 1000,
    heartbeatIntervalMs: options.heartbeatIntervalMs ?? 30_000,
    maxBufferedBytes: options.maxBufferedBytes ?? 65_536,
    allowOrigin:
      typeof allowOrigin === 'function'
        ? allowOrigin.bind(given)
        : (origin) => allowOrigin === undefined || origin === undefined || listed.has(origin),
    details: typeof details === 'function' ? details.bind(given) : (details ?? 'never'),
    controller: options.controller,
  };
}
