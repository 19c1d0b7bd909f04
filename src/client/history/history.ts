import { HealthControllerError } from '../../index.js';
import { callable, checkValue, duration, Emitter, having, oneOf, readOptions } from '../../kit.js';
import { type CloseOptions, type CloseOutcome, closeWriting } from './closing.js';
import type { DropReason, SnapshotHistoryEventName, SnapshotHistoryEvents } from './events.js';
import { instanceIdOf } from './instance-ids.js';
import { Losses } from './losses.js';
import { type HistorySettings, resolveHistory, type SnapshotHistoryOptions } from './options.js';
import { type RangeOptions, resolveRange, resolveWindow, type UptimeOptions } from './read-options.js';
import { Retention } from './retention.js';
import { type RecordedSnapshot, rowOf, type SnapshotRow, snapshotShape, unreachableRow } from './row.js';
import { instancesOf, type SnapshotSource, saysReachable } from './source.js';
import { Stamps } from './stamps.js';
import type { HistoryStats } from './stats.js';
import { StoreAccess } from './store-access.js';
import { type Uptime, uptimeOf } from './uptime.js';
import { Writer } from './writer.js';

const CLOSE = { timeoutMs: duration(0) };

/**
 * Records snapshots of instances, a row each, and answers what they were. Recording never waits: rows are held, written
 * in batches, and written again until the store has taken them. What is not in the store when the process ends is lost,
 * so `close()` it; what was dropped before that is counted and told.
 *
 * It has no timers before the first row, and none that keep a process alive but while a call of the store is under way.
 *
 * @example
 * ```ts
 * const history = new SnapshotHistory({ store: memoryStore() });
 * history.attach(monitor);
 * const { ratio } = await history.uptime('worker-1', { from: Date.now() - 86_400_000 });
 * await history.close();
 * ```
 */
export class SnapshotHistory {
  readonly #settings: HistorySettings;
  readonly #events: Emitter<SnapshotHistoryEvents>;
  readonly #access: StoreAccess;
  readonly #losses: Losses;
  readonly #writer: Writer;
  readonly #retention: Retention;
  readonly #stamps: Stamps;
  readonly #sources = new Set<() => void>();
  #recorded = 0;
  #closing: Promise<CloseOutcome> | undefined;

  /** @throws HealthControllerError `invalid_option` */
  constructor(options: SnapshotHistoryOptions) {
    const settings = resolveHistory(options);
    this.#settings = settings;
    this.#events = new Emitter(settings.logger);
    this.#access = new StoreAccess(settings);
    this.#losses = new Losses(settings, this.#events);
    this.#writer = new Writer(settings, this.#access, this.#events, this.#losses);
    this.#retention = new Retention(settings, this.#access, this.#events, () => this.#writer.queued);
    this.#stamps = new Stamps(settings.clock);
    this.#events.on('written', () => this.#retention.begin());
  }

  /**
   * Records a snapshot, at the wall-clock time of this call. Synchronous; a store that is slow, down or full holds up
   * nobody. After `close()` the row is dropped.
   * @throws HealthControllerError `invalid_option` where the store does not take the id
   */
  record(instanceId: string, snapshot: RecordedSnapshot): void {
    checkValue('record(): the snapshot', snapshotShape(), snapshot);
    this.#add('record()', instanceId, (id, at) => rowOf(id, snapshot, at));
  }

  /**
   * Records that an instance did not answer: three probes that are not ok, no backup, latency 0.
   * @throws HealthControllerError `invalid_option` where the store does not take the id
   */
  recordUnreachable(instanceId: string): void {
    this.#add('recordUnreachable()', instanceId, unreachableRow);
  }

