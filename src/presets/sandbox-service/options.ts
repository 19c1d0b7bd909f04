import type { Duplex } from 'node:stream';
import type { Clock, Logger } from '../../index.js';
import type { ServiceHealth, ServiceHealthState } from '../../wire/service-health.js';

/** How a service is to be checked. */
export interface HttpReadinessCheck {
  /**
   * What to GET: begins with one `/`, at most 1,024 bytes of UTF-8, without query, fragment, whitespace, control
   * characters or another host. Sent as given, never normalised; only what is not ASCII is percent-encoded.
   * @defaultValue '/'
   */
  readonly path?: string | undefined;
}

/** Which service: the workspace and sandbox that it runs in, and its name. */
export interface ServiceIdentity {
  /** 1 to 256 characters without control characters. */
  readonly workspace: string;
  /** 1 to 256 characters without control characters. */
  readonly sandbox: string;
  /**
   * At most 256 characters without control characters. Empty: the unnamed endpoint of the sandbox.
   * @defaultValue ''
   */
  readonly service?: string | undefined;
}

/** A service to expose, or to expose anew. */
export interface ExposeRequest extends ServiceIdentity {
  /** 1 to 65,535. */
  readonly port: number;
  /**
   * An address of 127.0.0.0/8, `::1` or `localhost`; any host where a relay is given.
   * @defaultValue '127.0.0.1'
   */
  readonly host?: string | undefined;
  /**
   * Present: its path must answer with 2xx. Absent, for a new service: `/` must answer with any status. Absent, for one
   * that is exposed already: it keeps the check it has; to be rid of it, remove the service and expose it again.
   */
  readonly readinessCheck?: HttpReadinessCheck | undefined;
}

/** The effective configuration of an exposed service. Frozen. */
export interface ServiceEndpoint {
  readonly workspace: string;
  readonly sandbox: string;
  readonly service: string;
  readonly host: string;
  readonly port: number;
  readonly readinessCheck?: { readonly path: string };
}

/** One exposed service as `expose`, `get` and `list` give it. Frozen; the same object while nothing of it has changed. */
export interface ExposedService {
  readonly endpoint: ServiceEndpoint;
  /** Where it is reached: what the option `url` makes of the endpoint. */
  readonly url: string;
  readonly health: ServiceHealth;
}

/** Which services to list. */
export interface ServiceFilter {
  readonly workspace?: string | undefined;
  readonly sandbox?: string | undefined;
}

/** Where a relay is to connect to. */
export interface RelayTarget {
  readonly workspace: string;
  readonly sandbox: string;
  readonly service: string;
  readonly host: string;
  readonly port: number;
  /** The runtime that the sandbox said it was ready with. */
  readonly runtimeId: string;
}

/**
 * Connects to a service: resolves to a connected stream of bytes, on which the observer speaks HTTP. It is bounded by
 * the timeout of the observation, which aborts `signal`; a stream that comes after that is destroyed. Rejecting is a
 * failed check, except with an error whose `code` is `relay_unavailable`: that says nothing about the service, and makes
 * its health unknown. The observer destroys every stream that it was given.
 */
export type Relay = (target: RelayTarget, signal: AbortSignal) => Duplex | PromiseLike<Duplex>;

/** Options of {@link SandboxServices}. Durations are milliseconds, at most 2 147 483 647. */
export interface SandboxServicesOptions {
  /**
   * How often each service is checked while its sandbox is ready; the first check is at once. At least 1. Keep it well
   * below `staleAfterMs`: a check that comes later than that leaves a spell in which the health is unknown.
   * @defaultValue 5000
   */
  readonly intervalMs?: number | undefined;
  /**
   * One deadline over connecting (the relay) and receiving the response headers, counted from the beginning of the
   * check; waiting for a free place among `maxConcurrent` does not count. At least 1.
   * @defaultValue 1000
   */
  readonly timeoutMs?: number | undefined;
  /**
   * How many failed checks in a row make a service unhealthy. At least 1.
   * @defaultValue 3
   */
  readonly failureThreshold?: number | undefined;
  /**
   * How many passed checks in a row make a service healthy. At least 1.
   * @defaultValue 1
   */
  readonly successThreshold?: number | undefined;
  /**
   * An observation older than this, counted from its end by the monotonic clock, is no longer trusted: the health is
   * unknown. Exactly that old is still trusted. At least 1.
   * @defaultValue 15000
   */
  readonly staleAfterMs?: number | undefined;
  /**
   * How many checks may be under way at one time; others wait for their turn in order. At least 1. Should be more than
   * services × `timeoutMs` / `intervalMs`, or many that hang delay the checks of the others until they are stale.
   * @defaultValue 256
   */
  readonly maxConcurrent?: number | undefined;
  /** How to connect to a service. Absent: a socket to its loopback host and port. */
  readonly relay?: Relay | undefined;
  /** The URL of an endpoint, asked for when it is exposed or changed. Absent: `http://HOST:PORT/`. */
  readonly url?: ((endpoint: ServiceEndpoint) => string) | undefined;
  /** Where to write one line per change of state. Absent: nowhere. */
  readonly logger?: Logger | undefined;
  /** Absent: the system's clock. */
  readonly clock?: Clock | undefined;
}

/** A service's state changed: told on a change only. */
export interface ServiceChange {
  readonly from: ServiceHealthState;
  readonly to: ServiceHealthState;
  /** The service as it is from now on. */
  readonly service: ExposedService;
}

/** Event names and their payloads. */
export interface SandboxServicesEvents {
  change: ServiceChange;
}

/** One sandbox, as its runtime tells of it. Each call is a fact that holds until the next one. */
export interface SandboxHandle {
  /**
   * It is ready: its services are checked from now on, at once for the first time. The same runtime again changes
   * nothing; another one means that it was replaced, and whatever was known of its services is forgotten.
   * @throws HealthControllerError `invalid_option`
   */
  ready(runtimeId: string): void;
  /** It is stopped, or not ready yet: its services are not checked, and their health is unknown. */
  notReady(): void;
  /** It is no more: its services are removed. Returns how many there were. */
  gone(): number;
}

/** How the services stand in a controller's reports. */
export interface AttachOptions {
  /**
   * Whether a service that is unhealthy or unknown is an `ERROR`, which closes readiness, rather than `DEGRADED`.
   * @defaultValue false
   */
  readonly gate?: boolean | undefined;
}
