import type { InstanceStatus } from '../../wire/instance.js';

interface Waiter {
  settle(status: InstanceStatus): void;
}

/** Those who wait for the status that a start leads to. Each may give up by its own signal. */
export class StartWaiters {
  readonly #waiters = new Set<Waiter>();
  readonly #onNobodyLeft: () => void;

  /** `onNobodyLeft` is called when the last of them has given up. */
  constructor(onNobodyLeft: () => void) {
    this.#onNobodyLeft = onNobodyLeft;
  }

  get size(): number {
    return this.#waiters.size;
  }

  /** Rejects with the signal's reason when it aborts first. */
  wait(signal: AbortSignal | undefined): Promise<InstanceStatus> {
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        this.#waiters.delete(waiter);
        reject(signal?.reason);
        if (this.#waiters.size === 0) this.#onNobodyLeft();
      };
      const waiter: Waiter = {
        settle(status) {
          signal?.removeEventListener('abort', giveUp);
          resolve(status);
        },
      };
      this.#waiters.add(waiter);
      signal?.addEventListener('abort', giveUp, { once: true });
    });
  }

  settle(status: InstanceStatus): void {
    const waiters = [...this.#waiters];
    this.#waiters.clear();
    for (const waiter of waiters) waiter.settle(status);
  }
}
