import { HealthControllerError } from '../core/errors.js';

type Subscriber = (signal: string) => void;

interface Entry {
  readonly listener: () => void;
  readonly subscribers: Set<Subscriber>;
}

type Registry = Map<string, Entry>;

interface Host {
  on(name: string, listener: () => void): unknown;
  removeListener(name: string, listener: () => void): unknown;
}

// On the process and not in a module: two copies of the package share one listener per signal.
const REGISTRY = Symbol.for('health-controller.signals');

/** Listens to a process signal: one process listener serves all subscribers. The function returned ends it. */
export function onProcessSignal(signal: string, subscriber: Subscriber): () => void {
  const host = (globalThis as { process?: Host & { [REGISTRY]?: Registry } }).process;
  if (host === undefined) {
    throw new HealthControllerError(
      'invalid_option',
      `signals: expected a runtime with a process, to listen to ${signal}`,
    );
  }
  const registry = host[REGISTRY] ?? new Map<string, Entry>();
  host[REGISTRY] = registry;
  let entry = registry.get(signal);
  if (entry === undefined) {
    const subscribers = new Set<Subscriber>();
    const listener = (): void => {
      for (const each of [...subscribers]) each(signal);
    };
    entry = { listener, subscribers };
    host.on(signal, listener);
    registry.set(signal, entry);
  }
  const { subscribers, listener } = entry;
  subscribers.add(subscriber);
  return () => {
    if (!subscribers.delete(subscriber) || subscribers.size > 0) return;
    host.removeListener(signal, listener);
    registry.delete(signal);
    if (registry.size === 0) delete host[REGISTRY];
  };
}
