/**
 * The context of one run. The signal costs more than the run of a trivial check, so it is made when it is first read;
 * a getter on the prototype keeps the context itself cheap.
 */
export class RunContext {
  #controller: AbortController | undefined;
  /** Made only where the signal is read: an error with its stack costs more than a stop. */
  #reason: (() => unknown) | undefined;

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#reason !== undefined) this.#controller.abort(this.#reason());
    }
    return this.#controller.signal;
  }

  /** Aborts a context's signal, also one that is read only later. Not a method: contexts are handed to users. */
  static abort(context: RunContext, reason: () => unknown): void {
    if (context.#reason !== undefined) return;
    context.#reason = reason;
    context.#controller?.abort(reason());
  }

  static isAborted(context: RunContext): boolean {
    return context.#reason !== undefined;
  }
}
