import type { ShutdownReason } from '../core/outcome.js';
import { printable } from '../core/printable.js';
import type { EngineScope } from './scope.js';
import { onProcessSignal } from './signals.js';

/** What begins the shutdown from outside: process signals and the parent's signal, while it is listened to. */
export class StopTriggers {
  readonly #scope: EngineScope;
  readonly #stop: (why: ShutdownReason) => void;
  readonly #isEnding: () => boolean;
  #releases: (() => void)[] = [];

  constructor(scope: EngineScope, isEnding: () => boolean, stop: (why: ShutdownReason) => void) {
    this.#scope = scope;
    this.#isEnding = isEnding;
    this.#stop = stop;
  }

  /** Listens until {@link release}. A parent that is aborted already begins the shutdown now. */
  listen(signals: readonly string[], parent: AbortSignal | undefined): void {
    for (const signal of signals) this.#releases.push(onProcessSignal(signal, (name) => this.#signalled(name)));
    if (parent === undefined) return;
    const aborted = (): void => this.#stop({ cause: 'parent', reason: printable(parent.reason) });
    if (parent.aborted) {
      aborted();
      return;
    }
    parent.addEventListener('abort', aborted, { once: true });
    this.#releases.push(() => parent.removeEventListener('abort', aborted));
  }

  release(): void {
    for (const release of this.#releases.splice(0)) release();
  }

  #signalled(signal: string): void {
    if (this.#isEnding()) this.#scope.log.warn(`${signal} again: the shutdown is under way, nothing changes`);
    else this.#stop({ cause: 'signal', signal });
  }
}
