import { type Clock, HealthControllerError, type TimerHandle } from '../index.js';
import { codeOf } from './error-code.js';
import type { SnapshotFetch } from './fetch.js';
import type { PollOutcome } from './poll-record.js';
import { readAnswer } from './read-answer.js';

/** What one try needs to know. */
export interface RequestPlan {
  readonly clock: Clock;
  readonly fetch: SnapshotFetch;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** A call is left behind that has not settled; the function returned says that it has. */
  readonly leave: (beganAt: number) => () => void;
}

/**
 * One try by HTTP: the request and the whole body within one deadline. It ends once, by an outcome or by
 * {@link SnapshotRequest.cancel}; what the other side still does then changes nothing.
 */
export class SnapshotRequest {
  readonly #plan: RequestPlan;
  readonly #abort = new AbortController();
  #done: ((outcome: PollOutcome) => void) | undefined;
  #beganAt = 0;
  #timer: TimerHandle;
  #settled: (() => void) | undefined;

  constructor(plan: RequestPlan) {
    this.#plan = plan;
  }

  /**
   * Begins. `done` is called later, at most once, and not after {@link SnapshotRequest.cancel}. `awaited`: somebody
   * waits for it, so that it keeps the process alive.
   */
  begin(done: (outcome: PollOutcome) => void, awaited: boolean): void {
    const { clock, fetch, url, headers, timeoutMs } = this.#plan;
    this.#done = done;
    this.#beganAt = clock.now();
    this.#arm(timeoutMs, awaited);
    const init = {
      method: 'GET',
      headers: { accept: 'application/json', ...headers },
      redirect: 'manual',
      cache: 'no-store',
      signal: this.#abort.signal,
    } as const;
    new Promise<Awaited<ReturnType<SnapshotFetch>>>((resolve) => resolve(fetch(url, init)))
      .then(readAnswer)
      .catch((error: unknown): PollOutcome => ({ ok: false, error: `the request failed${codeOf(error)}` }))
      .then((outcome) => {
        this.#settled?.();
        this.#end(outcome);
      });
  }

  /** Somebody waits for it from now on. */
  hold(): void {
    const { clock, timeoutMs } = this.#plan;
    if (this.#done === undefined) return;
    clock.clearTimeout(this.#timer);
    this.#arm(Math.max(0, this.#beganAt + timeoutMs - clock.now()), true);
  }

  /** Ends it without an outcome: nobody wants it any more. */
  cancel(): void {
    this.#leave(new HealthControllerError('shutdown', 'the answer is not wanted any more'));
  }

  #arm(delayMs: number, keepAlive: boolean): void {
    const { clock } = this.#plan;
    // Where the loop was blocked, timers come before sockets are read: an answer that is there already wins.
    this.#timer = clock.setTimeout(() => clock.nextTurn(() => this.#late()), delayMs, { keepAlive });
  }

  #late(): void {
    const error = `no answer within ${this.#plan.timeoutMs} ms`;
    const done = this.#leave(new HealthControllerError('timeout', error));
    done?.({ ok: false, error });
  }

  #end(outcome: PollOutcome): void {
    const done = this.#done;
    this.#close();
    done?.(outcome);
  }

  #leave(reason: HealthControllerError): ((outcome: PollOutcome) => void) | undefined {
    const done = this.#done;
    if (done === undefined) return undefined;
    this.#settled = this.#plan.leave(this.#beganAt);
    this.#close();
    this.#abort.abort(reason);
    return done;
  }

  #close(): void {
    this.#done = undefined;
    this.#plan.clock.clearTimeout(this.#timer);
  }
}
