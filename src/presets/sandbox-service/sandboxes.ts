import type { Endpoint } from './endpoint.js';
import type { ExposedService, ServiceFilter } from './options.js';

/** A sandbox that is ready, or has services. */
export interface Sandbox {
  readonly workspace: string;
  readonly name: string;
  /** Undefined while it is not ready. */
  runtimeId: string | undefined;
  /** By service name. */
  readonly endpoints: Map<string, Endpoint>;
}

/** All sandboxes that there is something to know of. */
export class Sandboxes {
  readonly #byKey = new Map<string, Sandbox>();

  find(workspace: string, name: string): Sandbox | undefined {
    return this.#byKey.get(keyOf(workspace, name));
  }

  /** The one that is known, or a new one. */
  make(workspace: string, name: string): Sandbox {
    const known = this.find(workspace, name);
    if (known !== undefined) return known;
    const sandbox: Sandbox = { workspace, name, runtimeId: undefined, endpoints: new Map() };
    this.#byKey.set(keyOf(workspace, name), sandbox);
    return sandbox;
  }

  /** Sandboxes come and go: nothing is kept of one that is not ready and has no services. */
  tidy(sandbox: Sandbox): void {
    if (sandbox.runtimeId !== undefined || sandbox.endpoints.size > 0) return;
    const key = keyOf(sandbox.workspace, sandbox.name);
    if (this.#byKey.get(key) === sandbox) this.#byKey.delete(key);
  }

  *endpoints({ workspace, sandbox: name }: ServiceFilter): Generator<Endpoint, void, undefined> {
    for (const sandbox of this.#byKey.values()) {
      if (workspace !== undefined && sandbox.workspace !== workspace) continue;
      if (name !== undefined && sandbox.name !== name) continue;
      yield* sandbox.endpoints.values();
    }
  }

  list(filter: ServiceFilter): ExposedService[] {
    return Array.from(this.endpoints(filter), (endpoint) => endpoint.service());
  }
}

// Neither name holds a control character.
const keyOf = (workspace: string, name: string): string => `${workspace}\0${name}`;
