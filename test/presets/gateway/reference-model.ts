/**
 * What a gateway must remember and do, written down a second time: as plainly as possible, with none of the library's
 * code. The property tests compare the two.
 */
export interface Seen {
  readonly liveness: 'ok' | 'dead' | 'unknown';
  readonly listing: 'none' | 'running' | 'starting' | 'script' | 'both' | 'fails';
  readonly health200: boolean;
  readonly backup: 'none' | 'restored' | 'open' | 'fails';
}

export interface Expected {
  readonly startup: boolean;
  readonly readiness: boolean;
  readonly liveness: boolean;
  readonly cached: boolean;
  readonly phase: string;
  readonly status: string;
}

const STUCK_AFTER_MS = 300_000;
const BACKUP_INTERVAL_MS = 300_000;

export class ReferenceModel {
  now = 0;
  /** What was begun, in order. */
  readonly begun: string[] = [];
  #cached = false;
  #wasReady = false;
  #startingSince: number | undefined;
  #busy = false;
  #failures = 0;
  #notBefore = 0;
  #nextBackup = 0;

  snapshot(seen: Seen, active: boolean): Expected {
    const readiness = seen.listing === 'running' && seen.health200;
    const liveness = seen.liveness === 'ok';
    if (!readiness) this.#cached = false;
    const cached = this.#cached;
    const restored = seen.backup === 'none' || seen.backup === 'restored';
    const startup = cached || (liveness && readiness && restored);
    const phase = this.#phase(startup, readiness, seen.liveness);
    if (startup) {
      this.#cached = true;
      this.#wasReady = true;
    }
    if (readiness && this.#notBefore !== Number.POSITIVE_INFINITY) this.#forgive();
    if (active) this.#act(seen);
    const there = seen.listing !== 'none';
    return {
      startup,
      readiness,
      liveness,
      cached,
      phase,
      status: readiness ? 'running' : there ? 'starting' : 'stopped',
    };
  }

  /** `readiness()` alone: no phase, nothing done, but an outage drops the cache. */
  readiness(seen: Seen): boolean {
    const readiness = seen.listing === 'running' && seen.health200;
    if (!readiness) this.#cached = false;
    return readiness;
  }

  get starting(): boolean {
    return this.#busy;
  }

  startEnded(how: 'well' | 'failed' | 'refused'): void {
    this.#busy = false;
    if (how === 'well') this.#forgive();
    else this.#failed(how);
  }

  restartBegan(): void {
    this.#restarted();
    this.begun.push('stop');
  }

  restartEnded(how: 'well' | 'failed' | 'refused'): void {
    this.#restarted();
    this.#forgive();
    this.begun.push('ensure');
    if (how !== 'well') this.#failed(how);
  }

  #restarted(): void {
    this.#cached = false;
    this.#startingSince = undefined;
  }

  #failed(how: 'failed' | 'refused'): void {
    this.#failures++;
    const delayMs = Math.min(60_000, 1000 * 2 ** (this.#failures - 1));
    this.#notBefore = how === 'refused' ? Number.POSITIVE_INFINITY : this.now + delayMs;
  }

  #forgive(): void {
    this.#failures = 0;
    this.#notBefore = 0;
  }

  #act(seen: Seen): void {
    const runs = seen.listing === 'running' || seen.listing === 'both';
    if (runs && this.now >= this.#nextBackup) {
      this.begun.push('backup');
      this.#nextBackup = this.now + BACKUP_INTERVAL_MS;
    }
    const absent = seen.listing === 'none' && seen.liveness !== 'unknown';
    if (absent && !this.#busy && this.now >= this.#notBefore) {
      this.#busy = true;
      this.begun.push('restore', 'ensure');
    }
  }

  #phase(startup: boolean, readiness: boolean, liveness: Seen['liveness']): string {
    const phase = this.#plainPhase(startup || (this.#wasReady && !readiness), readiness, liveness);
    if (phase !== 'starting') {
      this.#startingSince = undefined;
      return phase;
    }
    this.#startingSince ??= this.now;
    const stuck = !readiness && this.now - this.#startingSince >= STUCK_AFTER_MS;
    return stuck ? 'stuck' : phase;
  }

  #plainPhase(startup: boolean, readiness: boolean, liveness: Seen['liveness']): string {
    if (startup && readiness) return liveness === 'ok' ? 'ready' : 'degraded';
    if (startup) return liveness === 'dead' ? 'dead' : 'degraded';
    if (readiness) return liveness === 'ok' ? 'starting_backup' : 'starting';
    return liveness === 'dead' ? 'cold_start' : 'starting';
  }
}
