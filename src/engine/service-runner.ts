import { HealthControllerError } from '../core/errors.js';
import type { ServiceEvent, ServiceEventKind } from '../core/events.js';
import { cleared, decideRestart, NO_RESTARTS, type RestartHistory, restartBegun } from '../core/restart-policy.js';
import { classifyRun, errorOf, type FailedOutcome, type RunEnd } from '../core/run-outcome.js';
import type { ServiceInfo } from '../core/service-info.js';
import type { ServicePhase } from '../core/service-phase.js';
import type { HealthWatchSettings, ServiceSettings, StartFunction, ValidErrorFunction } from '../core/settings.js';
import { isoStamp } from '../core/stamp.js';
import type { TimerHandle } from '../ports/clock.js';
import { Halt } from './halt.js';
import { type Breach, breachText, HealthWatch } from './health-watch.js';
import { ManualRestart } from './manual-restart.js';
import type { EngineScope } from './scope.js';
import type { ServiceProbe } from './service-probe.js';
import { ServiceRecord } from './service-record.js';
import { ServiceRun } from './service-run.js';
import type { Stoppable } from './shutdown.js';

/** Who is told what becomes of a service. Must not throw. */
export interface ServiceWatcher {
  /** Something that listeners hear of. */
  told(event: ServiceEvent): void;
  /** Its phase has changed. */
  changed(service: ServiceRunner): void;
  /** It is up or completed, and that has been told. */
  cameUp(service: ServiceRunner): void;
  /** The names of the dependencies that it still waits for. */
  missing(service: ServiceRunner): readonly string[];
  /** It gave up: event `failed` or, never having been up, `unable_to_start`. */
  gaveUp(service: ServiceRunner, error: unknown): void;
  /** The shutdown is about to call its stop. */
  stopping(): void;
}

/** What a service's runner is given. */
export interface ServiceParts {
  readonly settings: ServiceSettings;
  readonly validError: ValidErrorFunction | undefined;
  readonly statusProbe: ServiceProbe | undefined;
  /** How long a stop may take where the service says nothing. */
  readonly stopBudgetMs: number;
  readonly watcher: ServiceWatcher;
}

const NOTHING: StartFunction = () => {};

/** Runs one service: starts it, follows its run, restarts it as its policy says, and stops it. */
export class ServiceRunner implements Stoppable {
  readonly name: string;
  readonly settings: ServiceSettings;
  readonly #scope: EngineScope;
  readonly #parts: ServiceParts;
  #phase: ServicePhase = 'idle';
  #everUp = false;
  #run: ServiceRun | undefined;
  #timer: TimerHandle | undefined;
  #watch: HealthWatch | undefined;
  #halt: Halt | undefined;
  /** Stops that did not settle in their time. */
  #hungStops: readonly Halt[] = [];
  #manual: ManualRestart | undefined;
  #history: RestartHistory = NO_RESTARTS;
  /** What people may look at. */
  readonly record = new ServiceRecord();
  /** A breach led to giving up, and its run was left to the shutdown. */
  #leftUp = false;
  /** Supervision is over: nothing is started any more. */
  #retired = false;
  /** The shutdown has come to it. */
  #stopping = false;
  /** Who waits for the end of that. */
  readonly #awaiting: (() => void)[] = [];
  constructor(scope: EngineScope, parts: ServiceParts) {
    this.#scope = scope;
    this.#parts = parts;
    this.settings = parts.settings;
    this.name = parts.settings.name;
  }

  get phase(): ServicePhase {
    return this.#phase;
  }

  get dependsOn(): readonly string[] {
    return this.settings.dependsOn;
  }

  get stopTimeoutMs(): number {
    return this.settings.stopTimeoutMs;
  }

  /** Whether it has been up or completed. */
  get everUp(): boolean {
    return this.#everUp;
  }

  get restarts(): number {
    return this.#history.count;
  }

  /** What the shutdown's `stop` threw. */
  get shutdownError(): { readonly thrown: unknown } | undefined {
    return this.#stopping ? this.#halt?.error : undefined;
  }

