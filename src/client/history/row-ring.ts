import type { SnapshotRow } from './row.js';

const FIRST_SIZE = 16;
const STARTUP = 1;
const READINESS = 2;
const LIVENESS = 4;
const HAD_BACKUP = 8;
const RESTORED = 16;

/** The newest rows of one instance, 13 bytes each; a row above the capacity takes the place of the oldest. */
export class RowRing {
  readonly #capacity: number;
  #stamps: Float64Array;
  #latencies: Int32Array;
  #flags: Uint8Array;
  #head = 0;
  #size = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
    const size = Math.min(capacity, FIRST_SIZE);
    this.#stamps = new Float64Array(size);
    this.#latencies = new Int32Array(size);
    this.#flags = new Uint8Array(size);
  }

  get size(): number {
    return this.#size;
  }

  push(row: SnapshotRow): void {
    if (this.#size === this.#capacity) this.dropOldest();
    else if (this.#size === this.#stamps.length) this.#grow();
    const at = (this.#head + this.#size) % this.#stamps.length;
    this.#stamps[at] = row.insertedAt;
    this.#latencies[at] = row.latencyMs;
    this.#flags[at] = flagsOf(row);
    this.#size++;
  }

  /** When the row was recorded that has been here the longest. */
  oldestAt(): number | undefined {
    return this.#size === 0 ? undefined : this.#stamps[this.#head];
  }

  dropOldest(): void {
    this.#head = (this.#head + 1) % this.#stamps.length;
    this.#size--;
  }

  /** As they came. */
  rows(instanceId: string): SnapshotRow[] {
    return Array.from({ length: this.#size }, (_, index) => {
      const at = (this.#head + index) % this.#stamps.length;
      const flags = this.#flags[at] ?? 0;
      return Object.freeze({
        instanceId,
        startupOk: (flags & STARTUP) !== 0,
        readinessOk: (flags & READINESS) !== 0,
        livenessOk: (flags & LIVENESS) !== 0,
        hadBackup: (flags & HAD_BACKUP) !== 0,
        restored: (flags & RESTORED) !== 0,
        latencyMs: this.#latencies[at] ?? 0,
        insertedAt: this.#stamps[at] ?? 0,
      });
    });
  }

  #grow(): void {
    const size = Math.min(this.#capacity, this.#stamps.length * 2);
    const { length } = this.#stamps;
    const moved = <Values extends Float64Array | Int32Array | Uint8Array>(from: Values, to: Values): Values => {
      for (let index = 0; index < this.#size; index++) to[index] = from[(this.#head + index) % length] ?? 0;
      return to;
    };
    this.#stamps = moved(this.#stamps, new Float64Array(size));
    this.#latencies = moved(this.#latencies, new Int32Array(size));
    this.#flags = moved(this.#flags, new Uint8Array(size));
    this.#head = 0;
  }
}

function flagsOf(row: SnapshotRow): number {
  return (
    (row.startupOk ? STARTUP : 0) |
    (row.readinessOk ? READINESS : 0) |
    (row.livenessOk ? LIVENESS : 0) |
    (row.hadBackup ? HAD_BACKUP : 0) |
    (row.restored ? RESTORED : 0)
  );
}
