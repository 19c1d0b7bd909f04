// A worker that crashes and recovers: it fails twice before it finds its queue.

/** Runs in the foreground until it is told to stop. */
export class Worker {
  #attempts = 0;

  /** @param {import('health-controller').StartContext} context */
  async start({ signal, ready }) {
    this.#attempts++;
    if (this.#attempts < 3) throw new Error(`no connection to the queue, attempt ${this.#attempts}`);
    ready();
    await aborted(signal);
  }
}

/**
 * Resolves when the signal aborts; keeps the process alive until then, as a socket would.
 * @param {AbortSignal} signal
 */
export async function aborted(signal) {
  if (signal.aborted) return;
  const busy = setInterval(() => {}, 60_000);
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  clearInterval(busy);
}
