import type { Clock, Logger } from '../../index.js';
import {
  callable,
  clockPort,
  duration,
  entryName,
  having,
  loggerPort,
  readOptions,
  safeLogger,
  silentLogger,
  systemClock,
  where,
} from '../../kit.js';
import type { InstanceContainer } from './container.js';
import { httpUrl } from './http-url.js';
import { PROBE_TIMING, type ReadinessProbe } from './readiness-probe.js';
import { type RecreatePolicy, type RecreateRules, recreateRules } from './recreate.js';
import type { TunnelSource } from './tunnel-watch.js';

/** Options of an `Instance`. Durations are milliseconds from 1 to 2 147 483 647. */
export interface InstanceOptions {
  /**
   * What it is called in log lines and errors.
   * @defaultValue 'instance'
   */
  readonly name?: string | undefined;
  /** `dockerContainer()`, or a container of your own making. */
  readonly container: InstanceContainer;
  /** Where its tunnel ends in public. Absent: it has none, and `tunnel_status` is `none`. */
  readonly tunnel?: TunnelSource | undefined;
  /** What must pass before it counts as `running`. Absent: it must have stayed up for two polls, unvalidated. */
  readonly readinessProbe?: ReadinessProbe | undefined;
  /**
   * By when the container must be up, counted from `start()`. Also how far apart two restarts may be to count as a loop.
   * @defaultValue 30000
   */
  readonly startupTimeoutMs?: number | undefined;
  /**
   * How often the container is looked at, from `start()` to `stop()`.
   * @defaultValue 2000
   */
  readonly pollIntervalMs?: number | undefined;
  /**
   * By when the readiness probe must have passed, counted from the look that found the container up. Absent: what the
   * probe brings along.
   * @defaultValue 30000
   */
  readonly readinessTimeoutMs?: number | undefined;
  /**
   * Bounds each look at the container, at the tunnel, and each run of the readiness probe. Absent: what the probe brings
   * along.
   * @defaultValue 5000
   */
  readonly probeTimeoutMs?: number | undefined;
  /**
   * How often the readiness probe runs until it has passed. Absent: what the probe brings along.
   * @defaultValue 2000
   */
  readonly probeIntervalMs?: number | undefined;
  /**
   * How often the tunnel is looked at, from `start()` to `stop()`. 0: on demand only.
   * @defaultValue 10000
   */
  readonly tunnelIntervalMs?: number | undefined;
  /** When `onTunnelBroken` is called. */
  readonly recreatePolicy?: RecreatePolicy | undefined;
  /**
   * Called once per spell of tunnel errors, when `shouldRecreateTunnel` says so. What it throws or rejects with is
   * logged. Nothing is recreated by the library.
   */
  readonly onTunnelBroken?: ((event: TunnelBrokenEvent) => unknown) | undefined;
  /** One line per change of status, and what a probe that cannot be run printed. Absent: nowhere. */
  readonly logger?: Logger | undefined;
  /** Absent: the system's clock. */
  readonly clock?: Clock | undefined;
}

export interface StartOptions {
  /** Aborting it ends the wait, and with the last one that waits the verification itself. */
  readonly signal?: AbortSignal | undefined;
}

/** A tunnel is broken and should be recreated. */
export interface TunnelBrokenEvent {
  /** The instance's name. */
  readonly name: string;
  /** How many looks in a row found it broken. */
  readonly failures: number;
  /** The code of the last error, or the status that the tunnel's edge answered with. */
  readonly message: string | undefined;
}

/** An instance's options, resolved. */
export interface InstanceSettings {
  readonly name: string;
  readonly container: InstanceContainer;
  readonly tunnel: TunnelSource | undefined;
  readonly readinessProbe: ReadinessProbe | undefined;
  readonly startupTimeoutMs: number;
  readonly pollIntervalMs: number;
  readonly readinessTimeoutMs: number;
  readonly probeTimeoutMs: number;
  readonly probeIntervalMs: number;
  readonly tunnelIntervalMs: number;
  readonly recreate: RecreateRules;
  readonly onTunnelBroken: ((event: TunnelBrokenEvent) => unknown) | undefined;
  readonly logger: Logger;
  readonly clock: Clock;
}

const AT = 'new Instance()';

const SHAPE = {
  name: entryName(),
  container: having('observe'),
  tunnel: where(
    (value) => typeof value === 'string' || value instanceof URL || typeof value === 'function',
    'a URL, or a function that tells one',
  ),
  readinessProbe: having('run'),
  startupTimeoutMs: duration(1),
  pollIntervalMs: duration(1),
  ...PROBE_TIMING,
  tunnelIntervalMs: duration(0),
  recreatePolicy: where((value) => typeof value === 'object' && value !== null, 'an object'),
  onTunnelBroken: callable(),
  logger: loggerPort(),
  clock: clockPort(),
};

/** @throws HealthControllerError `invalid_option` */
export function resolveInstance(options: unknown): InstanceSettings {
  const given = readOptions(AT, SHAPE, options, ['container']) as unknown as InstanceOptions;
  const { tunnel, readinessProbe, onTunnelBroken } = given;
  if (readinessProbe !== undefined) readOptionsOfProbe(readinessProbe);
  return Object.freeze({
    name: given.name ?? 'instance',
    container: given.container,
    tunnel: sourceOf(tunnel, options),
    readinessProbe,
    startupTimeoutMs: given.startupTimeoutMs ?? 30_000,
    pollIntervalMs: given.pollIntervalMs ?? 2000,
    readinessTimeoutMs: given.readinessTimeoutMs ?? readinessProbe?.readinessTimeoutMs ?? 30_000,
    probeTimeoutMs: given.probeTimeoutMs ?? readinessProbe?.probeTimeoutMs ?? 5000,
    probeIntervalMs: given.probeIntervalMs ?? readinessProbe?.probeIntervalMs ?? 2000,
    tunnelIntervalMs: given.tunnelIntervalMs ?? 10_000,
    recreate: recreateRules(`${AT}: option "recreatePolicy"`, given.recreatePolicy),
    onTunnelBroken: onTunnelBroken?.bind(options),
    logger: given.logger === undefined ? silentLogger : safeLogger(given.logger),
    clock: given.clock ?? systemClock,
  });
}

function sourceOf(tunnel: TunnelSource | undefined, options: unknown): TunnelSource | undefined {
  if (tunnel === undefined) return undefined;
  return typeof tunnel === 'function' ? tunnel.bind(options) : httpUrl(`${AT}: option "tunnel"`, tunnel);
}

function readOptionsOfProbe(probe: ReadinessProbe): void {
  const { readinessTimeoutMs, probeTimeoutMs, probeIntervalMs } = probe;
  readOptions(`${AT}: option "readinessProbe"`, PROBE_TIMING, { readinessTimeoutMs, probeTimeoutMs, probeIntervalMs });
}