  /**
   * Records what a poller or a monitor tells from now on: each `snapshot`, and each `unreachable` of an instance that is
   * not reachable. What it tells of an instance whose id the store does not take is dropped, with the reason `id`. The
   * function returned ends it, as `close()` does.
   * @throws HealthControllerError `invalid_option` where it has an instance already whose id the store does not take;
   * `stopped` after `close()`
   */
  attach(source: SnapshotSource): () => void {
    checkValue('attach(): the source', having('on'), source);
    if (this.#closing !== undefined) throw new HealthControllerError('stopped', 'attach(): the history is closed');
    for (const instance of instancesOf(source)) instanceIdOf('attach()', this.#settings.store.ids, instance);
    const listeners = [
      source.on('snapshot', ({ instance, snapshot }) => this.#hear(instance, (id, at) => rowOf(id, snapshot, at))),
      source.on('unreachable', ({ instance }) => {
        if (!saysReachable(source, instance)) this.#hear(instance, unreachableRow);
      }),
    ];
    const detach = (): void => {
      this.#sources.delete(detach);
      for (const end of listeners.splice(0)) end();
    };
    this.#sources.add(detach);
    return detach;
  }

  /**
   * The newest row of an instance that is in the store. What is held is not read: `flush()` first where that matters.
   * Rejects as the store does, and with `timeout` after `storeTimeoutMs`.
   * @throws HealthControllerError `invalid_option`, at once
   */
  latest(instanceId: string): Promise<SnapshotRow | undefined> {
    const id = instanceIdOf('latest()', this.#settings.store.ids, instanceId);
    return this.#access.read('latest', (store) => store.latest(id));
  }

  /**
   * Rows of an instance that are in the store, in the order of their time. Rejects as {@link SnapshotHistory.latest}.
   * @throws HealthControllerError `invalid_option`, at once
   */
  range(instanceId: string, options: RangeOptions = {}): Promise<readonly SnapshotRow[]> {
    const id = instanceIdOf('range()', this.#settings.store.ids, instanceId);
    const range = resolveRange(options);
    return this.#access.read('range', (store) => store.range(id, range));
  }

  /**
   * How much of a window an instance was up, by the rows that are in the store: each stands until the next one, at most
   * `maxGapMs`. Rejects as {@link SnapshotHistory.latest}.
   * @throws HealthControllerError `invalid_option`, at once
   */
  uptime(instanceId: string, window: UptimeOptions): Promise<Uptime> {
    const { clock, maxGapMs, store } = this.#settings;
    const id = instanceIdOf('uptime()', store.ids, instanceId);
    const now = Math.floor(clock.wall());
    return uptimeOf(this.#access, id, resolveWindow(window, now, maxGapMs), now);
  }

  /**
   * Tries at once to write all that is held now. True: it is written, or was refused and dropped. False: the store failed,
   * and it is tried again by itself. Never rejects.
   */
  flush(): Promise<boolean> {
    return this.#writer.flush();
  }

  /**
   * Ends it: detaches all sources, writes what is held, trying again after failures, drops what is left after `timeoutMs`,
   * and closes the store; the database stays yours to close. No timer is left. Later calls get the first one's outcome.
   * Never rejects.
   * @throws HealthControllerError `invalid_option`, at once
   */
  close(options: CloseOptions = {}): Promise<CloseOutcome> {
    const { timeoutMs = 5000 }: CloseOptions = readOptions('close()', CLOSE, options);
    if (this.#closing !== undefined) return this.#closing;
    for (const detach of this.#sources) detach();
    this.#retention.close();
    this.#closing = closeWriting(
      {
        writer: this.#writer,
        losses: this.#losses,
        access: this.#access,
        clock: this.#settings.clock,
        logger: this.#settings.logger,
      },
      timeoutMs,
    );
    return this.#closing;
  }

  get stats(): HistoryStats {
    return Object.freeze({
      recorded: this.#recorded,
      queued: this.#writer.queued,
      written: this.#writer.written,
      dropped: this.#losses.total,
      pruned: this.#retention.pruned,
      failures: this.#writer.failures + this.#retention.failures,
    });
  }

  /** Listens. A listener that throws, rejects or never settles harms nobody. The function returned ends it. */
  on<Name extends SnapshotHistoryEventName>(
    name: Name,
    listener: (event: SnapshotHistoryEvents[Name]) => unknown,
  ): () => void {
    checkListener(name, listener);
    return this.#events.on(name, listener);
  }

  /** Listens to the next event only. */
  once<Name extends SnapshotHistoryEventName>(
    name: Name,
    listener: (event: SnapshotHistoryEvents[Name]) => unknown,
  ): () => void {
    checkListener(name, listener);
    return this.#events.once(name, listener);
  }

  off<Name extends SnapshotHistoryEventName>(
    name: Name,
    listener: (event: SnapshotHistoryEvents[Name]) => unknown,
  ): void {
    checkListener(name, listener);
    this.#events.off(name, listener);
  }

  #add(at: string, instanceId: string, make: (id: string, insertedAt: number) => SnapshotRow): void {
    const id = instanceIdOf(at, this.#settings.store.ids, instanceId);
    if (this.#closing !== undefined) this.#drop('closed');
    else {
      const row = make(id, this.#stamps.next(id));
      this.#recorded++;
      this.#writer.add(row);
    }
  }

  /** What a source tells is nobody's mistake that could be thrown at him. */
  #hear(instanceId: string, make: (id: string, insertedAt: number) => SnapshotRow): void {
    try {
      instanceIdOf('attach()', this.#settings.store.ids, instanceId);
    } catch {
      this.#drop('id');
      return;
    }
    this.#add('attach()', instanceId, make);
  }

  #drop(reason: DropReason): void {
    this.#recorded++;
    this.#losses.add(reason);
  }
}

function checkListener(name: unknown, listener: unknown): void {
  checkValue('on(): the event', oneOf('dropped', 'failed', 'recovered', 'written', 'pruned'), name);
  checkValue(`on(): the listener of "${String(name)}"`, callable(), listener);
}
