import type { Verdict } from '../core/check-result.js';
import { NO_STREAK, type PollStreak, pollStep } from '../core/health-breach.js';
import type { HealthWatchSettings } from '../core/settings.js';
import type { TimerHandle } from '../ports/clock.js';
import { RunBatch } from './run-batch.js';
import type { EngineScope } from './scope.js';
import type { ServiceProbe } from './service-probe.js';

/** What a watch tells of. */
export interface Breach {
  /** When the first failed poll of the streak came, by the monotonic clock. */
  readonly since: number;
  readonly failures: number;
  readonly verdict: Verdict;
}

/** A breach in words. */
export function breachText({ failures, verdict }: Breach): string {
  const times = failures === 1 ? 'once' : `${failures} times in a row`;
  return `status probe failed ${times}: ${verdict.message ?? 'unhealthy'}`;
}

/** Polls a service's status probe while it is up, never two polls at a time, until it is ended or has seen a breach. */
export class HealthWatch {
  readonly #scope: EngineScope;
  readonly #probe: ServiceProbe;
  readonly #settings: HealthWatchSettings;
  readonly #breached: (breach: Breach) => void;
  readonly #baseAt: number;
  #tick = 0;
  #streak: PollStreak = NO_STREAK;
  #polling = false;
  #ended = false;
  #timer: TimerHandle | undefined;

  constructor(
    scope: EngineScope,
    probe: ServiceProbe,
    settings: HealthWatchSettings,
    breached: (breach: Breach) => void,
  ) {
    this.#scope = scope;
    this.#probe = probe;
    this.#settings = settings;
    this.#breached = breached;
    this.#baseAt = scope.clock.now();
    this.#arm();
  }

  end(): void {
    this.#ended = true;
    if (this.#timer !== undefined) this.#scope.clock.clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #arm(): void {
    const { clock } = this.#scope;
    const { healthCheckIntervalMs } = this.#settings;
    this.#tick = Math.max(this.#tick, Math.floor((clock.now() - this.#baseAt) / healthCheckIntervalMs)) + 1;
    const delay = Math.max(0, this.#baseAt + this.#tick * healthCheckIntervalMs - clock.now());
    this.#timer = clock.setTimeout(() => this.#due(), delay, { keepAlive: false });
  }

  #due(): void {
    this.#arm();
    if (this.#polling) return;
    this.#polling = true;
    const batch = new RunBatch(this.#scope, false, () => this.#polled());
    this.#probe.runner.begin(batch);
    batch.seal();
  }

  #polled(): void {
    this.#polling = false;
    const verdict = this.#probe.last;
    if (this.#ended || verdict === undefined) return;
    const { streak, breach } = pollStep(
      this.#streak,
      verdict,
      this.#scope.clock.now(),
      this.#settings.healthFailureThreshold,
    );
    this.#streak = streak;
    if (!breach) return;
    this.end();
    this.#breached({ since: streak.since, failures: streak.failures, verdict });
  }
}
