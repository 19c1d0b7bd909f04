import { EventEmitter } from 'eventemitter3';
import { printable } from '../core/printable.js';
import type { Logger } from '../ports/logger.js';

type Wrapped = (payload: unknown) => void;

/**
 * Tells listeners, one event after the other. A listener that throws, rejects or never settles harms nobody
 * (eventemitter3 alone would let it skip the rest). What is emitted or asked for inside a listener comes when the
 * dispatch has ended, in the same tick, so that every listener sees the state that its event tells of.
 */
export class Emitter<Events extends object> {
  readonly #inner = new EventEmitter<string, never>();
  readonly #wrapped = new Map<string, Map<unknown, Wrapped[]>>();
  readonly #log: Logger;
  readonly #queue: (() => void)[] = [];
  #dispatching = false;
  #draining = false;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Adds a listener; the function returned removes it. */
  on<Name extends keyof Events & string>(name: Name, listener: (payload: Events[Name]) => unknown): () => void {
    return this.#add(name, listener, false);
  }

  once<Name extends keyof Events & string>(name: Name, listener: (payload: Events[Name]) => unknown): () => void {
    return this.#add(name, listener, true);
  }

  off<Name extends keyof Events & string>(name: Name, listener: (payload: Events[Name]) => unknown): void {
    const wrapped = this.#wrapped.get(name)?.get(listener)?.at(-1);
    if (wrapped !== undefined) this.#remove(name, listener, wrapped);
  }

  emit<Name extends keyof Events & string>(name: Name, payload: Events[Name]): void {
    if (this.#dispatching) {
      this.#queue.push(() => this.#deliver(name, payload));
      return;
    }
    this.#deliver(name, payload);
    this.#drain();
  }

  /** Does it now, or, inside a listener, when the dispatch has ended. */
  defer(action: () => void): void {
    if (this.#dispatching) this.#queue.push(action);
    else action();
  }

  /** Whether anybody listens, so that payloads are not made for nobody. */
  has(name: keyof Events & string): boolean {
    return this.#inner.listenerCount(name) > 0;
  }

  #add(name: string, listener: (payload: never) => unknown, once: boolean): () => void {
    const wrapped: Wrapped = (payload) => {
      if (once) this.#remove(name, listener, wrapped);
      this.#call(name, listener, payload);
    };
    const ofName = this.#wrapped.get(name) ?? new Map<unknown, Wrapped[]>();
    this.#wrapped.set(name, ofName);
    const same = ofName.get(listener) ?? [];
    ofName.set(listener, same);
    same.push(wrapped);
    this.#inner.on(name, wrapped as never);
    return () => this.#remove(name, listener, wrapped);
  }

  #remove(name: string, listener: unknown, wrapped: Wrapped): void {
    this.#inner.off(name, wrapped as never);
    const ofName = this.#wrapped.get(name);
    const same = ofName?.get(listener);
    const index = same?.indexOf(wrapped) ?? -1;
    if (same === undefined || index < 0) return;
    same.splice(index, 1);
    if (same.length === 0) ofName?.delete(listener);
  }

  #call(name: string, listener: (payload: never) => unknown, payload: unknown): void {
    try {
      const returned = listener(payload as never);
      if (typeof returned !== 'object' || returned === null || !('then' in returned)) return;
      Promise.resolve(returned).then(undefined, (error: unknown) => this.#complain(name, error));
    } catch (error) {
      this.#complain(name, error);
    }
  }

  #complain(name: string, error: unknown): void {
    this.#log.error(`a listener of "${name}" failed: ${printable(error)}`, { event: name, error });
  }

  #deliver(name: string, payload: unknown): void {
    this.#dispatching = true;
    try {
      this.#inner.emit(name, payload as never);
    } finally {
      this.#dispatching = false;
    }
  }

  #drain(): void {
    if (this.#draining) return;
    this.#draining = true;
    try {
      for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
        try {
          next();
        } catch (error) {
          this.#log.error(`what a listener asked for failed: ${printable(error)}`, { error });
        }
      }
    } finally {
      this.#draining = false;
    }
  }
}
