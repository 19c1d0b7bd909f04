import {
  Controller,
  type ControllerOptions,
  type Logger,
  type ServiceDescription,
  type StartContext,
} from '../../../src/index.js';
import { FakeClock } from '../../../src/testing/index.js';

/** A line that the controller logged. */
export interface Line {
  readonly level: keyof Logger;
  readonly message: string;
  readonly fields: Record<string, unknown> | undefined;
}

/** What became of a promise, and when. */
export interface Watched<T> {
  readonly settled: boolean;
  readonly value: T | undefined;
  readonly error: unknown;
  readonly atMs: number;
}

const COUNTED: ReadonlySet<string> = new Set(['retrying', 'failed', 'unable_to_start']);

/** A controller on a clock of its own, and everything that happens to it in one sequence. */
export class Stage {
  readonly clock = new FakeClock();
  readonly lines: Line[] = [];
  readonly controller: Controller;
  readonly #startedAt = this.clock.now();
  readonly #notes: { readonly text: string; readonly atMs: number }[] = [];

  constructor(options: ControllerOptions = {}) {
    const write = (level: keyof Logger) => (message: string, fields?: Record<string, unknown>) => {
      this.lines.push({ level, message, fields });
    };
    const logger = { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
    this.controller = new Controller({ clock: this.clock, logger, ...options });
    this.controller.on('state', ({ to }) => this.note(`state ${to}`));
    this.controller.on('service', ({ service, kind, restarts }) =>
      this.note(`${service} ${COUNTED.has(kind) ? `${kind}:${restarts}` : kind}`),
    );
    this.controller.on('check', ({ name, from, to }) => this.note(`${name} ${from} > ${to}`));
  }

  /** Milliseconds since the stage was set. */
  get atMs(): number {
    return this.clock.now() - this.#startedAt;
  }

  note(text: string): void {
    this.#notes.push({ text, atMs: this.atMs });
  }

  /** All events and calls, in order; with a pattern, those that match. */
  trace(pattern: RegExp = /./): string[] {
    return this.#notes.map(({ text }) => text).filter((text) => pattern.test(text));
  }

  /** The same, each with its time in front. */
  timeline(pattern: RegExp = /./): string[] {
    return this.#notes.filter(({ text }) => pattern.test(text)).map(({ text, atMs }) => `${atMs} ${text}`);
  }

  /** Registers a service of which each call is noted: `start api`, `stop api`, `status api`, … */
  service(name: string, description: ServiceDescription = {}): void {
    const { start, stop, status, liveness, readiness } = description;
    const noted =
      <C, R>(verb: string, call: (context: C) => R) =>
      (context: C): R => {
        this.note(`${verb} ${name}`);
        return call(context);
      };
    this.controller.register(name, description, {
      start: noted('start', start ?? (() => {})),
      stop: noted('stop', stop ?? (() => {})),
      ...(status && { status: noted('status', status) }),
      ...(liveness && { liveness: noted('liveness', liveness) }),
      ...(readiness && { readiness: noted('readiness', readiness) }),
    });
  }

  /** Resolves after so much of this clock's time. */
  lasting(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.clock.setTimeout(resolve, ms, { keepAlive: true });
    });
  }

  /** Starts the controller and lets its services come up. */
  async start(): Promise<void> {
    this.controller.start();
    await this.settle();
  }

  /** Lets everything happen that needs no time. */
  async settle(): Promise<void> {
    await this.clock.advance(0);
  }

  watch<T>(promise: Promise<T>): Watched<T> {
    const watched = {
      settled: false,
      value: undefined as T | undefined,
      error: undefined as unknown,
      atMs: Number.NaN,
    };
    const note = (end: { value?: T; error?: unknown }) => {
      Object.assign(watched, end, { settled: true, atMs: this.atMs });
    };
    promise.then(
      (value) => note({ value }),
      (error: unknown) => note({ error }),
    );
    return watched;
  }

  /** Waits for a promise, for at most so much of this clock's time; it must be fulfilled by then. */
  async within<T>(ms: number, promise: Promise<T>): Promise<T> {
    const watched = this.watch(promise);
    await this.clock.advance(ms);
    if (!watched.settled) throw new Error(`still pending after ${ms} ms`);
    return promise;
  }

  /** Waits for a promise that needs no time at all. */
  promptly<T>(promise: Promise<T>): Promise<T> {
    return this.within(0, promise);
  }

  /** Shuts down and waits for the end; for tests that end with nothing left. */
  async close(ms = 60_000): Promise<void> {
    await this.within(ms, this.controller.stop());
  }
}

/** A start that runs in the foreground: it says that it is up and lasts as long as `run`. */
export const foreground =
  (run: Promise<unknown>) =>
  ({ ready }: StartContext): Promise<unknown> => {
    ready();
    return run;
  };

/** A start that runs until its signal aborts, and fails with the reason. */
export const untilAborted = ({ signal }: StartContext): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason));
  });
