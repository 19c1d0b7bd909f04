import type { Clock, Logger, Random } from '../index.js';
import type { SnapshotFetch } from './fetch.js';
import type { PolledStatus } from './poll-record.js';
import type { WebSocketConstructor } from './snapshot-socket.js';

/** Which instance, and what is known of it. */
export interface PolledInstanceOptions {
  /**
   * Where its snapshots are, by http or https: `https://worker.example/api/health`. With the path `/` it is `/api/health`.
   * A user and password in it are sent as Basic authentication, and shown nowhere.
   */
  readonly url: string | URL;
  /**
   * Where its WebSocket is, by ws or wss, without user and password. Absent: at `/ws` below the path of `url`, as a
   * gateway's `/api/health/ws`.
   */
  readonly webSocketUrl?: string | URL | undefined;
  /**
   * `'running'`: it is known to have run before, so that what is not healthy is degraded, not provisioning.
   * @defaultValue 'provisioning'
   */
  readonly instanceStatus?: PolledStatus | undefined;
}

/** How one try is made. */
export interface AskOptions {
  /**
   * True: asks with `?passive=1`, which starts nothing. False: a gateway that sleeps is woken by being asked.
   * @defaultValue false
   */
  readonly passive?: boolean | undefined;
  /**
   * Bounds one try by HTTP, the body included, counted from its beginning. At least 1. A gateway may take 30 seconds to
   * an activating snapshot: with less than that, one that starts slowly would look unreachable.
   * @defaultValue 35000, or 5000 where `passive`
   */
  readonly timeoutMs?: number | undefined;
  /** Sent with every request, a token for example. A WebSocket of a browser can send none: then HTTP is used. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** What asks by HTTP. Called with `redirect: 'manual'`. Absent: the global `fetch`. */
  readonly fetch?: SnapshotFetch | undefined;
}

/** How instances are polled and judged. Durations are milliseconds, at most 2 147 483 647. */
export interface PollOptions extends AskOptions {
  /**
   * From the end of one try by HTTP to the beginning of the next. At least 1. A WebSocket sends when its server wants to;
   * one that brings no snapshot for three intervals and a timeout is dropped.
   * @defaultValue 5000
   */
  readonly intervalMs?: number | undefined;
  /**
   * After failures in a row the wait is one interval, then doubles, up to this; never less than one interval. The same for
   * tries to open a WebSocket again. At least 1; at most `intervalMs`: no backoff.
   * @defaultValue 30000
   */
  readonly maxBackoffMs?: number | undefined;
  /**
   * Each wait is longer by a random share of itself, of up to this: 0 to 1, 0 for none.
   * @defaultValue 0.1
   */
  readonly jitter?: number | undefined;
  /**
   * An instance that nobody has seen alive for so long, counted by the monotonic clock from the last snapshot whose
   * liveness was ok or from `start()`, is lost by the next try that fails to. A try is made at that moment. At least 1.
   * @defaultValue 300000
   */
  readonly lostAfterMs?: number | undefined;
  /** Absent: the system's clock. */
  readonly clock?: Clock | undefined;
  /** For jitter. Absent: `Math.random`. */
  readonly random?: Random | undefined;
  /** Where transitions, and WebSockets that are dropped, are written, a line each. Absent: nowhere. */
  readonly logger?: Logger | undefined;
}

/** Options of a {@link HealthPoller}. */
export interface HealthPollerOptions extends PolledInstanceOptions, PollOptions {
  /** Names it in events and logs: 1 to 256 characters without control characters. Absent: its URL, credentials masked. */
  readonly id?: string | undefined;
  /**
   * Whether snapshots are to come by WebSocket, HTTP polling being what it falls back to: true, false, or the class to use,
   * as that of the package `ws`. True where the runtime has no global `WebSocket` (Node before 22) is refused. Absent: the
   * global one, where there is one.
   */
  readonly webSocket?: boolean | WebSocketConstructor | undefined;
}

/** Options of a {@link HealthMonitor}: for all of its instances. */
export interface HealthMonitorOptions extends PollOptions {
  /**
   * As of {@link HealthPollerOptions}. A WebSocket for each of thousands of instances costs memory here and a snapshot
   * every few seconds there.
   * @defaultValue false
   */
  readonly webSocket?: boolean | WebSocketConstructor | undefined;
  /**
   * How many tries, and WebSockets being opened, may be under way at one time; others wait for their turn in order, their
   * timeout not yet running. At least 1. Should be more than instances that hang × `timeoutMs` / (`timeoutMs` +
   * `maxBackoffMs`), or those delay the others.
   * @defaultValue 256
   */
  readonly maxConcurrent?: number | undefined;
}

/** An instance to be monitored: what is given here counts for it alone, everything else is as the monitor has it. */
export interface MonitoredInstance
  extends PolledInstanceOptions,
    Omit<PollOptions, 'fetch' | 'clock' | 'random' | 'logger'> {
  /** 1 to 256 characters without control characters, unique in the monitor. */
  readonly id: string;
}

/** Options of {@link pollOnce}. */
export interface PollOnceOptions extends AskOptions, Pick<PolledInstanceOptions, 'url'> {
  /** Absent: the system's clock. */
  readonly clock?: Clock | undefined;
}

/** Options of {@link HealthPoller.whenRunning}. */
export interface WhenRunningOptions {
  /** Aborting it ends the wait: false. */
  readonly signal?: AbortSignal | undefined;
  /** Counted from the call, at least 1. Absent: no limit. */
  readonly timeoutMs?: number | undefined;
}
