// Time and chance
export { FakeClock, type FakeClockOptions, type PendingTimer } from './fake-clock.js';
export { seededRandom } from './seeded-random.js';

// One probe or check alone
export { type RunCheckOptions, type RunProbeOptions, runCheck, runProbe } from './run-once.js';

// A controller under test
export { type EventRecording, type RecordedEvent, recordEvents } from './record-events.js';
