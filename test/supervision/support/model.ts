// A plain model of what one supervised service does, written from the specification: one queue of moments, one set of
// variables, no engine. Everything that happens is a line `<time> <what>`.

export interface ModelPolicy {
  readonly maxRestarts: number;
  readonly initialBackoffMs: number;
  readonly maxBackoffMs: number;
  readonly multiplier: number;
  readonly healthFailureThreshold: number;
  readonly healthCheckIntervalMs: number;
  readonly restartResetIntervalMs: number;
  readonly restartWindowMs: number;
}

/** What a run does. `afterMs` -1: never. */
export interface RunScript {
  readonly end: 'resolve' | 'reject' | 'panic';
  readonly afterMs: number;
  readonly readyAfterMs: number;
  /** Rejects at once when its signal aborts. */
  readonly obedient: boolean;
}

export interface StopScript {
  readonly end: 'resolve' | 'reject';
  /** -1: never. */
  readonly afterMs: number;
}

export type PollScript = 'ok' | 'fail' | 'panic';

export interface Script {
  readonly policy: ModelPolicy | undefined;
  readonly stopOnGiveUp: boolean;
  readonly startTimeoutMs: number;
  readonly stopTimeoutMs: number;
  readonly runs: readonly RunScript[];
  readonly stops: readonly StopScript[];
  readonly polls: readonly PollScript[];
  readonly restartsAtMs: readonly number[];
  readonly stopAtMs: number;
}

export const SHUTDOWN_MS = 5000;
const RESET_MS = 30_000;

interface Moment {
  readonly at: number;
  readonly order: number;
  readonly act: () => void;
  /** One turn of the loop later: no tie. */
  readonly turn: boolean;
  cancelled: boolean;
}

interface ModelRun {
  readonly script: RunScript;
  readonly startedAt: number;
  settled: boolean;
  aborted: boolean;
  abandoned: boolean;
  startTimedOut: boolean;
}

interface ModelHalt {
  stopSettled: boolean;
  failed: boolean;
  whenDown: () => void;
  over: boolean;
}

type Phase = 'idle' | 'starting' | 'up' | 'halting' | 'backoff' | 'ended' | 'gave_up';

export class Model {
  readonly lines: string[] = [];
  /** Two things fell on one moment: their order is nobody's promise. */
  tied = false;
  state = 'running';
  outcome: { cause: string; unfinished: string[]; stopErrors: string[]; exitCode: number } | undefined;
  abandonedRuns = 0;
  count = 0;
  readonly #script: Script;
  readonly #queue: Moment[] = [];
  #now = 0;
  #order = 0;
  #phase: Phase = 'idle';
  #everUp = false;
  #unable = false;
  #run: ModelRun | undefined;
  #halt: ModelHalt | undefined;
  #runs = 0;
  #stops = 0;
  #polls = 0;
  #streak = 0;
  #streakSince = 0;
  #window: number[] = [];
  #pending: Moment[] = [];
  #manual = false;
  #leftUp = false;
  #stopping = false;
  #hungStops = 0;
  #cause = 'stop';

  constructor(script: Script) {
    this.#script = script;
  }

  play(): this {
    for (const at of this.#script.restartsAtMs) this.#at(at, () => this.#restart());
    this.#at(this.#script.stopAtMs, () => this.#shutDown('stop'));
    this.#begin();
    for (;;) {
      const next = this.#take();
      if (next === undefined || this.state === 'stopped') return this;
      if (next.cancelled) continue;
      if (!next.turn && this.#queue.some((other) => !other.cancelled && !other.turn && other.at === next.at))
        this.tied = true;
      this.#now = next.at;
      next.act();
    }
  }

  #take(): Moment | undefined {
    let first = this.#queue[0];
    for (const moment of this.#queue) {
      if (first === undefined || moment.at < first.at || (moment.at === first.at && moment.order < first.order)) {
        first = moment;
      }
    }
    if (first !== undefined) this.#queue.splice(this.#queue.indexOf(first), 1);
    return first;
  }

  #say(what: string): void {
    this.lines.push(`${this.#now} ${what}`);
  }

