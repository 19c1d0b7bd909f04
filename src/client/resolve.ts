import { type Clock, systemClock } from '../index.js';
import {
  abortSignal,
  callable,
  clockPort,
  count,
  duration,
  entryName,
  flag,
  loggerPort,
  oneOf,
  readOptions,
  type Shape,
  safeLogger,
  share,
  silentLogger,
  systemRandom,
  where,
} from '../kit.js';
import { readHeaders } from './headers.js';
import type {
  HealthMonitorOptions,
  HealthPollerOptions,
  MonitoredInstance,
  PolledInstanceOptions,
  PollOnceOptions,
  PollOptions,
  WhenRunningOptions,
} from './options.js';
import { LOST_AFTER_MS } from './poll-record.js';
import { readFetch, readWebSocket, type Wanted } from './runtime.js';
import type { InstanceSettings, PollPorts, PollSettings } from './settings.js';
import { readTarget } from './target.js';

// URLs and headers are read where what is refused is not shown.
const unread = () => where(() => true, 'anything');

const OF_ALL: Shape = {
  passive: flag(),
  timeoutMs: duration(1),
  headers: unread(),
  intervalMs: duration(1),
  maxBackoffMs: duration(1),
  jitter: share(),
  lostAfterMs: duration(1),
};
const OF_ONE: Shape = {
  id: entryName(),
  url: unread(),
  webSocketUrl: unread(),
  instanceStatus: oneOf('provisioning', 'running'),
};
const PORTS: Shape = {
  fetch: callable(),
  webSocket: where((value) => typeof value === 'boolean' || typeof value === 'function', 'true, false or a class'),
  clock: clockPort(),
  random: callable(),
  logger: loggerPort(),
};
const POLLER: Shape = { ...OF_ONE, ...OF_ALL, ...PORTS };
const MONITOR: Shape = { ...OF_ALL, ...PORTS, maxConcurrent: count(1) };
const MONITORED: Shape = { ...OF_ONE, ...OF_ALL };
const ONCE: Shape = {
  url: unread(),
  passive: flag(),
  timeoutMs: duration(1),
  headers: unread(),
  fetch: callable(),
  clock: clockPort(),
};
const WHEN_RUNNING: Shape = { signal: abortSignal(), timeoutMs: duration(1) };

/** A gateway bounds an activating snapshot by 30 seconds and a passive one by three, unless told otherwise. */
const TIMEOUT_MS = { activating: 35_000, passive: 5000 } as const;
const DEFAULTS = Object.freeze({
  passive: false,
  timeoutMs: TIMEOUT_MS.activating,
  intervalMs: 5000,
  maxBackoffMs: 30_000,
  jitter: 0.1,
  lostAfterMs: LOST_AFTER_MS,
  headers: Object.freeze({}),
});
const MAX_CONCURRENT = 256;

export function resolvePoller(given: unknown): { readonly instance: InstanceSettings; readonly ports: PollPorts } {
  const at = 'new HealthPoller()';
  const options = readOptions(at, POLLER, given, ['url']) as unknown as HealthPollerOptions;
  const poll = sharedSettings(at, options, given, options.webSocket ?? 'where there is one');
  return { instance: instanceSettings(at, options.id, options, poll), ports: portsOf(options, given) };
}

export function resolveMonitor(given: unknown) {
  const at = 'new HealthMonitor()';
  const options: HealthMonitorOptions = readOptions(at, MONITOR, given);
  const poll = sharedSettings(at, options, given, options.webSocket ?? false);
  return { poll, ports: { ...portsOf(options, given), maxConcurrent: options.maxConcurrent ?? MAX_CONCURRENT } };
}

/** What an instance of a monitor says of itself goes before what the monitor says. */
export function resolveMonitored(given: unknown, shared: PollSettings): InstanceSettings {
  const at = 'add()';
  const options = readOptions(at, MONITORED, given, ['id', 'url']) as unknown as MonitoredInstance;
  const { id, url, webSocketUrl, instanceStatus, ...own } = options;
  const poll = Object.keys(own).length === 0 ? shared : decide(at, own, shared);
  return instanceSettings(at, id, { url, webSocketUrl, instanceStatus }, poll);
}

export function resolveOnce(given: unknown): { readonly instance: InstanceSettings; readonly clock: Clock } {
  const at = 'pollOnce()';
  const options = readOptions(at, ONCE, given, ['url']) as unknown as PollOnceOptions;
  const poll = sharedSettings(at, options, given, false);
  return { instance: instanceSettings(at, undefined, options, poll), clock: options.clock ?? systemClock };
}

export function resolveWhenRunning(given: unknown): WhenRunningOptions {
  return readOptions('whenRunning()', WHEN_RUNNING, given);
}

function sharedSettings(at: string, options: PollOptions, given: unknown, webSocket: Wanted): PollSettings {
  const reach = { fetch: readFetch(at, options.fetch, given), webSocket: readWebSocket(at, webSocket) };
  return decide(at, options, { ...DEFAULTS, ...reach });
}

function decide(at: string, own: PollOptions, base: PollSettings): PollSettings {
  const passive = own.passive ?? base.passive;
  const usual = passive === base.passive ? base.timeoutMs : TIMEOUT_MS[passive ? 'passive' : 'activating'];
  return Object.freeze({
    passive,
    timeoutMs: own.timeoutMs ?? usual,
    intervalMs: own.intervalMs ?? base.intervalMs,
    maxBackoffMs: own.maxBackoffMs ?? base.maxBackoffMs,
    jitter: own.jitter ?? base.jitter,
    lostAfterMs: own.lostAfterMs ?? base.lostAfterMs,
    headers: own.headers === undefined ? base.headers : { ...base.headers, ...readHeaders(at, own.headers) },
    fetch: base.fetch,
    webSocket: base.webSocket,
  });
}

function instanceSettings(
  at: string,
  id: string | undefined,
  { url, webSocketUrl, instanceStatus }: PolledInstanceOptions,
  poll: PollSettings,
): InstanceSettings {
  const { passive, webSocket, headers } = poll;
  const target = readTarget(at, { url, webSocketUrl, passive, wantsSocket: webSocket !== undefined });
  const { authorization } = target;
  return Object.freeze({
    id: id ?? target.shown,
    target,
    instanceStatus: instanceStatus ?? 'provisioning',
    poll,
    headers: authorization === undefined ? headers : Object.freeze({ authorization, ...headers }),
  });
}

function portsOf({ clock, random, logger }: PollOptions, given: unknown): PollPorts {
  return {
    clock: clock ?? systemClock,
    random: random === undefined ? systemRandom : random.bind(given),
    logger: logger === undefined ? silentLogger : safeLogger(logger),
  };
}
