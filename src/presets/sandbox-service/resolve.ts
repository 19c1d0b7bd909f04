import type { Clock, Logger } from '../../index.js';
import {
  callable,
  checkValue,
  clockPort,
  count,
  duration,
  entryName,
  flag,
  invalidOption,
  loggerPort,
  readOptions,
  type Shape,
  safeLogger,
  silentLogger,
  systemClock,
  type ThresholdRule,
  where,
} from '../../kit.js';
import { authority, endpointHost } from './host.js';
import { loopbackRelay } from './loopback-relay.js';
import type {
  AttachOptions,
  ExposeRequest,
  Relay,
  SandboxServicesOptions,
  ServiceEndpoint,
  ServiceFilter,
  ServiceIdentity,
} from './options.js';
import { readinessPath } from './readiness-path.js';

const OPTIONS: Shape = {
  intervalMs: duration(1),
  timeoutMs: duration(1),
  failureThreshold: count(1),
  successThreshold: count(1),
  staleAfterMs: duration(1),
  maxConcurrent: count(1),
  relay: callable(),
  url: callable(),
  logger: loggerPort(),
  clock: clockPort(),
};

const serviceName = () =>
  where(
    (value) => typeof value === 'string' && value.length <= 256 && !/\p{Cc}/u.test(value),
    'a string of at most 256 characters without control characters',
  );

const port = () =>
  where(
    (value) => typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= 65_535,
    'a port from 1 to 65535',
  );

const IDENTITY: Shape = { workspace: entryName(), sandbox: entryName(), service: serviceName() };
const CHECK: Shape = { path: where((value) => typeof value === 'string', 'a path') };
const EXPOSE: Shape = {
  ...IDENTITY,
  port: port(),
  host: where((value) => typeof value === 'string', 'a host'),
  readinessCheck: where((value) => typeof value === 'object' && value !== null, 'an object such as { path }'),
};
const FILTER: Shape = { workspace: entryName(), sandbox: entryName() };
const ATTACH: Shape = { gate: flag() };

/** Which service, its name decided. */
export type Named = Pick<ServiceEndpoint, 'workspace' | 'sandbox' | 'service'>;

/** The options, every one decided. */
export interface Settings {
  readonly intervalMs: number;
  readonly timeoutMs: number;
  readonly staleAfterMs: number;
  readonly maxConcurrent: number;
  readonly rule: ThresholdRule;
  readonly relay: Relay;
  /** Whether a relay of the user's connects, so that any host will do. */
  readonly relayed: boolean;
  readonly url: (endpoint: ServiceEndpoint) => unknown;
  readonly logger: Logger;
  readonly clock: Clock;
}

const DEFAULTS = Object.freeze({
  intervalMs: 5000,
  timeoutMs: 1000,
  failureThreshold: 3,
  successThreshold: 1,
  staleAfterMs: 15_000,
  maxConcurrent: 256,
});

export function resolveSettings(given: unknown): Settings {
  const options: SandboxServicesOptions = readOptions('new SandboxServices()', OPTIONS, given);
  const { relay, url, logger } = options;
  return Object.freeze({
    intervalMs: options.intervalMs ?? DEFAULTS.intervalMs,
    timeoutMs: options.timeoutMs ?? DEFAULTS.timeoutMs,
    staleAfterMs: options.staleAfterMs ?? DEFAULTS.staleAfterMs,
    maxConcurrent: options.maxConcurrent ?? DEFAULTS.maxConcurrent,
    rule: Object.freeze({
      failureThreshold: options.failureThreshold ?? DEFAULTS.failureThreshold,
      successThreshold: options.successThreshold ?? DEFAULTS.successThreshold,
      beginning: 'unknown',
    }),
    relay: relay === undefined ? loopbackRelay : relay.bind(given),
    relayed: relay !== undefined,
    url:
      url === undefined
        ? (endpoint: ServiceEndpoint) => `http://${authority(endpoint.host, endpoint.port)}/`
        : url.bind(given),
    logger: logger === undefined ? silentLogger : safeLogger(logger),
    clock: options.clock ?? systemClock,
  });
}

export function resolveIdentity(at: string, given: unknown): Named {
  const values = readOptions(at, IDENTITY, given, ['workspace', 'sandbox']);
  const { workspace, sandbox, service = '' } = values as unknown as ServiceIdentity;
  return { workspace, sandbox, service };
}

/** What is asked for, and the check only where one is. */
export function resolveExpose(given: unknown, relayed: boolean): ServiceEndpoint {
  const at = 'expose()';
  const values = readOptions(at, EXPOSE, given, ['workspace', 'sandbox', 'port']);
  const {
    workspace,
    sandbox,
    service = '',
    port,
    host = '127.0.0.1',
    readinessCheck,
  } = values as unknown as ExposeRequest;
  const endpoint = {
    workspace,
    sandbox,
    service,
    host: endpointHost(`${at}: option "host"`, host, relayed),
    port,
  };
  if (readinessCheck === undefined) return endpoint;
  const { path } = readOptions(`${at}: option "readinessCheck"`, CHECK, readinessCheck);
  const checked = readinessPath(`${at}: option "readinessCheck.path"`, path);
  return { ...endpoint, readinessCheck: Object.freeze({ path: checked }) };
}

export function resolveFilter(at: string, given: unknown): ServiceFilter {
  return readOptions(at, FILTER, given);
}

export function resolveSandbox(workspace: unknown, name: unknown): void {
  checkValue('sandbox(): the workspace', entryName(), workspace);
  checkValue('sandbox(): the name', entryName(), name);
}

export function resolveRuntime(runtimeId: unknown): string {
  checkValue('ready(): the runtime id', entryName(), runtimeId);
  return runtimeId as string;
}

/** What the option `url` made of an endpoint. */
export function resolveUrl(endpoint: ServiceEndpoint, settings: Settings): string {
  const url = settings.url(endpoint);
  if (typeof url !== 'string') throw invalidOption('expose(): option "url"', 'it to return a string', url);
  return url;
}

export function resolveAttach(given: unknown): { readonly gate: boolean } {
  const { gate }: AttachOptions = readOptions('attach()', ATTACH, given);
  return { gate: gate ?? false };
}
