export { FakeClock, type FakeClockOptions, type PendingTimer } from './fake-clock.js';
export { seededRandom } from './seeded-random.js';