  get finished(): boolean {
    return this.#halt?.finished ?? true;
  }

  get leftBehind(): boolean {
    return this.record.abandonedRuns > 0 || this.#hungStops.some((halt) => halt.stopPending);
  }

  /** What brings it down at this moment, unless its time was over. */
  get #halting(): Halt | undefined {
    return this.#halt === undefined || this.#halt.finished || this.#halt.timedOut ? undefined : this.#halt;
  }

  /** It was registered after `start()`: it stands in reports, and is neither started nor stopped. */
  leaveAlone(): void {
    this.#to('unmanaged');
    this.#tell('late_registration');
  }

  start(): void {
    if (this.#phase !== 'idle') return;
    if (this.#parts.watcher.missing(this).length > 0) this.#to('waiting');
    else this.#begin();
  }

  /** A dependency has come up. */
  lookAgain(): void {
    if (this.#phase !== 'waiting') return;
    if (this.#parts.watcher.missing(this).length > 0) this.#parts.watcher.changed(this);
    else this.#begin();
  }

  /** Restarts by hand, also after giving up: see `Controller.restart`. */
  restart(): Promise<void> {
    if (this.#manual !== undefined) return this.#manual.promise;
    const manual = new ManualRestart(this.#scope.clock);
    this.#manual = manual;
    this.#history = cleared(this.#history);
    switch (this.#phase) {
      case 'unmanaged':
        this.#settleManual(this.#restartFailed('it was registered after start()', undefined));
        break;
      case 'starting':
      case 'up':
        this.#to('halting');
        this.#bringDown(() => this.#begin());
        break;
      case 'gave_up':
      case 'backoff':
      case 'completed':
      case 'ended':
        this.#settle();
        // A breach that led to giving up may have left it up, or be stopping it.
        if (this.#halting === undefined && !this.#leftUp) {
          this.#begin();
          break;
        }
        this.#to('halting');
        this.#bringDown(() => this.#begin());
        break;
      default:
        // Idle and waiting come up on their own; halting goes on without a backoff.
        break;
    }
    return manual.promise;
  }

  /** The drain is over: no poll, no backoff, no restart any more. */
  retire(): void {
    if (this.#retired) return;
    this.#retired = true;
    if (this.#phase !== 'starting') this.#settle();
    this.#takeManual()?.settle(new HealthControllerError('not_running', 'the controller is shutting down'));
  }

  beginStop(budgetMs: number, whenFinished: () => void): void {
    // A child that is being detached may be told by its supervisor too.
    if (this.#stopping && this.finished) {
      whenFinished();
      return;
    }
    this.#awaiting.push(whenFinished);
    if (this.#stopping) return;
    this.retire();
    this.#stopping = true;
    this.#parts.watcher.stopping();
    this.#settle();
    const finish = (): void => {
      this.#noteStop();
      this.#down();
      for (const told of this.#awaiting.splice(0)) told();
    };
    // A restart or a breach may be stopping it already: it is not stopped twice.
    const halting = this.#halting;
    if (halting !== undefined) {
      halting.handOver(finish);
      return;
    }
    const { stop } = this.settings;
    const live = this.#leftUp || this.#phase === 'up' || this.#phase === 'starting' || this.#phase === 'completed';
    const halt = new Halt(this.#scope, this.#run?.abandoned === true ? undefined : this.#run);
    this.#halt = halt;
    halt.begin(
      () => new HealthControllerError('shutdown', 'the controller is shutting down'),
      live ? stop : undefined,
      budgetMs,
      finish,
    );
  }

  expireStop(): void {
    this.#halt?.expire();
    // What settles from now on is nobody's concern any more.
    this.#halt?.handOver(() => {});
    this.#abandon(this.#run);
    this.#down();
  }

  info(): ServiceInfo {
    const waitingFor = this.#phase === 'waiting' ? this.#parts.watcher.missing(this) : undefined;
    return this.record.info({
      name: this.name,
      supervised: this.#phase !== 'unmanaged',
      up: this.#phase === 'up',
      restartCount: this.#history.count,
      ...(waitingFor === undefined ? undefined : { waitingFor }),
    });
  }

  #begin(): void {
    if (this.#retired) return;
    const { start, startTimeoutMs, restartPolicy, restartResetIntervalMs, runToCompletion } = this.settings;
    const now = this.#scope.clock.now();
    if (this.#run !== undefined) this.#history = restartBegun(restartPolicy, this.#history, now);
    const run = new ServiceRun(now);
    this.#run = run;
    this.#halt = undefined;
    this.#leftUp = false;
    this.record.nextRestartAt = undefined;
    this.record.lastStartedAt = this.#scope.stamp();
    this.#to('starting');
    run.begin(
      start ?? NOTHING,
      () => this.#ready(run),
      (end) => this.#ended(run, end),
    );
    if (run.settled || this.#run !== run || this.#phase !== 'starting' || this.#stopping) return;
    if (startTimeoutMs > 0) this.#after(startTimeoutMs, true, () => this.#startTimedOut(run));
    // A start that stays pending is a service in the foreground; work that is to be completed is not up before it is.
    else if (!runToCompletion) this.#after(restartResetIntervalMs, false, () => this.#ready(run));
  }

  #ready(run: ServiceRun): void {
    if (run === this.#run && !run.settled && !run.abandoned && !run.aborted) this.#up();
  }

  #up(): void {
    if (this.#phase !== 'starting') return;
    this.#settle();
    this.#everUp = true;
    this.#to('up');
    const health = this.#health();
    if (health !== undefined && this.#parts.statusProbe !== undefined) {
      this.#watch = new HealthWatch(this.#scope, this.#parts.statusProbe, health, (breach) => this.#breached(breach));
    }
    this.#scope.log.info(`service ${this.#quoted} is up`);
    this.#tell('started');
    this.#settleManual();
    this.#parts.watcher.cameUp(this);
  }

  // A policy polls where it has a threshold; without one, the death watch of stopOnGiveUp does.
  #health(): HealthWatchSettings | undefined {
    const { restartPolicy, stopOnGiveUp } = this.settings;
    if (restartPolicy === undefined) return stopOnGiveUp;
    return restartPolicy.healthFailureThreshold > 0 ? restartPolicy : undefined;
  }

  #startTimedOut(run: ServiceRun): void {
    if (run !== this.#run || run.settled) return;
    const { startTimeoutMs } = this.settings;
    run.startTimedOut = true;
    this.#abandon(run);
    run.abort(() => new HealthControllerError('start_timeout', `start did not settle within ${startTimeoutMs} ms`));
    this.#conclude(run, { how: 'start_timeout', timeoutMs: startTimeoutMs });
  }

  #ended(run: ServiceRun, end: RunEnd): void {
    if (run.abandoned) {
      this.record.abandonedRuns--;
      this.#halt?.settled();
      if (end.how === 'resolved' && run.startTimedOut) this.#cameLate(run);
      return;
    }
    // While it is brought down for a restart its end is what was asked for.
    if (this.#phase !== 'halting' && this.#phase !== 'gave_up') this.#conclude(run, end);
    this.#halt?.settled();
  }

  // An abandoned start that succeeds after all has opened something that nobody will use.
  #cameLate(run: ServiceRun): void {
    if (this.#stopping) return;
    const { stop } = this.settings;
    // With a newer run up, its stop would bring that one down.
    const replaced = run !== this.#run;
    this.#scope.log.warn(`service ${this.#quoted}: a start that had been left behind succeeded`, {
      stopped: !replaced,
    });
    if (replaced || stop === undefined) return;
    const halt = new Halt(this.#scope, undefined);
    const budgetMs = this.#stopBudget;
    const done = (): void => {
      this.record.stopError = halt.error ?? this.record.stopError;
    };
    halt.begin(() => undefined, stop, budgetMs, done);
    halt.bound(budgetMs, () => halt.expire());
  }

  #conclude(run: ServiceRun, end: RunEnd): void {
    const { runToCompletion } = this.settings;
    const outcome = classifyRun(end, { runToCompletion, aborted: run.aborted, valid: this.#isValid(end) });
    if (outcome.kind === 'clean_start') {
      this.#up();
      return;
    }
    this.#settle();
    if (outcome.kind === 'error') {
      this.record.panicked = outcome.reason === 'panicked';
      if (this.record.panicked) this.record.panics++;
      this.#failed(outcome, this.#scope.clock.now() - run.startedAt);
      return;
    }
    if (outcome.kind === 'completed') this.#everUp = true;
    this.#over(outcome.kind);
    this.#scope.log.info(`service ${this.#quoted} has ${outcome.kind}`);
    const manual = this.#takeManual();
    this.#tell(outcome.kind, outcome.kind === 'ended' ? outcome.error : undefined);
    if (outcome.kind === 'ended') {
      manual?.settle(this.#restartFailed('its run ended', outcome.error));
      return;
    }
    manual?.settle();
    this.#parts.watcher.cameUp(this);
  }

  #failed(outcome: FailedOutcome, goodForMs: number): void {
    const error = errorOf(outcome);
    const manual = this.#takeManual();
    const delayMs = this.#decide(error, outcome.message, goodForMs, outcome.reason === 'start_timeout');
    manual?.settle(this.#restartFailed(outcome.message, error));
    if (delayMs === undefined) {
      this.#gaveUp(error);
      return;
    }
    this.#tell('retrying', error);
    this.#backOff(delayMs);
  }

  #breached(breach: Breach): void {
    const run = this.#run;
    if (this.#phase !== 'up' || run === undefined) return;
    const error = new Error(breachText(breach));
    const delayMs = this.#decide(error, error.message, breach.since - run.startedAt, false);
    if (delayMs !== undefined) {
      this.#tell('retrying', error);
      this.#bringDown(() => this.#backOff(delayMs));
      return;
    }
    // With stopOnGiveUp the shutdown stops it in its turn, after what depends on it.
    if (this.settings.stopOnGiveUp === undefined) this.#bringDown(() => {});
    else this.#leftUp = true;
    this.#gaveUp(error);
  }

  /** Restart or give up: the delay, or undefined. */
  #decide(error: unknown, message: string, goodForMs: number, startTimedOut: boolean): number | undefined {
    this.record.error = { value: error };
    const policy = this.#retired || this.#isFinal(error) ? undefined : this.settings.restartPolicy;
    const run = { now: this.#scope.clock.now(), goodForMs, startTimedOut };
    const decision = decideRestart(policy, this.#history, run, this.#scope.random);
    this.#history = decision.history;
    const restarts = decision.history.count;
    const delayMs = decision.kind === 'restart' ? decision.delayMs : undefined;
    const next = delayMs === undefined ? 'it is not restarted' : `restart ${restarts} in ${Math.round(delayMs)} ms`;
    this.#scope.log.error(`service ${this.#quoted} failed: ${message}; ${next}`, { error, restarts });
    this.#over(delayMs === undefined ? 'gave_up' : 'halting');
    return delayMs;
  }

  #gaveUp(error: unknown): void {
    this.#tell(this.#everUp ? 'failed' : 'unable_to_start', error);
    // A listener may have restarted it by hand.
    if (this.#phase === 'gave_up') this.#parts.watcher.gaveUp(this, error);
  }

  #backOff(delayMs: number): void {
    // Asked for by hand meanwhile, it does not wait.
    if (this.#retired || this.#phase !== 'halting') return;
    if (this.#manual !== undefined) {
      this.#begin();
      return;
    }
    this.record.nextRestartAt = isoStamp(this.#scope.clock.wall() + delayMs);
    this.#to('backoff');
    this.#after(delayMs, true, () => this.#begin());
  }

  /** Aborts the run, calls `stop`, and goes on when both have settled or the time is over. */
  #bringDown(then: () => void): void {
    this.#settle();
    const budgetMs = this.#stopBudget;
    const pending = this.#halting;
    const halt = pending ?? new Halt(this.#scope, this.#run);
    this.#halt = halt;
    const down = (): void => {
      this.#noteStop();
      then();
    };
    if (pending !== undefined) pending.handOver(down);
    else {
      const reason = () => new HealthControllerError('restart', `service ${this.#quoted} is restarted`);
      halt.begin(reason, this.settings.stop, budgetMs, down);
    }
    halt.bound(budgetMs, () => {
      halt.expire();
      this.#abandon(this.#run);
      if (halt.stopPending) {
        this.#hungStops = [...this.#hungStops.filter((each) => each.stopPending), halt];
        const error = new HealthControllerError('stop_timeout', `stop did not settle within ${budgetMs} ms`);
        this.record.stopError = { thrown: error };
      }
      down();
    });
  }

  get #stopBudget(): number {
    return this.settings.stopTimeoutMs > 0 ? this.settings.stopTimeoutMs : this.#parts.stopBudgetMs;
  }

  #abandon(run: ServiceRun | undefined): void {
    if (run === undefined || run.settled || run.abandoned) return;
    run.abandoned = true;
    this.record.abandonedRuns++;
    this.#scope.log.warn(`service ${this.#quoted}: a run that does not end is left behind`);
  }

  #noteStop(): void {
    const error = this.#halt?.error;
    if (error === undefined) return;
    this.record.stopError = error;
    this.#scope.log.error(`the stop of service ${this.#quoted} failed`, { error: error.thrown });
  }

  /** Nothing is due any more of what the phase so far had waited for. */
  #settle(): void {
    if (this.#timer !== undefined) this.#scope.clock.clearTimeout(this.#timer);
    this.#timer = undefined;
    this.record.nextRestartAt = undefined;
    this.#watch?.end();
    this.#watch = undefined;
  }

  // The shutdown is done with it.
  #down(): void {
    if (this.#phase !== 'gave_up' && this.#phase !== 'completed') this.#over('ended');
  }

  #over(phase: ServicePhase): void {
    this.record.lastStoppedAt = this.#scope.stamp();
    this.#to(phase);
  }

  #to(phase: ServicePhase): void {
    this.#phase = phase;
    this.#parts.watcher.changed(this);
  }

  #tell(kind: ServiceEventKind, error?: unknown): void {
    const restarts = this.#history.count;
    const event = { service: this.name, kind, restarts, ...(error === undefined ? undefined : { error }) };
    this.#parts.watcher.told(Object.freeze(event));
  }

  #isValid(end: RunEnd): boolean {
    const { validError } = this.#parts;
    if (end.how !== 'rejected' || validError === undefined) return false;
    return this.#asked('validError', () => validError(end.error, this.name));
  }

  #isFinal(error: unknown): boolean {
    const { giveUpOn } = this.settings;
    return giveUpOn !== undefined && this.#asked('giveUpOn', () => giveUpOn(error));
  }

  /** What the service's own judge says; one that throws says no. */
  #asked(judge: string, ask: () => boolean): boolean {
    try {
      return ask() === true;
    } catch (error) {
      this.#scope.log.error(`${judge} of service ${this.#quoted} threw, which counts as false`, { error });
      return false;
    }
  }

  #settleManual(error?: HealthControllerError): void {
    this.#takeManual()?.settle(error);
  }

  // What a listener asks for anew must not be settled with what it was told of.
  #takeManual(): ManualRestart | undefined {
    const manual = this.#manual;
    this.#manual = undefined;
    return manual;
  }

  #restartFailed(why: string, cause: unknown): HealthControllerError {
    return new HealthControllerError('restart_failed', `restart of service ${this.#quoted} failed: ${why}`, { cause });
  }

  #after(delayMs: number, keepAlive: boolean, then: () => void): void {
    this.#timer = this.#scope.clock.setTimeout(then, delayMs, { keepAlive });
  }

  get #quoted(): string {
    return JSON.stringify(this.name);
  }
}
