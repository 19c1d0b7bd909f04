import type { Duplex } from 'node:stream';
import { type Clock, HealthControllerError, type TimerHandle } from '../../index.js';
import type { LeftCalls } from '../../kit.js';
import type { Verdict } from './observed.js';
import type { Relay, RelayTarget } from './options.js';
import { discard, type HeadRequest, isByteStream, letGo, requestHead } from './request-head.js';
import { type Head, judge, notConnected, type Phase, timedOut } from './verdict.js';

/** What one attempt needs to know. */
export interface Plan {
  readonly clock: Clock;
  readonly relay: Relay;
  readonly timeoutMs: number;
  readonly target: RelayTarget;
  readonly request: HeadRequest;
  /** Whether 2xx is asked for, or any response will do. */
  readonly ready: boolean;
  readonly calls: LeftCalls;
}

/**
 * One attempt: connect through the relay, ask, and take the status of the response headers, all within one deadline.
 * It ends once, by a verdict or by {@link Observation.cancel}; then its stream is destroyed, and what the relay or the
 * service still does changes nothing.
 */
export class Observation {
  readonly #plan: Plan;
  readonly #abort = new AbortController();
  #done: ((verdict: Verdict) => void) | undefined;
  #beganAt = 0;
  #timer: TimerHandle;
  #phase: Phase = 'connecting';
  #stream: Duplex | undefined;
  /** Says that a relay call that was left behind has settled. */
  #settled: (() => void) | undefined;

  constructor(plan: Plan) {
    this.#plan = plan;
  }

  /** Begins. `done` is called later, at most once, and not after {@link Observation.cancel}. */
  begin(done: (verdict: Verdict) => void): void {
    const { clock, relay, timeoutMs, target } = this.#plan;
    this.#done = done;
    this.#beganAt = clock.now();
    this.#timer = clock.setTimeout(() => this.#late(), timeoutMs, { keepAlive: false });
    new Promise((resolve) => resolve(relay(target, this.#abort.signal)))
      .then((stream) => this.#connected(stream))
      // Also what a stream throws that is none.
      .catch((error: unknown) => this.#failed(error));
  }

  /** Ends it without a verdict: it is about something that is no more. */
  cancel(): void {
    this.#leave(new HealthControllerError('shutdown', 'the observation is not wanted any more'));
  }

  #connected(stream: unknown): void {
    this.#settled?.();
    if (!isByteStream(stream)) this.#answered({ fault: 'no_stream' });
    else if (this.#done === undefined) discard(stream);
    else {
      this.#phase = 'waiting';
      this.#stream = stream;
      letGo(stream);
      requestHead(stream, this.#plan.request, (head) => this.#answered(head));
    }
  }

  #answered(head: Head): void {
    this.#end(judge(head, this.#plan.ready));
  }

  #failed(error: unknown): void {
    this.#settled?.();
    this.#end(notConnected(error));
  }

  // Where the loop was blocked, timers come before sockets are read: an answer that is there already wins.
  #late(): void {
    this.#plan.clock.nextTurn(() => {
      const done = this.#done;
      if (done === undefined) return;
      const verdict = timedOut(this.#phase, this.#plan.timeoutMs);
      this.#leave(new HealthControllerError('timeout', verdict.message));
      done(verdict);
    });
  }

  #end(verdict: Verdict): void {
    const done = this.#done;
    this.#close();
    done?.(verdict);
  }

  #leave(reason: HealthControllerError): void {
    if (this.#done === undefined) return;
    if (this.#phase === 'connecting') this.#settled = this.#plan.calls.leave(this.#beganAt);
    this.#close();
    this.#abort.abort(reason);
  }

  #close(): void {
    this.#done = undefined;
    this.#plan.clock.clearTimeout(this.#timer);
    if (this.#stream !== undefined) discard(this.#stream);
    this.#stream = undefined;
  }
}
