import type { Emitter } from '../../kit.js';
import type { GatewayEvents } from './events.js';
import { thrownText } from './fault.js';
import type { GatewaySettings } from './options.js';

/** Has backups made in the background: at most one per interval, counted from call to call, and never two at a time. */
export class Backups {
  readonly #settings: GatewaySettings;
  readonly #events: Emitter<GatewayEvents>;
  #nextAt = Number.NEGATIVE_INFINITY;
  #running = false;

  constructor(settings: GatewaySettings, events: Emitter<GatewayEvents>) {
    this.#settings = settings;
    this.#events = events;
  }

  /** A gateway was seen running. */
  consider(): void {
    const { scheduleBackup, backupIntervalMs, clock } = this.#settings;
    const now = clock.now();
    if (scheduleBackup === undefined || this.#running || now < this.#nextAt) return;
    this.#nextAt = now + backupIntervalMs;
    this.#running = true;
    void this.#run(scheduleBackup);
  }

  async #run(scheduleBackup: NonNullable<GatewaySettings['scheduleBackup']>): Promise<void> {
    this.#events.emit('backup', { kind: 'begun' });
    try {
      await scheduleBackup({ signal: new AbortController().signal });
      this.#events.emit('backup', { kind: 'done' });
    } catch (error) {
      this.#settings.logger.error(`gateway: the backup failed: ${thrownText(error)}`, { error });
      this.#events.emit('backup', { kind: 'failed', error });
    } finally {
      this.#running = false;
    }
  }
}
