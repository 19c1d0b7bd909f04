import { Instance, type InstanceOptions, type InstanceStatusEvent } from '../../../../src/presets/instance/index.js';
import { FakeClock } from '../../../../src/testing/index.js';

export interface Observed {
  readonly instance: Instance;
  readonly clock: FakeClock;
  /** `from -> to @ms`, as they came. */
  readonly events: string[];
  readonly payloads: InstanceStatusEvent[];
  /** Log lines, with their level. */
  readonly lines: string[];
}

/** An instance on a fake clock, with what it tells. */
export function observed(options: Omit<InstanceOptions, 'clock' | 'logger'>, clock = new FakeClock()): Observed {
  const lines: string[] = [];
  const log = (level: string) => (message: string) => lines.push(`${level} ${message}`);
  const logger = { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') };
  const instance = new Instance({ tunnelIntervalMs: 0, ...options, clock, logger });
  const events: string[] = [];
  const payloads: InstanceStatusEvent[] = [];
  instance.on('status', (event) => {
    events.push(`${event.from} -> ${event.to} @${clock.now()}`);
    payloads.push(event);
  });
  return { instance, clock, events, payloads, lines };
}
