import { HEALTHY, type RecordedResult, type Verdict } from '../core/check-result.js';
import type { CheckState } from '../core/events.js';
import type { ServiceStatus } from '../core/report.js';
import { KINDS_OF, REPORT_KINDS, type ReportKind } from '../core/report-kind.js';
import type { CheckSettings } from '../core/settings.js';
import { isStale } from '../core/staleness.js';
import { THRESHOLD_START, type ThresholdCount, type ThresholdRule, thresholdStep } from '../core/threshold.js';
import { type Attempt, entryOf, LastAttempt, recorded, soften, standingOf, statementOf } from './attempt.js';
import { type Polled, PollTask, type StaleTask } from './poll-task.js';
import type { RunBatch } from './run-batch.js';
import { Runner, type RunSink } from './run-check.js';
import type { EngineScope } from './scope.js';
import type { ReportSource, Standing } from './source.js';
import { TransitionLog } from './transition-log.js';

/** Everything that is known of a check: what it shows, its last attempt, and how many in a row. */
export interface CheckSnapshot extends RecordedResult {
  /** The last run, which the thresholds may keep from being shown. */
  readonly lastAttempt: Omit<RecordedResult, 'data'>;
  readonly consecutiveFailures: number;
  readonly consecutiveSuccesses: number;
  /** Unsettled runs that outlived their timeout and were left behind. */
  readonly abandoned: number;
}

const PENDING = 'check has not completed its first run';
const STALE = 'cached health result is stale';
const CANCELLED = 'health check cancelled: the controller is shutting down';

/** A standalone check: runs through its runner, remembers, and stands in reports. */
export class CheckEntry implements ReportSource, RunSink, Polled {
  readonly settings: CheckSettings;
  readonly runner: Runner;
  /** Its place on the wheel; undefined for a sync check. */
  readonly poll: PollTask | undefined;
  staleTask: StaleTask | undefined;
  skippedTicks = 0;
  removed = false;

  readonly #scope: EngineScope;
  /** Undefined where every run decides at once. */
  readonly #thresholds: ThresholdRule | undefined;
  /** Made when there is something to tell: most checks never need it. */
  #log: TransitionLog | undefined;
  #count: ThresholdCount = THRESHOLD_START;
  #failures = 0;
  #successes = 0;
  #only: LastAttempt | undefined;
  #last: Attempt | undefined;
  #shown: Attempt | undefined;
  #endedAt = 0;
  #seen: CheckState = 'pending';
  /** The process stalled: the old result stays trusted until the run that is due has ended. */
  #trusted = false;
  #frozen = false;
  /** A sync check without thresholds that was healthy, without a word, the last time: once more says nothing new. */
  #uneventful = false;
  #entry: ServiceStatus | undefined;
  /** What is shown of the verdict it was made of. */
  #standing: Standing | undefined;
  #standsFor: Verdict | undefined;

  constructor(scope: EngineScope, settings: CheckSettings) {
    this.#scope = scope;
    this.settings = settings;
    const { failureThreshold, successThreshold } = settings;
    const shielded = failureThreshold > 1 || successThreshold > 1;
    this.#thresholds = shielded ? { failureThreshold, successThreshold, beginning: 'at_once' } : undefined;
    this.runner = new Runner(scope, settings, this);
    this.poll = settings.intervalMs > 0 ? new PollTask(this) : undefined;
  }

  get name(): string {
    return this.settings.name;
  }

  takes(kind: ReportKind): boolean {
    return REPORT_KINDS[kind].checks[this.settings.type];
  }

