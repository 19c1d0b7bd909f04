/** Concurrent callers share one run: who asks while it is under way gets its promise. */
export class SingleFlight<Value> {
  #inFlight: Promise<Value> | undefined;

  run(begin: () => Promise<Value>): Promise<Value> {
    if (this.#inFlight !== undefined) return this.#inFlight;
    const run = begin().finally(() => {
      if (this.#inFlight === run) this.#inFlight = undefined;
    });
    this.#inFlight = run;
    return run;
  }
}
