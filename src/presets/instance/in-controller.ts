import { type CheckResult, type Controller, degraded, healthy, type ServiceOption, unhealthy } from '../../index.js';
import { duration, readOptions, where } from '../../kit.js';
import type { TunnelStatus } from '../../wire/instance.js';
import { healthOf, isUnsettled, type Known } from './health.js';
import type { InstanceSettings, StartOptions } from './options.js';

/** How an instance's checks are registered. */
export interface AttachOptions {
  /**
   * Put before the names `container` and `tunnel`, so that several instances fit into one controller.
   * @defaultValue ''
   */
  readonly prefix?: string | undefined;
  /**
   * 0: each report looks anew. Above: the checks look at this interval, and reports read what was seen.
   * @defaultValue 0
   */
  readonly intervalMs?: number | undefined;
}

/** What the checks use of an instance. */
export interface InstanceParts {
  readonly settings: InstanceSettings;
  known(): Known;
  lookAtContainer(): Promise<unknown>;
  lookAtTunnel(): Promise<unknown>;
}

const SHAPE = {
  prefix: where((value) => typeof value === 'string', 'a text'),
  intervalMs: duration(0),
};

/** Our own bound comes first, and says what it was. */
const SLACK_MS = 1000;

export function attachInstance(
  parts: InstanceParts,
  controller: Pick<Controller, 'registerCheck'>,
  options: AttachOptions,
): () => void {
  const { prefix = '', intervalMs = 0 }: AttachOptions = readOptions('attach()', SHAPE, options);
  const { probeTimeoutMs, tunnel } = parts.settings;
  // A tunnel that has changed makes its look wait for one at the container.
  const timeoutMs = 2 * probeTimeoutMs + SLACK_MS;
  const container = controller.registerCheck({
    name: `${prefix}container`,
    check: () => checkContainer(parts),
    intervalMs,
    timeoutMs,
  });
  if (tunnel === undefined) return () => container.unregister();
  try {
    const way = controller.registerCheck({
      name: `${prefix}tunnel`,
      check: async () => {
        await parts.lookAtTunnel();
        return tunnelResult(parts.known());
      },
      critical: false,
      intervalMs,
      timeoutMs,
    });
    return () => {
      container.unregister();
      way.unregister();
    };
  } catch (error) {
    container.unregister();
    throw error;
  }
}

export function instanceService(
  parts: InstanceParts,
  instance: { start(options: StartOptions): Promise<string>; stop(): void },
): ServiceOption {
  const { name, startupTimeoutMs, readinessTimeoutMs, probeTimeoutMs } = parts.settings;
  const probe = () => checkContainer(parts);
  return {
    async start({ signal }) {
      const status = await instance.start({ signal });
      if (status !== 'error') return;
      const { message } = healthOf(parts.known());
      instance.stop();
      throw new Error(`instance ${JSON.stringify(name)}: ${message ?? 'error'}`);
    },
    stop: () => instance.stop(),
    status: probe,
    readiness: probe,
    // Restarting this process mends no container.
    liveness: () => healthy(),
    probeTimeoutMs: probeTimeoutMs + SLACK_MS,
    // Without one the controller would take a start that is still being verified after half a minute for a service that
    // is up. A container that restarts once on its way goes through the gate a second time.
    startTimeoutMs: startupTimeoutMs + 2 * (readinessTimeoutMs + probeTimeoutMs) + SLACK_MS,
  };
}

async function checkContainer(parts: InstanceParts): Promise<CheckResult> {
  await parts.lookAtContainer();
  return containerResult(parts.known());
}

/** A container as a check. One that could not be looked at keeps what it was: degraded where it was running. */
function containerResult(known: Known): CheckResult {
  const { container, state, observed } = known;
  const { message, exit_code: exitCode } = healthOf(known);
  const status = container?.status ?? 'unknown';
  const data = {
    container_status: status,
    status: state.status,
    ...(exitCode === undefined ? undefined : { exit_code: exitCode }),
  };
  const failed = (reason: string, otherwise: string) => unhealthy(message ?? otherwise, data, reason);
  if (container === undefined) return failed('unknown', 'the container has not been looked at');
  if (container.status === 'unknown') {
    const trusted = observed && state.status === 'running';
    return trusted
      ? degraded(container.message, data, container.reason)
      : unhealthy(container.message, data, container.reason);
  }
  if (observed && state.status === 'error')
    return failed(state.looping ? 'restart_loop' : status, 'the container is down');
  if (isUnsettled(known)) return failed('starting', 'the instance is starting');
  if (observed && state.status === 'unhealthy') return failed('not_ready', 'the instance is not ready');
  if (container.status !== 'running') return failed(status, `the container is ${status}`);
  if (container.engineHealth === 'unhealthy') return failed('engine_unhealthy', "the engine's own health check fails");
  return healthy(undefined, data);
}

function tunnelResult(known: Known): CheckResult {
  const { tunnel_status: status, can_recreate_tunnel } = healthOf(known);
  const data = { tunnel_status: status, can_recreate_tunnel };
  if (status === 'healthy' || status === 'none') return healthy(undefined, data);
  const { tunnel } = known;
  const cause = typeof tunnel === 'object' ? tunnel.message : undefined;
  const message = cause === undefined ? TUNNEL_WORDS[status] : `${TUNNEL_WORDS[status]}: ${cause}`;
  const uncertain = status === 'starting' || status === 'unknown';
  return uncertain ? degraded(message, data, status) : unhealthy(message, data, status);
}

const TUNNEL_WORDS: Readonly<Record<Exclude<TunnelStatus, 'healthy' | 'none'>, string>> = {
  starting: 'the instance is starting',
  app_error: 'the application behind the tunnel fails',
  tunnel_error: 'the tunnel is broken',
  tls_error: 'the certificate of the tunnel is not trusted',
  unknown: 'the tunnel could not be looked at',
};
