import { afterEach, expect } from 'vitest';
import {
  type CheckHandle,
  Controller,
  type ControllerOptions,
  type HealthCheck,
  type Logger,
} from '../../../src/index.js';
import { TracedClock } from './traced-clock.js';

/** A controller on a fake clock, with everything it says. */
export interface Bench {
  readonly controller: Controller;
  readonly clock: TracedClock;
  /** `from->to` of each check event, after the time and the check's name. */
  readonly events: string[];
  /** Level and message of each line. */
  readonly lines: string[];
  /** A check; by default one that answers nothing of interest. */
  check(options?: Partial<HealthCheck>): CheckHandle;
}

const open: Pick<Bench, 'controller' | 'clock'>[] = [];

// Every test ends stopped, with no timer left (DESIGN.md, 7).
afterEach(async () => {
  for (const { controller, clock } of open.splice(0)) {
    const stopped = controller.stop();
    await clock.advance(3_600_000);
    await stopped;
    expect(clock.timers).toEqual([]);
  }
});

export function bench(options: ControllerOptions = {}): Bench {
  const clock = (options.clock as TracedClock | undefined) ?? new TracedClock();
  const lines: string[] = [];
  const line = (level: string) => (message: string) => void lines.push(`${level}: ${message}`);
  const logger: Logger = { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') };
  const controller = new Controller({ shutdownTimeoutMs: 0, logger, ...options, clock });
  const events: string[] = [];
  controller.on('check', ({ name, from, to }) => void events.push(`${clock.now()} ${name} ${from}->${to}`));
  open.push({ controller, clock });
  return {
    controller,
    clock,
    events,
    lines,
    check: (given) => controller.registerCheck({ name: 'db', check: () => undefined, ...given }),
  };
}

/** The one entry of a report about a check of that name. */
export async function entryOf(
  controller: Controller,
  name = 'db',
  kind: 'status' | 'liveness' | 'readiness' = 'status',
) {
  const report = await controller[kind]({ only: [name] });
  expect(report.services).toHaveLength(1);
  return report.services[0];
}
