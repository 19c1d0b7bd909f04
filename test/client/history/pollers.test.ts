import { expect, it } from 'vitest';
import {
  HealthMonitor,
  HealthPoller,
  memoryStore,
  SnapshotHistory,
  type SnapshotRow,
} from '../../../src/client/index.js';
import { FakeClock } from '../../../src/testing/index.js';
import { snapshotOf, T0 } from './support/rows.js';

const all = async (history: SnapshotHistory, id: string) => (await history.range(id)).map(shown);
const shown = ({ readinessOk, latencyMs, insertedAt }: SnapshotRow) => `${insertedAt - T0} ${readinessOk} ${latencyMs}`;

/** An instance that answers while `up`. */
function makeInstance() {
  const instance = { up: true };
  const fetch = async () => {
    if (!instance.up) throw new TypeError('fetch failed');
    return new Response(JSON.stringify(snapshotOf(true, true, true, 4)));
  };
  return { instance, fetch };
}

it('a poller is recorded: its snapshots, and the tries that failed', async () => {
  const clock = new FakeClock({ wallMs: T0 });
  const { instance, fetch } = makeInstance();
  const poller = new HealthPoller({ url: 'http://alpha/', fetch, clock, jitter: 0, webSocket: false });
  const history = new SnapshotHistory({ store: memoryStore(), clock });
  history.attach(poller);
  poller.start();
  await clock.advance(0);
  instance.up = false;
  await clock.advance(5000);
  instance.up = true;
  await clock.advance(5000);
  await history.flush();
  expect(await all(history, poller.state.id)).toEqual(['0 true 12', '5000 false 0', '10000 true 12']);
  await poller.stop();
  await history.close();
  expect(clock.pending).toBe(0);
});

it('a monitor is recorded, each instance by itself, also those that are added later', async () => {
  const clock = new FakeClock({ wallMs: T0 });
  const { instance, fetch } = makeInstance();
  const monitor = new HealthMonitor({ fetch, clock, jitter: 0 });
  const history = new SnapshotHistory({ store: memoryStore(), clock });
  monitor.add({ id: 'alpha', url: 'http://alpha/' });
  history.attach(monitor);
  monitor.add({ id: 'beta', url: 'http://beta/' });
  monitor.start();
  await clock.advance(7000);
  instance.up = false;
  await clock.advance(5000);
  await history.flush();
  for (const id of ['alpha', 'beta']) {
    const rows = (await history.range(id)).map(({ readinessOk }) => readinessOk);
    expect(rows).toContain(true);
    expect(rows.at(-1)).toBe(false);
  }
  await monitor.stop();
  await history.close();
});