  begin(_kind: ReportKind, batch: RunBatch): void {
    if (this.poll !== undefined || this.#frozen || this.removed) return;
    if (this.#last !== undefined && this.settings.maxAgeMs > 0) {
      if (this.#scope.clock.now() - this.#endedAt <= this.settings.maxAgeMs) return;
    }
    this.runner.begin(batch);
  }

  record(verdict: Verdict, startedAt: number, endedAt: number): void {
    if (verdict === HEALTHY && this.#uneventful) {
      this.#endedAt = endedAt;
      this.#successes++;
      this.#remember(verdict, endedAt - startedAt);
      return;
    }
    if (this.removed || this.#frozen) return;
    const success = verdict.status !== 'unhealthy';
    const afterStale = this.#seen === 'stale' || this.isStale(endedAt);
    this.#endedAt = endedAt;
    this.#trusted = false;
    if (this.#thresholds === undefined) this.#remember(verdict, endedAt - startedAt);
    else this.#weigh(verdict, endedAt - startedAt, afterStale, this.#thresholds);
    this.#failures = success ? 0 : afterStale ? 1 : this.#failures + 1;
    this.#successes = success ? (afterStale ? 1 : this.#successes + 1) : 0;
    if (this.poll !== undefined) {
      this.#scope.changed(KINDS_OF[this.settings.type]);
      this.poll.recorded();
    }
    const shown = this.#shown?.verdict ?? verdict;
    if (this.#seen !== 'healthy' || shown.status !== 'healthy') this.#see(shown.status, shown.message, shown.reason);
    const plain = this.poll === undefined && this.#thresholds === undefined;
    this.#uneventful = plain && verdict === HEALTHY && !this.removed && !this.#frozen;
  }

  // Without thresholds the last attempt is the one that is shown.
  #remember(verdict: Verdict, durationMs: number): void {
    const timestamp = this.#scope.stamp(this.#endedAt);
    this.#entry = undefined;
    if (this.#only === undefined) {
      this.#only = new LastAttempt(verdict, timestamp, durationMs);
      this.#last = this.#only;
      this.#shown = this.#only;
      return;
    }
    this.#only.verdict = verdict;
    this.#only.timestamp = timestamp;
    this.#only.durationMs = durationMs;
  }

  #weigh(verdict: Verdict, durationMs: number, afterStale: boolean, rule: ThresholdRule): void {
    const success = verdict.status !== 'unhealthy';
    this.#count = thresholdStep(afterStale ? THRESHOLD_START : this.#count, success, rule);
    this.#last = { verdict, durationMs, timestamp: this.#scope.stamp(this.#endedAt) };
    if ((this.#count.state === 'healthy') !== success) return;
    this.#shown = this.#last;
    this.#entry = undefined;
  }

  /** Whether the last result is too old to be trusted. A sync check's never is. */
  isStale(now: number): boolean {
    if (this.poll === undefined || this.#last === undefined || this.#frozen) return false;
    return !this.#trustedNow(now) && isStale(now - this.#endedAt, this.settings.staleAfterMs);
  }

  /** From when on the last result is stale; Infinity without one. */
  get staleFrom(): number {
    return this.#last === undefined ? Number.POSITIVE_INFINITY : this.#endedAt + this.settings.staleAfterMs;
  }

  /** The process has stalled for longer than an interval. */
  trust(): void {
    this.#trusted = true;
  }

  /** Tells that the result has grown stale, once. */
  noticeStale(now: number): void {
    if (this.removed || this.#seen === 'stale' || !this.isStale(now)) return;
    this.#scope.changed(KINDS_OF[this.settings.type]);
    this.#see('stale', STALE, 'stale');
  }

  /** The controller has stopped: the last result stands. */
  freeze(): void {
    this.#frozen = true;
    this.#uneventful = false;
  }

  /** Leaves the run under way behind, and releases who waits for it. */
  cancel(): void {
    this.runner.cancel();
  }

  remove(): void {
    this.removed = true;
    this.#uneventful = false;
    this.runner.cancel();
  }

  standing(kind: ReportKind, now: number): Standing {
    const verdict = this.#shown?.verdict;
    if (verdict === undefined || this.isStale(now)) return this.entry(kind, now);
    if (this.#standing === undefined || this.#standsFor !== verdict) {
      this.#standing = standingOf(verdict, this.settings.critical);
      this.#standsFor = verdict;
    }
    return this.#standing;
  }

  entry(kind: ReportKind, now: number): ServiceStatus {
    const { name, critical } = this.settings;
    const shown = this.#shown;
    if (shown === undefined) {
      const status = soften(REPORT_KINDS[kind].pending, critical);
      const closed = status === 'OK' ? undefined : this.#frozen ? CANCELLED : PENDING;
      return statementOf(name, 'check', status, closed, this.#frozen ? 'cancelled' : 'pending');
    }
    if (this.isStale(now)) {
      return statementOf(name, 'check', soften('ERROR', critical), STALE, 'stale', shown);
    }
    this.#entry ??= entryOf(name, 'check', shown, critical);
    return this.#entry;
  }

  freshUntil(_kind: ReportKind, now: number): number {
    if (this.#frozen) return Number.POSITIVE_INFINITY;
    if (this.poll === undefined) {
      const { maxAgeMs } = this.settings;
      return maxAgeMs > 0 && this.#last !== undefined ? this.#endedAt + maxAgeMs : Number.NEGATIVE_INFINITY;
    }
    if (this.#last === undefined) return Number.POSITIVE_INFINITY;
    if (this.#trustedNow(now)) return Number.NEGATIVE_INFINITY;
    return this.isStale(now) ? Number.POSITIVE_INFINITY : this.staleFrom;
  }

  snapshot(): CheckSnapshot | undefined {
    if (this.#last === undefined || this.#shown === undefined) return undefined;
    const { data: _data, ...lastAttempt } = recorded(this.#last);
    return Object.freeze({
      ...recorded(this.#shown),
      lastAttempt: Object.freeze(lastAttempt),
      consecutiveFailures: this.#failures,
      consecutiveSuccesses: this.#successes,
      abandoned: this.runner.abandoned,
    });
  }

  // A tick that is overdue by more than an interval has not come because the process stalled.
  #trustedNow(now: number): boolean {
    return this.#trusted || (this.poll !== undefined && now - this.poll.fireAt > this.settings.intervalMs);
  }

  #see(to: CheckState, message: string | undefined, reason: string | undefined): void {
    const from = this.#seen;
    this.#seen = to;
    if (to !== 'healthy' || from !== 'pending') {
      this.#log ??= new TransitionLog(this.#scope, `health check ${JSON.stringify(this.name)}`);
      this.#log.note(from, to, message, reason);
    }
    if (from === to || this.#shown === undefined || !this.#scope.events.has('check')) return;
    this.#scope.events.emit('check', Object.freeze({ name: this.name, from, to, result: recorded(this.#shown) }));
  }
}
