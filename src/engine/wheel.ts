import type { Clock, TimerHandle } from '../ports/clock.js';

/** Something that comes due on a wheel. One task stands on one wheel, at one place, at a time. */
export abstract class WheelTask {
  /** When it was to come due, by the monotonic clock; for the wheel's owner. */
  fireAt = Number.POSITIVE_INFINITY;
  /** Its place, for the wheel. */
  slot: WheelSlot | undefined;
  index = 0;
}

/** All tasks of one moment. */
export interface WheelSlot {
  readonly at: number;
  readonly tasks: WheelTask[];
}

/** Up to this many tasks each fire exactly; above it, ticks of intervals from a second up share moments. */
const EXACT_UP_TO = 128;
const QUANTA = [50, 20, 10];

/**
 * Many schedules on one timer, which never keeps a process alive. Tasks are never early; late by at most 1 % of their
 * interval, 50 ms at most, so that thousands of them wake the loop a few times a second; exact for intervals under a
 * second.
 */
export class Wheel<Task extends WheelTask> {
  readonly #clock: Clock;
  readonly #fire: (tasks: readonly Task[], now: number) => void;
  readonly #epoch: number;
  readonly #slots = new Map<number, WheelSlot>();
  /** A binary heap of the moments that have a slot. */
  readonly #moments: number[] = [];
  #size = 0;
  #timer: TimerHandle | undefined;
  #timerAt = Number.POSITIVE_INFINITY;

  constructor(clock: Clock, fire: (tasks: readonly Task[], now: number) => void) {
    this.#clock = clock;
    this.#fire = fire;
    this.#epoch = clock.now();
  }

  get size(): number {
    return this.#size;
  }

  /** Places a task; `intervalMs` says how late it may be. A task that stands somewhere is moved. */
  add(task: Task, dueAt: number, intervalMs: number): void {
    this.remove(task);
    const at = this.#moment(dueAt, intervalMs);
    let slot = this.#slots.get(at);
    if (slot === undefined) {
      slot = { at, tasks: [] };
      this.#slots.set(at, slot);
      pushMoment(this.#moments, at);
    }
    task.fireAt = at;
    task.slot = slot;
    task.index = slot.tasks.push(task) - 1;
    this.#size++;
    if (at < this.#timerAt) this.#arm(at);
  }

  remove(task: Task): void {
    const slot = task.slot;
    if (slot === undefined) return;
    const last = slot.tasks.pop();
    if (last !== undefined && last !== task) {
      slot.tasks[task.index] = last;
      last.index = task.index;
    }
    task.slot = undefined;
    task.fireAt = Number.POSITIVE_INFINITY;
    this.#size--;
    if (this.#size === 0) this.clear();
    else if (slot.tasks.length === 0) this.#drop(slot);
  }

  clear(): void {
    for (const slot of this.#slots.values()) {
      for (const task of slot.tasks) {
        task.slot = undefined;
        task.fireAt = Number.POSITIVE_INFINITY;
      }
    }
    this.#slots.clear();
    this.#moments.length = 0;
    this.#size = 0;
    this.#disarm();
  }

  // The moment stays in the heap; where such moments pile up, the heap is made anew.
  #drop(slot: WheelSlot): void {
    this.#slots.delete(slot.at);
    if (this.#moments.length <= 2 * this.#slots.size + 64) return;
    this.#moments.length = 0;
    for (const at of [...this.#slots.keys()].sort((a, b) => a - b)) this.#moments.push(at);
  }

  #moment(dueAt: number, intervalMs: number): number {
    const quantum = this.#size < EXACT_UP_TO ? undefined : QUANTA.find((size) => size <= intervalMs / 100);
    if (quantum === undefined) return dueAt;
    return this.#epoch + Math.ceil((dueAt - this.#epoch) / quantum) * quantum;
  }

  #arm(at: number): void {
    this.#disarm();
    this.#timerAt = at;
    const delay = Math.max(0, at - this.#clock.now());
    this.#timer = this.#clock.setTimeout(() => this.#due(), delay, { keepAlive: false });
  }

  #disarm(): void {
    if (this.#timer !== undefined) this.#clock.clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#timerAt = Number.POSITIVE_INFINITY;
  }

  #due(): void {
    this.#timer = undefined;
    // What is placed while firing sets no timer of its own: one is set at the end.
    this.#timerAt = Number.NEGATIVE_INFINITY;
    const now = this.#clock.now();
    const due: Task[] = [];
    for (let at = this.#moments[0]; at !== undefined && at <= now; at = this.#moments[0]) {
      popMoment(this.#moments);
      const slot = this.#slots.get(at);
      this.#slots.delete(at);
      for (const task of slot?.tasks ?? []) {
        task.slot = undefined;
        due.push(task as Task);
      }
    }
    this.#size -= due.length;
    try {
      if (due.length > 0) this.#fire(due, now);
    } finally {
      this.#armNext();
    }
  }

  /** A moment whose tasks were all removed wakes nobody: its timer would outlive the last task. */
  #armNext(): void {
    let next = this.#moments[0];
    for (; next !== undefined && !this.#slots.has(next); next = this.#moments[0]) popMoment(this.#moments);
    if (next === undefined) this.#disarm();
    else this.#arm(next);
  }
}

function pushMoment(heap: number[], at: number): void {
  let child = heap.push(at) - 1;
  while (child > 0) {
    const parent = (child - 1) >> 1;
    const above = heap[parent] ?? 0;
    if (above <= at) break;
    heap[child] = above;
    child = parent;
  }
  heap[child] = at;
}

function popMoment(heap: number[]): void {
  const last = heap.pop();
  if (last === undefined || heap.length === 0) return;
  let parent = 0;
  for (;;) {
    let child = parent * 2 + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && (heap[child + 1] ?? 0) < (heap[child] ?? 0)) child++;
    const below = heap[child] ?? 0;
    if (below >= last) break;
    heap[parent] = below;
    parent = child;
  }
  heap[parent] = last;
}