  #at(at: number, then: () => void, turn = false): Moment {
    const moment: Moment = { at, order: this.#order++, act: then, turn, cancelled: false };
    this.#queue.push(moment);
    return moment;
  }

  /** A moment of the phase: gone with it. */
  #while(delay: number, then: () => void): void {
    this.#pending.push(this.#at(this.#now + delay, then));
  }

  #forget(): void {
    for (const moment of this.#pending) {
      moment.cancelled = true;
      const index = this.#queue.indexOf(moment);
      if (index >= 0) this.#queue.splice(index, 1);
    }
    this.#pending = [];
  }

  #begin(): void {
    if (this.#stopping) return;
    const { runs, startTimeoutMs, policy } = this.#script;
    const script = runs[Math.min(this.#runs++, runs.length - 1)];
    if (script === undefined) throw new Error('a script has one run at least');
    if (this.#run !== undefined) this.#window.push(this.#now);
    const run: ModelRun = {
      script,
      startedAt: this.#now,
      settled: false,
      aborted: false,
      abandoned: false,
      startTimedOut: false,
    };
    this.#run = run;
    this.#halt = undefined;
    this.#leftUp = false;
    this.#phase = 'starting';
    this.#say('start');
    if (script.afterMs >= 0) this.#at(this.#now + script.afterMs, () => this.#settle(run));
    const ready = (): void => {
      if (this.#run === run && !run.settled && !run.aborted && !run.abandoned && this.#phase === 'starting') this.#up();
    };
    if (script.readyAfterMs >= 0) this.#at(this.#now + script.readyAfterMs, ready);
    if (startTimeoutMs > 0) this.#while(startTimeoutMs, () => this.#startTimeout(run));
    else this.#while(policy?.restartResetIntervalMs ?? RESET_MS, ready);
  }

  #settle(run: ModelRun): void {
    if (run.settled) return;
    run.settled = true;
    if (run.abandoned) {
      this.abandonedRuns--;
      if (run.script.end === 'resolve' && run.startTimedOut && run === this.#run && !this.#stopping) {
        this.#say('stop');
        // The stop script is that of a call: it counts as one.
        this.#stops++;
      }
      return;
    }
    if (this.#phase === 'halting' || this.#phase === 'gave_up') {
      this.#halted();
      return;
    }
    if (run.aborted) {
      this.#phase = 'ended';
      this.#say('ended');
    } else if (run.script.end === 'resolve') {
      if (this.#phase === 'starting') this.#up();
    } else this.#failed(this.#now - run.startedAt, false);
    this.#halted();
  }

  #up(): void {
    this.#forget();
    this.#phase = 'up';
    this.#everUp = true;
    this.#streak = 0;
    this.#say(`started`);
    this.#manual = false;
    if (this.#unable) {
      this.#unable = false;
      this.state = 'running';
      this.#say('state running');
    }
    const watch = this.#watch();
    if (watch !== undefined) this.#while(watch.every, () => this.#poll(watch));
  }

  #watch(): { threshold: number; every: number } | undefined {
    const { policy, stopOnGiveUp } = this.#script;
    if (policy === undefined) return stopOnGiveUp ? { threshold: 3, every: 10_000 } : undefined;
    if (policy.healthFailureThreshold === 0) return undefined;
    return { threshold: policy.healthFailureThreshold, every: policy.healthCheckIntervalMs };
  }

  #poll(watch: { threshold: number; every: number }): void {
    const result = this.#script.polls[this.#polls++] ?? 'ok';
    this.#say(`poll ${result}`);
    if (result === 'ok') this.#streak = 0;
    else {
      if (this.#streak++ === 0) this.#streakSince = this.#now;
      if (result === 'panic' || this.#streak >= watch.threshold) {
        this.#breach();
        return;
      }
    }
    this.#while(watch.every, () => this.#poll(watch));
  }

  #startTimeout(run: ModelRun): void {
    run.startTimedOut = true;
    run.abandoned = true;
    this.abandonedRuns++;
    this.#abort(run);
    this.#failed(this.#now - run.startedAt, true);
    if (run.script.obedient && !run.settled) {
      run.settled = true;
      this.abandonedRuns--;
    }
  }

  /** Restart or give up: the delay, or undefined. */
  #decide(goodFor: number, timedOut: boolean): number | undefined {
    const { policy } = this.#script;
    if (policy === undefined) return undefined;
    if (!timedOut && goodFor >= policy.restartResetIntervalMs) this.count = 0;
    if (this.count >= policy.maxRestarts) return undefined;
    const delay = Math.min(policy.initialBackoffMs * policy.multiplier ** this.count, policy.maxBackoffMs);
    const at = this.#now + delay;
    const recent = this.#window.filter((time) => time > at - policy.restartWindowMs);
    if (policy.restartWindowMs > 0 && recent.length >= policy.maxRestarts) return undefined;
    this.count++;
    return delay;
  }

  #failed(goodFor: number, timedOut: boolean): void {
    this.#forget();
    this.#manual = false;
    const delay = this.#decide(goodFor, timedOut);
    if (delay === undefined) {
      this.#phase = 'gave_up';
      this.#gaveUp();
      return;
    }
    this.#say(`retrying:${this.count}`);
    this.#backOff(delay);
  }

  #breach(): void {
    this.#forget();
    const run = this.#run;
    const delay = this.#decide(this.#streakSince - (run?.startedAt ?? 0), false);
    if (delay !== undefined) {
      this.#phase = 'halting';
      this.#say(`retrying:${this.count}`);
      this.#bringDown(() => (this.#manual ? this.#begin() : this.#backOff(delay)));
      return;
    }
    this.#phase = 'gave_up';
    if (this.#script.stopOnGiveUp) this.#leftUp = true;
    else this.#bringDown(() => {});
    this.#gaveUp();
  }

  #gaveUp(): void {
    this.#say(`${this.#everUp ? 'failed' : 'unable_to_start'}:${this.count}`);
    if (!this.#everUp && !this.#unable) {
      this.#unable = true;
      this.state = 'unable_to_start';
      this.#say('state unable_to_start');
    }
    if (this.#script.stopOnGiveUp) this.#shutDown('gave_up');
  }

  #backOff(delay: number): void {
    if (this.#stopping) return;
    this.#phase = 'backoff';
    this.#while(delay, () => this.#begin());
  }

  #restart(): void {
    if (this.state !== 'running' && this.state !== 'unable_to_start') return;
    if (this.#manual) return;
    this.#manual = true;
    this.count = 0;
    if (this.#phase === 'halting') return;
    this.#forget();
    if (this.#phase === 'starting' || this.#phase === 'up') {
      this.#phase = 'halting';
      this.#bringDown(() => this.#begin());
    } else if (this.#leftUp || (this.#halt !== undefined && !this.#halt.over && !this.#isDown))
      this.#bringDown(() => this.#begin());
    else this.#begin();
  }

  #abort(run: ModelRun | undefined): void {
    if (run !== undefined && !run.settled) run.aborted = true;
  }

  /** An obedient run settles a moment after its signal has aborted. */
  #obey(run: ModelRun | undefined): void {
    if (run?.aborted && run.script.obedient) this.#settle(run);
  }

  get #isDown(): boolean {
    return (this.#run?.settled ?? true) && (this.#halt?.stopSettled ?? true);
  }

  #callStop(halt: ModelHalt): void {
    const { stops } = this.#script;
    const script = stops[Math.min(this.#stops++, stops.length - 1)] ?? { end: 'resolve', afterMs: 0 };
    halt.stopSettled = false;
    this.#say('stop');
    const settle = (): void => {
      halt.stopSettled = true;
      if (script.end === 'reject') halt.failed = true;
      this.#halted();
    };
    if (script.afterMs === 0) {
      halt.stopSettled = true;
      if (script.end === 'reject') halt.failed = true;
    } else if (script.afterMs > 0) {
      this.#at(this.#now + script.afterMs, () => {
        if (halt === this.#halt && !halt.over) settle();
        else if (halt.over && !halt.stopSettled) this.#hungStops--;
        halt.stopSettled = true;
      });
    }
  }

  #bringDown(then: () => void): void {
    this.#forget();
    const budget = this.#script.stopTimeoutMs > 0 ? this.#script.stopTimeoutMs : SHUTDOWN_MS;
    if (this.#halt !== undefined && !this.#isDown && !this.#halt.over) this.#halt.whenDown = then;
    else {
      const halt: ModelHalt = { stopSettled: true, failed: false, whenDown: then, over: false };
      this.#halt = halt;
      this.#abort(this.#run);
      this.#callStop(halt);
      this.#obey(this.#run);
    }
    const halt = this.#halt;
    if (halt !== undefined && !halt.over && !this.#isDown) {
      this.#while(budget, () => {
        if (halt.over || halt !== this.#halt) return;
        halt.over = true;
        if (!halt.stopSettled) this.#hungStops++;
        this.#abandon();
        halt.whenDown();
      });
    }
    this.#halted();
  }

  #halted(): void {
    const halt = this.#halt;
    if (halt === undefined || halt.over || !this.#isDown) return;
    halt.over = true;
    this.#forget();
    halt.whenDown();
  }

  #abandon(): void {
    const run = this.#run;
    if (run === undefined || run.settled || run.abandoned) return;
    run.abandoned = true;
    this.abandonedRuns++;
  }

  #shutDown(cause: string): void {
    if (this.#stopping || this.state === 'stopping' || this.state === 'stopped') return;
    this.#cause = cause;
    this.state = 'stopping';
    this.#say('state stopping');
    this.#at(this.#now, () => this.#halting(), true);
  }

  #halting(): void {
    this.#forget();
    this.#stopping = true;
    this.#manual = false;
    const done = (unfinished: boolean): void => {
      this.state = 'stopped';
      this.#say('state stopped');
      const names = unfinished || this.abandonedRuns > 0 || this.#hungStops > 0 ? ['api'] : [];
      const stopErrors = this.#halt?.failed === true ? ['api'] : [];
      const exitCode = names.length + stopErrors.length > 0 || this.#cause === 'gave_up' ? 1 : 0;
      this.outcome = { cause: this.#cause, unfinished: names, stopErrors, exitCode };
    };
    const budget = this.#script.stopTimeoutMs > 0 ? Math.min(this.#script.stopTimeoutMs, SHUTDOWN_MS) : SHUTDOWN_MS;
    const live = this.#leftUp || this.#phase === 'up' || this.#phase === 'starting';
    if (this.#halt !== undefined && !this.#halt.over && !this.#isDown) this.#halt.whenDown = () => done(false);
    else {
      const halt: ModelHalt = { stopSettled: true, failed: false, whenDown: () => done(false), over: false };
      this.#halt = halt;
      if (this.#run !== undefined && !this.#run.abandoned) this.#abort(this.#run);
      if (live) this.#callStop(halt);
      if (this.#run !== undefined && !this.#run.abandoned) this.#obey(this.#run);
    }
    const halt = this.#halt;
    const waits = this.#run !== undefined && !this.#run.settled && !this.#run.abandoned;
    if (halt.over) return;
    if (!waits && halt.stopSettled) {
      halt.over = true;
      done(false);
      return;
    }
    this.#at(this.#now + budget, () => {
      if (halt.over) return;
      halt.over = true;
      this.#abandon();
      done(true);
    });
  }
}
