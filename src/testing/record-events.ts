import type { CheckEvent, Controller, ServiceEvent, StateEvent } from '../index.js';

/** An event of a controller, with the name that it was listened to under. */
export type RecordedEvent =
  | ({ readonly event: 'state' } & StateEvent)
  | ({ readonly event: 'service' } & ServiceEvent)
  | ({ readonly event: 'check' } & CheckEvent);

/** What {@link recordEvents} has heard so far. */
export interface EventRecording {
  /** All events, in the order in which they came. */
  readonly events: readonly RecordedEvent[];
  /**
   * The same as lines, for a test to compare with: `state running -> stopping`, `service api started`,
   * `check db pending -> healthy`.
   */
  readonly lines: readonly string[];
  /** Stops listening; what was heard stays. */
  off(): void;
}

/** Records the events of a controller, from now on until `off()`. */
export function recordEvents(controller: Pick<Controller, 'on'>): EventRecording {
  const events: RecordedEvent[] = [];
  const offs = [
    controller.on('state', (event) => events.push({ event: 'state', ...event })),
    controller.on('service', (event) => events.push({ event: 'service', ...event })),
    controller.on('check', (event) => events.push({ event: 'check', ...event })),
  ];
  return {
    events,
    get lines() {
      return events.map(lineOf);
    },
    off() {
      for (const off of offs) off();
    },
  };
}

function lineOf(event: RecordedEvent): string {
  switch (event.event) {
    case 'state':
      return `state ${event.from} -> ${event.to}`;
    case 'service':
      return `service ${event.service} ${event.kind}`;
    case 'check':
      return `check ${event.name} ${event.from} -> ${event.to}`;
  }
}
