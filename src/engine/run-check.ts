import { type RunLabel, readReturn, readThrown, TIMED_OUT, type Verdict } from '../core/check-result.js';
import { HealthControllerError } from '../core/errors.js';
import type { CheckContext } from '../core/settings.js';
import { WRITE_OFF_TIMEOUTS } from './left-calls.js';
import type { BoundRun, RunBatch } from './run-batch.js';
import { RunContext } from './run-context.js';
import type { EngineScope } from './scope.js';
import { isThenable, onSettled } from './thenable.js';

export interface RunnerSettings {
  readonly label: RunLabel;
  readonly run: (context: CheckContext) => unknown;
  readonly timeoutMs: number;
  readonly maxAbandoned: number;
}

/** Told of every verdict, once per run. Must not throw. */
export interface RunSink {
  record(verdict: Verdict, startedAt: number, endedAt: number): void;
}

/**
 * Runs one probe or check, one run at a time: who asks while a run is under way waits for that run. Every run is bounded
 * and ends in exactly one verdict; what an abandoned run does later changes nothing.
 */
export class Runner implements BoundRun {
  readonly #scope: EngineScope;
  readonly #settings: RunnerSettings;
  readonly #sink: RunSink;
  /** The batch that began the run under way and watches its deadline. */
  #owner: RunBatch | undefined;
  #joined: RunBatch[] | undefined;
  #context: RunContext | undefined;
  /** Cancelled within its own call. */
  #cancelled = false;
  #startedAt = 0;
  /** Settle functions are made once and serve run after run, until a run is abandoned with them. */
  #settlers: Settlers | undefined;
  #abandoned: Settlers[] | undefined;

  constructor(scope: EngineScope, settings: RunnerSettings, sink: RunSink) {
    this.#scope = scope;
    this.#settings = settings;
    this.#sink = sink;
  }

  get running(): boolean {
    return this.#owner !== undefined;
  }

  /** By the monotonic clock; only while running. */
  get deadline(): number {
    return this.#startedAt + this.#settings.timeoutMs;
  }

  /** Unsettled runs that were left behind and are not written off. */
  get abandoned(): number {
    return this.#abandoned?.length ?? 0;
  }

  isRunOf(batch: RunBatch): boolean {
    return this.#owner === batch;
  }

  /** Begins a run, or joins the one under way; a verdict that is there at once is recorded before it returns. */
  begin(batch: RunBatch): void {
    if (this.#owner !== undefined) {
      batch.joined();
      if (this.#joined === undefined) this.#joined = [batch];
      else this.#joined.push(batch);
      return;
    }
    const startedAt = batch.startTime();
    if (this.#atBound(startedAt)) {
      this.#sink.record(TIMED_OUT[this.#settings.label], startedAt, startedAt);
      return;
    }
    const context = new RunContext();
    // Set before the call: a check that asks for a report of its own controller must join itself, not recurse.
    this.#owner = batch;
    this.#cancelled = false;
    this.#startedAt = startedAt;
    let returned: unknown;
    try {
      returned = this.#settings.run(context);
      if (isThenable(returned)) {
        this.#context = context;
        batch.began(this);
        this.#settlers ??= new Settlers(this);
        onSettled(returned, this.#settlers.resolved, this.#settlers.rejected);
        if (this.#cancelled) this.cancel();
        return;
      }
    } catch (thrown) {
      this.#end(readThrown(thrown, this.#settings.label), false);
      return;
    }
    this.#end(readReturn(returned), false);
  }

  /** The run under way is past its deadline: its signal aborts, and it is left behind. */
  expire(): void {
    const { label } = this.#settings;
    const message = `${label} did not settle within its timeout`;
    this.#leave(TIMED_OUT[label], () => new HealthControllerError('timeout', message));
  }

  /** The controller has stopped, or the check is no more: the run under way is left behind without a verdict. */
  cancel(): void {
    // Within its own call there is nothing to leave behind yet.
    this.#cancelled = true;
    if (this.#owner === undefined || this.#context === undefined) return;
    this.#leave(undefined, () => new HealthControllerError('shutdown', 'the run is not waited for any more'));
  }

  settled(settlers: Settlers, value: unknown, thrown: boolean): void {
    if (settlers !== this.#settlers || this.#context === undefined) {
      const index = this.#abandoned?.indexOf(settlers) ?? -1;
      if (index >= 0) this.#abandoned?.splice(index, 1);
      return;
    }
    this.#end(thrown ? readThrown(value, this.#settings.label) : readReturn(value), true);
  }

  #leave(verdict: Verdict | undefined, reason: () => HealthControllerError): void {
    const context = this.#context;
    if (this.#settlers !== undefined && context !== undefined) {
      this.#settlers.leftAt = this.#startedAt;
      if (this.#abandoned === undefined) this.#abandoned = [this.#settlers];
      else this.#abandoned.push(this.#settlers);
      this.#settlers = undefined;
    }
    this.#end(verdict, true);
    if (context !== undefined) RunContext.abort(context, reason);
  }

  #end(verdict: Verdict | undefined, waited: boolean): void {
    const owner = this.#owner;
    const joined = this.#joined;
    this.#owner = undefined;
    this.#joined = undefined;
    this.#context = undefined;
    if (verdict !== undefined) {
      // What answered within its own call may have blocked the loop: only there does each need its own reading.
      const endedAt = waited ? this.#scope.settleTime() : this.#scope.clock.now();
      if (!waited) owner?.endedAt(endedAt);
      this.#sink.record(verdict, this.#startedAt, Math.max(this.#startedAt, endedAt));
    }
    if (waited) owner?.settled();
    if (joined !== undefined) for (const batch of joined) batch.settled();
  }

  #atBound(now: number): boolean {
    const abandoned = this.#abandoned;
    if (abandoned === undefined || abandoned.length < this.#settings.maxAbandoned) return false;
    const oldest = abandoned[0];
    if (oldest === undefined || now - oldest.leftAt < WRITE_OFF_TIMEOUTS * this.#settings.timeoutMs) return true;
    abandoned.shift();
    return false;
  }
}

/** The two functions that a run settles with. They tell the runs that were left behind from the one under way. */
class Settlers {
  /** When the abandoned run began. */
  leftAt = 0;
  readonly resolved: (value: unknown) => void;
  readonly rejected: (error: unknown) => void;

  constructor(runner: Runner) {
    this.resolved = (value) => runner.settled(this, value, false);
    this.rejected = (error) => runner.settled(this, error, true);
  }
}
