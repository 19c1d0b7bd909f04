import type { Logger } from '../../index.js';
import { Emitter } from '../../kit.js';
import type { InstanceStatus } from '../../wire/instance.js';
import type { InstanceSettings, TunnelBrokenEvent } from './options.js';
import type { InstanceState } from './status-model.js';

/** The status moved. What `status` reads inside a listener equals `to`. */
export interface InstanceStatusEvent {
  readonly name: string;
  readonly from: InstanceStatus;
  readonly to: InstanceStatus;
  /** Of `error`: the exit code, where the container has ended. */
  readonly exitCode?: number;
  /** Of `error`, `unhealthy`, and of a `running` that could not be validated: why. */
  readonly message?: string;
}

interface InstanceEvents {
  status: InstanceStatusEvent;
  tunnel_broken: TunnelBrokenEvent;
}

/** Tells listeners and the log what becomes of an instance. */
export class Telling {
  readonly #name: string;
  readonly #failures: number;
  readonly #logger: Logger;
  readonly #events: Emitter<InstanceEvents>;

  constructor({ name, logger, recreate, onTunnelBroken }: InstanceSettings) {
    this.#name = name;
    this.#failures = recreate.failures;
    this.#logger = logger;
    this.#events = new Emitter(logger);
    if (onTunnelBroken !== undefined) this.#events.on('tunnel_broken', onTunnelBroken);
  }

  onStatus(listener: (event: InstanceStatusEvent) => unknown): () => void {
    return this.#events.on('status', listener);
  }

  /** Does it now, or, inside a listener, when all have been told: `status` is what they were told until then. */
  defer(action: () => void): void {
    this.#events.defer(action);
  }

  moved(from: InstanceStatus, state: InstanceState): void {
    const message = 'message' in state ? state.message : undefined;
    const exitCode = state.status === 'error' ? state.exitCode : undefined;
    const level = state.status === 'error' || state.status === 'unhealthy' ? 'warn' : 'info';
    this.#log(level, `${from} -> ${state.status}${message === undefined ? '' : `: ${message}`}`);
    this.#events.emit('status', {
      name: this.#name,
      from,
      to: state.status,
      ...(exitCode === undefined ? undefined : { exitCode }),
      ...(message === undefined ? undefined : { message }),
    });
  }

  unvalidated(message: string): void {
    this.#log('warn', `runs without validation: ${message}`);
  }

  notReady(message: string): void {
    this.#log('debug', `not ready yet: ${message}`);
  }

  tunnelBroken(message: string | undefined): void {
    this.#log('warn', `the tunnel is broken: ${message ?? 'no reason given'}`);
    this.#events.emit('tunnel_broken', { name: this.#name, failures: this.#failures, message });
  }

  #log(level: keyof Logger, message: string): void {
    this.#logger[level](`instance ${JSON.stringify(this.#name)}: ${message}`, { instance: this.#name });
  }
}
